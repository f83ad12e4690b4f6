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

  /// Removes a collection with its records and indexes.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``; what the engine throws.
  public func dropCollection(_ collection: Collection) throws(StorageError) {
    let prepared = try prepare(collection)
    var changed = catalog
    try changed.remove(collection)
    changes += 1
    closeAllCursors()
    try storeBacklogs()
    encodeSequenceKey(prepared)
    _ = try transaction.delete(session.longKey.bytes, in: session.schema.sequenceTable)
    for table in prepared.tables.indexes { try transaction.dropTable(table) }
    try transaction.dropTable(prepared.tables.rows)
    let entries = CatalogEntries(transaction, session.schema.catalogTable)
    try entries.remove(collection)
    try entries.writeHead(changed)
    created[collection.id] = nil
    session.forget { $0 == collection.id }
    catalog = changed
  }

  /// Gives a collection another definition.
  ///
  /// - Throws: whatever ``Catalog/redefine(_:as:rows:physicalName:)`` and ``RowChange/apply(_:)``
  ///   throw; ``StorageError/Code/uniqueViolation``; what the engine throws. Some of it is done then.
  public func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    var changed = catalog
    let redefined = try changed.redefine(
      collection,
      as: definition,
      rows: change,
      physicalName: CatalogCoding.physicalName
    )
    try rebuild(collection, as: redefined, changed, rows: change)
    return redefined
  }

  /// Gives a collection the definition, ids and physical names that another place has given it.
  ///
  /// For backends that keep their own catalog over this storage.
  /// - Throws: ``StorageError/Code/unknownCollection`` if there is none with its id; as
  ///   ``redefine(_:as:rows:)``.
  public func restoreRedefined(_ redefined: Collection, rows change: RowChange?)
    throws(StorageError)
  {
    guard let collection = catalog.collections.first(where: { $0.id == redefined.id }) else {
      throw StorageError(
        .unknownCollection,
        "the store has no collection \(redefined.name) to change"
      )
    }
    var changed = catalog
    changed.restore(redefined)
    changed.nextID = max(changed.nextID, (redefined.indexes.map(\.id).max() ?? 0) + 1)
    changed.schemaVersion += 1
    try rebuild(collection, as: redefined, changed, rows: change)
  }

  /// Sets the names of the applied migrations.
  public func setMigrations(_ names: [String]) throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    var changed = catalog
    changed.setMigrations(names)
    changes += 1
    let entries = CatalogEntries(transaction, session.schema.catalogTable)
    try entries.writeMigrations(changed)
    try entries.writeHead(changed)
    catalog = changed
  }

  /// Brings tables and rows in the form of a new definition.
  private func rebuild(
    _ collection: Collection,
    as redefined: Collection,
    _ changed: Catalog,
    rows change: RowChange?
  ) throws(StorageError) {
    let old = try prepare(collection)
    if old.isAutomaticKeyDirty { try writeAutomaticKey(old) }
    changes += 1
    closeAllCursors()
    try storeBacklogs()
    var tables = CollectionTables(rows: old.tables.rows, indexes: [])
    var isFresh: [Bool] = []
    for index in redefined.indexes {
      let kept = collection.indexes.firstIndex { $0.id == index.id }
      isFresh.append(kept == nil)
      if let kept {
        tables.indexes.append(old.tables.indexes[kept])
      } else {
        let name = CatalogCoding.tableName(ofIndex: index.id)
        tables.indexes.append(try transaction.createTable(name))
      }
    }
    for (index, table) in zip(collection.indexes, old.tables.indexes)
    where !redefined.indexes.contains(where: { $0.id == index.id }) {
      try transaction.dropTable(table)
    }
    let entries = CatalogEntries(transaction, session.schema.catalogTable)
    try entries.write(redefined)
    try entries.writeHead(changed)
    created[collection.id] = tables
    session.forget { $0 == collection.id }
    catalog = changed
    if change != nil || isFresh.contains(true) {
      try rebuildRows(from: old, to: try prepare(redefined), isFresh: isFresh, change)
    }
  }

  /// Writes every row in its new form, and the entries of fresh indexes.
  private func rebuildRows(
    from old: BoundCollection,
    to new: BoundCollection,
    isFresh: [Bool],
    _ change: RowChange?
  ) throws(StorageError) {
    let cursor = try transaction.openCursor(in: new.tables.rows)
    defer { cursor.close() }
    var isFound = try cursor.first()
    while isFound {
      session.key.removeAll()
      session.key.append(cursor.key)
      var row = try old.decode(cursor.value)
      if let change { row = try change.apply(row) }
      // All of it is encoded before the first write, after which the row's bytes may be gone.
      session.value.removeAll()
      RowCoding.append(row, new.shapes, replacing: -1, with: 0, to: session.value)
      for index in new.indexes {
        index.encodeNew(row, automatic: nil, position: -1, key: session.key.bytes)
      }
      if change != nil {
        try transaction.put(session.key.bytes, session.value.bytes, in: new.tables.rows)
      }
      for (position, index) in new.indexes.enumerated() where isFresh[position] {
        let table = new.tables.indexes[position]
        try checkUniqueness(index, table, new)
        try storeLater(index, table)
      }
      isFound = try cursor.seek(session.key.bytes)
      if isFound { isFound = try cursor.next() }
    }
    try storeBacklogs()
    closeAllCursors()
  }

  /// Sets what the catalog says of the store itself; nil leaves a part as it is.
  ///
  /// For backends that keep their own catalog over this storage. A catalog with other collections
  /// needs another schema version. The next id never goes down.
  public func setCatalog(
    storeID: String? = nil,
    schemaVersion: Int64? = nil,
    nextID: Int? = nil,
    migrations: [String]? = nil
  ) throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    var changed = catalog
    changed.storeID = storeID ?? changed.storeID
    changed.schemaVersion = schemaVersion ?? changed.schemaVersion
    changed.nextID = max(nextID ?? 0, changed.nextID)
    changes += 1
    let entries = CatalogEntries(transaction, session.schema.catalogTable)
    if let migrations {
      changed.restore(migrations: migrations)
      try entries.writeMigrations(changed)
    }
    try entries.writeHead(changed)
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
