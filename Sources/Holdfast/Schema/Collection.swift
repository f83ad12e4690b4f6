/// A collection as a store knows it: its definition with ids, physical names and field positions.
///
/// Immutable. A transaction resolves a name to one of these once; nothing is looked up by name per
/// row after that. Backends key their own prepared state by ``id``.
public final class Collection: Sendable {
  /// The collection's id in its store; never reused.
  public let id: Int
  /// What was declared.
  public let definition: CollectionDefinition
  /// The engine's own name for it: a table, a database or a file.
  ///
  /// Safe to quote or to put in a path.
  public let physicalName: String
  /// The indexes, in declared order.
  public let indexes: [Index]
  /// The references, in declared order.
  public let references: [Reference]
  /// The positions of the key's fields, most significant first.
  public let keyPositions: [Int]
  /// The position of each field by its name.
  public let positions: [String: Int]

  /// What each field takes, without names, for checks on the way of every row.
  let rules: [FieldCheck.Rule]
  /// Whether the key is one field of type integer.
  let hasIntegerKey: Bool

  /// An index as a store knows it.
  public struct Index: Sendable {
    /// The index's id in its store; never reused, and distinct from collections' ids.
    public let id: Int
    /// What was declared.
    public let definition: IndexDefinition
    /// The engine's own name for it.
    public let physicalName: String
    /// The positions of the indexed fields, most significant first.
    public let positions: [Int]
  }

  /// A reference as a store knows it.
  public struct Reference: Sendable {
    /// What was declared.
    public let definition: ReferenceDefinition
    /// The positions of the referring fields, in the order of the target's key.
    public let positions: [Int]
    /// The position in ``Collection/indexes`` of an index that begins with the referring fields; nil
    /// if the key itself does.
    public let index: Int?
  }

  /// Resolves a definition that has been validated.
  ///
  /// - Parameters:
  ///   - id: the collection's id.
  ///   - definition: the definition; see ``CollectionDefinition/validate()``.
  ///   - physicalName: the engine's own name.
  ///   - indexes: id and physical name of each index of the definition, in order.
  /// - Throws: ``StorageError/Code/invalidSchema`` if names do not resolve.
  public init(
    id: Int,
    definition: CollectionDefinition,
    physicalName: String,
    indexes: [(id: Int, physicalName: String)]
  ) throws(StorageError) {
    self.id = id
    self.definition = definition
    self.physicalName = physicalName
    var positions: [String: Int] = [:]
    for (position, field) in definition.fields.enumerated() { positions[field.name] = position }
    func resolve(_ names: [String]) throws(StorageError) -> [Int] {
      var resolved: [Int] = []
      for name in names {
        guard let position = positions[name] else {
          throw StorageError(
            .invalidSchema,
            "collection \(definition.name) has no field \(name)"
          )
        }
        resolved.append(position)
      }
      return resolved
    }
    guard indexes.count == definition.indexes.count else {
      throw StorageError(.invalidSchema, "collection \(definition.name): index ids do not match")
    }
    keyPositions = try resolve(definition.key)
    var resolvedIndexes: [Index] = []
    for (index, identity) in zip(definition.indexes, indexes) {
      resolvedIndexes.append(
        Index(
          id: identity.id,
          definition: index,
          physicalName: identity.physicalName,
          positions: try resolve(index.fields)
        )
      )
    }
    self.indexes = resolvedIndexes
    var resolvedReferences: [Reference] = []
    for reference in definition.references {
      let index = definition.indexes.firstIndex { $0.fields.starts(with: reference.fields) }
      guard index != nil || definition.key.starts(with: reference.fields) else {
        throw StorageError(
          .invalidSchema,
          "reference \(reference.name) of \(definition.name) has no index over its fields; add one"
        )
      }
      resolvedReferences.append(
        Reference(
          definition: reference,
          positions: try resolve(reference.fields),
          index: definition.key.starts(with: reference.fields) ? nil : index
        )
      )
    }
    references = resolvedReferences
    self.positions = positions
    rules = definition.fields.map { field in
      FieldCheck.Rule(
        type: field.type,
        kind: field.type.storedKind,
        allowsNull: field.isOptional
          || (definition.hasAutomaticKey && field.name == definition.key.first)
      )
    }
    hasIntegerKey = keyPositions.count == 1 && rules[keyPositions[0]].type == .integer
  }

  /// The collection's name.
  public var name: String { definition.name }
  /// The fields, in stored order.
  public var fields: [FieldDefinition] { definition.fields }
  /// The position of the automatic key's field, or nil if the key is not automatic.
  public var automaticKeyPosition: Int? { definition.hasAutomaticKey ? keyPositions[0] : nil }

  /// The position of a field.
  ///
  /// - Throws: ``StorageError/Code/unknownField`` if there is none of that name.
  public func position(of field: String) throws(StorageError) -> Int {
    guard let position = positions[field] else {
      throw StorageError(
        .unknownField,
        "collection \(name) has no field \(field); it has \(fields.map(\.name).joined(separator: ", "))"
      )
    }
    return position
  }
}
