/// What a store holds, as kept in the store itself: every backend writes this one structure in its
/// own format, so that tools read a store without the application.
public struct Catalog: Sendable {
  /// The newest catalog format that this version of Holdfast reads and writes.
  public static let currentFormat = 1

  /// The format in which the store was written.
  public var format: Int
  /// Counts schema changes; a change of it invalidates everything prepared.
  public var schemaVersion: Int64
  /// The next id for a collection or index; ids are never reused.
  public var nextID: Int
  private var shared: Shared

  /// What only a change of the schema touches.
  private struct Content {
    var storeID: String
    var collections: [Collection] = []
    var migrations: [String] = []
    var byName: [String: Collection] = [:]
  }

  /// The content of all copies: each transaction has one, and makes it by counting one reference up.
  private final class Shared: Sendable {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  /// Creates the catalog of an empty store.
  public init(storeID: String) {
    format = Self.currentFormat
    schemaVersion = 1
    nextID = 1
    shared = Shared(Content(storeID: storeID))
  }

  private var content: Content {
    get { shared.content }
    set { shared = Shared(newValue) }
  }

  /// The store's identity, chosen when it was created.
  public var storeID: String {
    get { shared.content.storeID }
    set { content.storeID = newValue }
  }

  /// The collections, in order of creation.
  public private(set) var collections: [Collection] {
    get { shared.content.collections }
    set { content.collections = newValue }
  }

  /// The names of the migrations that were applied, in order.
  public private(set) var migrations: [String] {
    get { shared.content.migrations }
    set { content.migrations = newValue }
  }

  private var byName: [String: Collection] {
    get { shared.content.byName }
    set { content.byName = newValue }
  }

  /// The collection of that exact name, or nil.
  public func collection(named name: String) -> Collection? {
    let collections = shared.content.collections
    // Comparing a few names is cheaper than hashing one.
    if collections.count > 8 { return shared.content.byName[name] }
    return collections.first { $0.name == name }
  }

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
    let definition = definition.completed()
    try definition.validate()
    try checkFree(definition.name, except: nil)
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

  /// Gives a collection another definition and counts a schema change.
  ///
  /// It keeps its id and physical name. Indexes over the same fields and of the same uniqueness keep
  /// theirs, under another name too, where the rows keep their shape; all others get fresh ids.
  ///
  /// - Parameters:
  ///   - collection: what is changed.
  ///   - definition: what it becomes; validated here.
  ///   - change: how rows change, or nil if they keep their shape: as many fields, of the same
  ///     types, in the same order.
  ///   - physicalName: as in ``add(_:physicalName:)``, asked for the new indexes.
  /// - Returns: the collection as it is from now on.
  /// - Throws: ``StorageError/Code/unknownCollection`` if the catalog has no such collection;
  ///   as ``add(_:physicalName:)``.
  public mutating func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?,
    physicalName: (_ name: String, _ id: Int, _ isIndex: Bool) -> String
  ) throws(StorageError) -> Collection {
    let position = try position(of: collection)
    let definition = definition.completed()
    try definition.validate()
    try checkFree(definition.name, except: collection)
    var positions: [String: Int] = [:]
    for (position, field) in definition.fields.enumerated() { positions[field.name] = position }
    var next = nextID
    var indexes: [(id: Int, physicalName: String)] = []
    for index in definition.indexes {
      let kept = collection.indexes.first { old in
        change == nil && old.definition.isUnique == index.isUnique
          && old.positions == index.fields.map { positions[$0] }
          && !indexes.contains { $0.id == old.id }
          && (old.definition.name == index.name
            || !definition.indexes.contains { $0.name == old.definition.name })
      }
      if let kept {
        indexes.append((kept.id, kept.physicalName))
      } else {
        indexes.append((next, physicalName("\(definition.name)_\(index.name)", next, true)))
        next += 1
      }
    }
    let redefined = try Collection(
      id: collection.id,
      definition: definition,
      physicalName: collection.physicalName,
      indexes: indexes
    )
    nextID = next
    schemaVersion += 1
    collections[position] = redefined
    byName[collection.name] = nil
    byName[redefined.name] = redefined
    return redefined
  }

  /// Removes a collection and counts a schema change.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection`` if the catalog has no such collection.
  public mutating func remove(_ collection: Collection) throws(StorageError) {
    collections.remove(at: try position(of: collection))
    byName[collection.name] = nil
    schemaVersion += 1
  }

  /// Sets the names of the applied migrations and counts a schema change.
  public mutating func setMigrations(_ names: [String]) {
    migrations = names
    schemaVersion += 1
  }

  /// Restores the names of the applied migrations while a catalog is being read.
  public mutating func restore(migrations names: [String]) { migrations = names }

  /// The collections that refer to the one of that name, with the references that do, in order of
  /// creation.
  public func referrers(
    to name: String
  ) -> [(collection: Collection, reference: Collection.Reference)] {
    collections.flatMap { collection in
      collection.references.filter { $0.definition.target == name }.map { (collection, $0) }
    }
  }

  private func position(of collection: Collection) throws(StorageError) -> Int {
    guard let position = collections.firstIndex(where: { $0.id == collection.id }) else {
      throw StorageError(
        .unknownCollection,
        "the store has no collection \(collection.name) any more"
      )
    }
    return position
  }

  private func checkFree(_ name: String, except kept: Collection?) throws(StorageError) {
    let folded = Name.folded(name)
    for existing in collections where Name.folded(existing.name) == folded {
      if existing.id == kept?.id { continue }
      throw StorageError(
        .nameConflict,
        "collection \(name): the store already has a collection \(existing.name)"
      )
    }
  }

  /// Restores a collection while a catalog is being read, in place of the one with its id if there
  /// is one.
  public mutating func restore(_ collection: Collection) {
    if let position = collections.firstIndex(where: { $0.id == collection.id }) {
      byName[collections[position].name] = nil
      collections[position] = collection
      byName[collection.name] = collection
      return
    }
    collections.append(collection)
    byName[collection.name] = collection
  }
}
