/// What a store holds, as kept in the store itself: every backend writes this one structure in its
/// own format, so that tools read a store without the application.
public struct Catalog: Sendable {
  /// The newest catalog format that this version of Holdfast reads and writes.
  public static let currentFormat = 1

  /// The format in which the store was written.
  public var format: Int
  /// The store's identity, chosen when it was created.
  public var storeID: String
  /// Counts schema changes; a change of it invalidates everything prepared.
  public var schemaVersion: Int64
  /// The next id for a collection or index; ids are never reused.
  public var nextID: Int
  /// The collections, in order of creation.
  public private(set) var collections: [Collection]
  private var byName: [String: Collection]

  /// Creates the catalog of an empty store.
  public init(storeID: String) {
    format = Self.currentFormat
    self.storeID = storeID
    schemaVersion = 1
    nextID = 1
    collections = []
    byName = [:]
  }

  /// The collection of that exact name, or nil.
  public func collection(named name: String) -> Collection? { byName[name] }

  /// Adds a collection and counts a schema change.
  ///
  /// - Parameters:
  ///   - definition: what to create; validated here.
  ///   - physicalName: gives the engine's own name for a collection or index, from its name and id.
  /// - Returns: the new collection.
  /// - Throws: ``StorageError/Code/nameConflict`` if a collection of that name, or one that
  ///   differs only in ASCII case, exists; whatever ``CollectionDefinition/validate()`` throws.
  public mutating func add(
    _ definition: CollectionDefinition,
    physicalName: (_ name: String, _ id: Int, _ isIndex: Bool) -> String
  ) throws(StorageError) -> Collection {
    try definition.validate()
    let folded = Name.folded(definition.name)
    for existing in collections where Name.folded(existing.name) == folded {
      throw StorageError(
        .nameConflict,
        "collection \(definition.name): the store already has a collection \(existing.name)"
      )
    }
    let id = nextID
    var next = id + 1
    var indexes: [(id: Int, physicalName: String)] = []
    for index in definition.indexes {
      indexes.append(
        (next, physicalName("\(definition.name)_\(index.name)", next, true))
      )
      next += 1
    }
    let collection = try Collection(
      id: id,
      definition: definition,
      physicalName: physicalName(definition.name, id, false),
      indexes: indexes
    )
    nextID = next
    schemaVersion += 1
    collections.append(collection)
    byName[collection.name] = collection
    return collection
  }

  /// Restores a collection while a catalog is being read.
  public mutating func restore(_ collection: Collection) {
    collections.append(collection)
    byName[collection.name] = collection
  }
}
