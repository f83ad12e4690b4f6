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

/// What a collection is: its name, fields, key and indexes.
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

  /// Creates a definition.
  ///
  /// It is checked when the collection is created.
  public init(
    _ name: String,
    fields: [FieldDefinition],
    key: [String],
    automaticKey: Bool = false,
    indexes: [IndexDefinition] = []
  ) {
    self.name = name
    self.fields = fields
    self.key = key
    hasAutomaticKey = automaticKey
    self.indexes = indexes
  }
}
