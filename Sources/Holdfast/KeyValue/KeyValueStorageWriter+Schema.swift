extension KeyValueStorageWriter {
  /// Creates a collection with its indexes.
  ///
  /// - Throws: whatever ``Catalog/add(_:physicalName:)`` throws; what the engine throws.
  public func createCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    guard isOpen else { throw Self.closedError }
    var changed = catalog
    let collection = try changed.add(definition, physicalName: CatalogCoding.physicalName)
    try createTables(of: collection, changed)
    return collection
  }

  /// Creates a collection that another place has defined, with the ids and physical names that it
  /// has there; the next id is kept above them.
  ///
  /// For backends that keep their own catalog over this storage.
  /// - Throws: ``StorageError/Code/nameConflict`` if its name or one of its ids is in use; what the
  ///   engine throws.
  public func restoreCollection(_ collection: Collection) throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    let folded = Name.folded(collection.name)
    for existing in catalog.collections
    where existing.id == collection.id || Name.folded(existing.name) == folded {
      throw StorageError(
        .nameConflict,
        "collection \(collection.name): the store already has a collection \(existing.name)"
      )
    }
    var changed = catalog
    changed.restore(collection)
    changed.nextID = max(
      changed.nextID,
      collection.id + 1,
      (collection.indexes.map(\.id).max() ?? 0) + 1
    )
    changed.schemaVersion += 1
    try createTables(of: collection, changed)
  }

  /// Sets what the catalog says of the store itself; nil leaves a part as it is.
  ///
  /// For backends that keep their own catalog over this storage. A catalog with other collections
  /// needs another schema version. The next id never goes down.
  public func setCatalog(storeID: String? = nil, schemaVersion: Int64? = nil, nextID: Int? = nil)
    throws(StorageError)
  {
    guard isOpen else { throw Self.closedError }
    var changed = catalog
    changed.storeID = storeID ?? changed.storeID
    changed.schemaVersion = schemaVersion ?? changed.schemaVersion
    changed.nextID = max(nextID ?? 0, changed.nextID)
    changes += 1
    try CatalogEntries(transaction, session.schema.catalogTable).writeHead(changed)
    catalog = changed
  }

  private func createTables(of collection: Collection, _ changed: Catalog) throws(StorageError) {
    changes += 1
    let rows = try transaction.createTable(CatalogCoding.tableName(ofCollection: collection.id))
    var indexes: [KeyValueTable] = []
    for index in collection.indexes {
      indexes.append(try transaction.createTable(CatalogCoding.tableName(ofIndex: index.id)))
    }
    let entries = CatalogEntries(transaction, session.schema.catalogTable)
    try entries.write(collection)
    try entries.writeHead(changed)
    created[collection.id] = CollectionTables(rows: rows, indexes: indexes)
    catalog = changed
  }
}
