/// The declared type of a field.
///
/// See `docs/Semantics.md` for what each holds.
public enum FieldType: String, Sendable, Codable, CaseIterable {
  /// A 64-bit signed integer.
  case integer
  /// A double, never NaN.
  case real
  /// Unicode text.
  case text
  /// Bytes.
  case blob
  /// False or true, stored as the integers 0 and 1.
  case bool
  /// An instant, stored as RFC 3339 UTC text with nine fractional digits.
  case date
  /// A UUID, stored as 16 bytes.
  case uuid
  /// A decimal number, stored as canonical text; equality only.
  case decimal
  /// A nested value, stored as canonical JSON text with sorted keys.
  case json
  /// A value of any kind, for adopted columns of mixed type; not for keys or indexes.
  case any

  /// The kind in which values of this type are stored; nil for ``any``.
  public var storedKind: ValueKind? {
    switch self {
    case .integer, .bool: .integer
    case .real: .real
    case .text, .date, .decimal, .json: .text
    case .blob, .uuid: .blob
    case .any: nil
    }
  }

  /// Whether values of this type can be compared with `<`, sorted by, and used in keys and indexes.
  ///
  /// `decimal` and `json` have equality only, but may be in an index or key, for lookup.
  public var isOrdered: Bool {
    switch self {
    case .decimal, .json: false
    default: true
    }
  }
}

/// One field of a collection.
public struct FieldDefinition: Sendable, Hashable, Codable {
  /// The stored name.
  public var name: String
  /// The declared type.
  public var type: FieldType
  /// Whether the field may be null.
  public var isOptional: Bool
  /// The value that a record takes when the field is not given; nil for none.
  public var defaultValue: Value?

  /// Creates a field.
  public init(_ name: String, _ type: FieldType, optional: Bool = false, default: Value? = nil) {
    self.name = name
    self.type = type
    isOptional = optional
    defaultValue = `default`
  }
}

/// One index over one or several fields, plain or unique.
public struct IndexDefinition: Sendable, Hashable, Codable {
  /// The index's name, unique in its collection.
  public var name: String
  /// The fields' stored names, most significant first.
  public var fields: [String]
  /// Whether two records may not hold equal non-null values.
  ///
  /// Of a composite unique index, records with a null in any indexed field never collide.
  public var isUnique: Bool

  /// Creates an index; without a name it is called after its fields, joined by `_`.
  public init(_ fields: [String], unique: Bool = false, name: String? = nil) {
    self.fields = fields
    self.name = name ?? fields.joined(separator: "_")
    isUnique = unique
  }
}

/// What happens to a record when the one that it refers to is deleted.
public enum DeleteRule: String, Sendable, Codable, CaseIterable {
  /// The deletion is refused.
  case restrict
  /// The record is deleted too.
  case cascade
  /// The record's reference becomes null.
  case setNull
}

/// A reference from fields of one collection to the primary key of another, or of the same one.
///
/// A record with a null in any of the fields refers to nothing.
public struct ReferenceDefinition: Sendable, Hashable, Codable {
  /// The stored names of the referring fields, in the order of the target's key.
  public var fields: [String]
  /// The name of the collection that is referred to.
  public var target: String
  /// What happens when the target record is deleted.
  public var onDelete: DeleteRule

  /// Creates a reference.
  public init(_ fields: [String], to target: String, onDelete: DeleteRule = .restrict) {
    self.fields = fields
    self.target = target
    self.onDelete = onDelete
  }

  /// The reference's name in messages and schema changes: its fields, joined by `_`.
  public var name: String { fields.joined(separator: "_") }
}

/// What a collection is: its name, fields, key, indexes and references.
public struct CollectionDefinition: Sendable, Hashable, Codable {
  /// The collection's name.
  public var name: String
  /// The fields, in stored order.
  public var fields: [FieldDefinition]
  /// The names of the primary key's fields, most significant first.
  public var key: [String]
  /// Whether the key is a single integer that the store assigns where it is not given.
  public var hasAutomaticKey: Bool
  /// The indexes, in declared order, which is the order in which violations are reported.
  public var indexes: [IndexDefinition]
  /// The references, in declared order; each needs an index, see ``completed()``.
  public var references: [ReferenceDefinition]

  /// Creates a definition.
  ///
  /// It is checked when the collection is created.
  public init(
    _ name: String,
    fields: [FieldDefinition],
    key: [String],
    automaticKey: Bool = false,
    indexes: [IndexDefinition] = [],
    references: [ReferenceDefinition] = []
  ) {
    self.name = name
    self.fields = fields
    self.key = key
    hasAutomaticKey = automaticKey
    self.indexes = indexes
    self.references = references
  }

  /// Reads a definition; one without references has none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    fields = try container.decode([FieldDefinition].self, forKey: .fields)
    key = try container.decode([String].self, forKey: .key)
    hasAutomaticKey = try container.decode(Bool.self, forKey: .hasAutomaticKey)
    indexes = try container.decode([IndexDefinition].self, forKey: .indexes)
    references =
      try container.decodeIfPresent([ReferenceDefinition].self, forKey: .references) ?? []
  }

  /// The definition with the indexes that its references bring: a plain one over the fields of each
  /// reference that is no beginning of the key or of an index yet.
  ///
  /// Creating a collection completes its definition, so that records which refer to one are found
  /// without a scan.
  public func completed() -> CollectionDefinition {
    var completed = self
    for reference in references {
      let isCovered =
        key.starts(with: reference.fields)
        || completed.indexes.contains { $0.fields.starts(with: reference.fields) }
      if isCovered { continue }
      var name = reference.name
      while completed.indexes.contains(where: { Name.folded($0.name) == Name.folded(name) }) {
        name += "_reference"
      }
      completed.indexes.append(IndexDefinition(reference.fields, name: name))
    }
    return completed
  }
}
