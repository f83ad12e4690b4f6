public import Holdfast

extension SQLiteWriter {
  /// Creates a collection with its indexes: a strict table with a typed column for each field.
  ///
  /// Tables that refer to it already declare it from now on; they are made again for that.
  /// - Throws: `StorageError.Code.nameConflict`, `StorageError.Code.invalidName`,
  ///   `StorageError.Code.invalidSchema`; what SQLite reports. Nothing is created then.
  public func createCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    try checkOpen()
    closeCursors()
    var names = try PhysicalNames(connection)
    var changed = catalog
    let collection = try changed.add(definition) { name, _, isIndex in
      names.take(name, isIndex: isIndex)
    }
    hasSchemaChanges = true
    try beginSavepoint()
    do throws(StorageError) {
      let table = TableDefinition.table(collection, named: collection.physicalName, in: changed)
      try connection.run(table, "create a table")
      for index in collection.indexes {
        try connection.createIndex(index, of: collection)
      }
      try declareReferences(to: collection, changed)
      try StoredCatalog.write(collection, changed, connection)
    } catch {
      try rollbackSavepoint()
      throw error
    }
    try releaseSavepoint()
    connection.setCatalog(changed)
    return collection
  }

  /// Removes a collection with its table and indexes.
  ///
  /// What other tables declare of it stays, for one of its name that may come.
  /// - Throws: `StorageError.Code.unknownCollection`; what SQLite reports.
  public func dropCollection(_ collection: Collection) throws(StorageError) {
    try checkOpen()
    closeCursors()
    var changed = catalog
    try changed.remove(collection)
    hasSchemaChanges = true
    connection.forgetTables()
    var text = SQLText("DROP TABLE ")
    text.appendName(collection.physicalName)
    try connection.run(text, "drop a table")
    try StoredCatalog.remove(collection, changed, connection)
    connection.setCatalog(changed)
  }

  /// Gives a collection another definition; see `TableRedefinition`.
  ///
  /// The table takes the collection's new name. Its indexes keep theirs: SQLite cannot rename them.
  /// - Throws: as ``createCollection(_:)``; `StorageError.Code.uniqueViolation`,
  ///   `StorageError.Code.invalidValue`. Some of it is done then.
  public func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    try checkOpen()
    closeCursors()
    var changed = catalog
    let draft = try changed.redefine(collection, as: definition, rows: change) { name, _, _ in name
    }
    let redefined = try named(draft, of: collection, change)
    changed.restore(redefined)
    hasSchemaChanges = true
    connection.forgetTables()
    var table = TableRedefinition(connection, from: collection, to: redefined, changed, change)
    try table.run()
    try declareReferences(to: redefined, changed)
    try StoredCatalog.write(redefined, changed, connection)
    connection.setCatalog(changed)
    return redefined
  }

  /// Sets the names of the applied migrations.
  public func setMigrations(_ names: [String]) throws(StorageError) {
    try checkOpen()
    closeCursors()
    var changed = catalog
    changed.setMigrations(names)
    hasSchemaChanges = true
    try StoredCatalog.writeMigrations(changed, connection)
    connection.setCatalog(changed)
  }

  /// Sets the largest automatic key that a collection has given out: the next one is one more.
  public func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError) {
    try checkOpen()
    closeCursors()
    connection.table(collection).roomCheckedIn = 0
    try connection.setCounter(of: collection, to: key)
  }

  /// The redefined collection with the names that its table and indexes get.
  private func named(_ draft: Collection, of collection: Collection, _ change: RowChange?)
    throws(StorageError) -> Collection
  {
    let kept = draft.indexesKept(of: collection, change)
    var names = try PhysicalNames(connection)
    for index in collection.indexes where !kept.contains(where: { $0?.id == index.id }) {
      names.free(index.physicalName)
    }
    var table = collection.physicalName
    if !draft.name.hasBytes(of: collection.name) {
      names.free(table)
      table = names.take(draft.name, isIndex: false)
    }
    return try Collection(
      id: draft.id,
      definition: draft.definition,
      physicalName: table,
      indexes: zip(draft.indexes, kept).map { index, kept in
        (index.id, kept?.physicalName ?? names.take(index.physicalName, isIndex: true))
      }
    )
  }

  /// Makes the tables that refer to a collection declare it as it is now.
  private func declareReferences(to collection: Collection, _ catalog: Catalog)
    throws(StorageError)
  {
    var seen: Set<Int> = [collection.id]
    for (referrer, _) in catalog.referrers(to: collection.name)
    where seen.insert(referrer.id).inserted {
      if try DeclaredReference.areCurrent(referrer, catalog, connection) { continue }
      try TableRebuild(connection, referrer, catalog, columns: referrer.fields.map(\.name), nil)
        .run()
    }
  }
}

extension SQLiteReader {
  /// The largest automatic key that a collection has given out or taken; 0 if none.
  public func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    try checkOpen()
    takeBackRow()
    return try connection.counter(of: collection)
  }
}

extension SQLiteConnection {
  /// What SQLite counts for a collection's automatic keys; 0 if it has none.
  func counter(of collection: Collection) throws(StorageError) -> Int64 {
    guard collection.definition.hasAutomaticKey else { return 0 }
    let statement = try statement(.counter)
    try statement.bind(.value(.text(collection.physicalName)), at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.row().integer(0) : 0
  }

  /// Sets what SQLite counts; nothing for a collection without automatic keys.
  func setCounter(of collection: Collection, to key: Int64) throws(StorageError) {
    guard collection.definition.hasAutomaticKey else { return }
    let table = Value.text(collection.physicalName)
    let action = "set a counter"
    _ = try rows("DELETE FROM sqlite_sequence WHERE \"name\" = ?1", action, [table])
    let insert = "INSERT INTO sqlite_sequence (\"name\", \"seq\") VALUES (?1, ?2)"
    _ = try rows(insert, action, [table, .integer(key)])
  }
}
