import CSQLite
public import Holdfast

/// The write transaction of a SQLite store; see `StorageWriter`.
public final class SQLiteWriter: SQLiteReader, StorageWriter {
  private var isCommitted = false
  var hasSchemaChanges = false

  /// Adds a record.
  ///
  /// - Throws: `StorageError.Code.duplicateKey`, `StorageError.Code.uniqueViolation`,
  ///   `StorageError.Code.overflow`; what SQLite reports.
  public func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    let table = try prepareToWrite(collection)
    let isAutomatic = table.automaticKey >= 0
    if isAutomatic, row.isNull(table.automaticKey) { try checkRoom(table) }
    let statement = try table.insert(connection)
    try statement.bind(row)
    let status = sqlite3_step(statement.handle)
    guard status == SQLITE_DONE else {
      throw try cause(statement.failure(status, "insert"), row, table, isInsert: true)
    }
    statement.reset()
    return isAutomatic ? automaticKey(table) : nil
  }

  /// Replaces the record with the row's key.
  ///
  /// - Returns: false if there is none.
  /// - Throws: `StorageError.Code.uniqueViolation`; what SQLite reports.
  public func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    let table = try prepareToWrite(collection)
    if table.otherPositions.isEmpty { return try holds(row, table) }
    let statement = try table.update(connection)
    try statement.bind(row)
    let status = sqlite3_step(statement.handle)
    guard status == SQLITE_DONE else {
      throw try cause(statement.failure(status, "update"), row, table, isInsert: false)
    }
    statement.reset()
    return sqlite3_changes(connection.handle) > 0
  }

  /// Inserts, or replaces the record with the row's key; never removes another record.
  ///
  /// - Throws: `StorageError.Code.uniqueViolation`, `StorageError.Code.overflow`; what SQLite
  ///   reports.
  public func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    let table = try prepareToWrite(collection)
    let isFresh = table.automaticKey >= 0 && row.isNull(table.automaticKey)
    if isFresh { try checkRoom(table) }
    let statement = try table.put(connection)
    try statement.bind(row)
    let status = sqlite3_step(statement.handle)
    guard status == SQLITE_DONE else {
      throw try cause(statement.failure(status, "put"), row, table, isInsert: false)
    }
    statement.reset()
    if isFresh { return automaticKey(table) }
    guard table.automaticKey >= 0 else { return nil }
    table.roomCheckedIn = 0
    return row.integer(table.automaticKey)
  }

  /// Removes a record.
  ///
  /// - Returns: whether there was one.
  public func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    let table = try prepareToWrite(collection)
    let statement = try table.delete(connection)
    try statement.bind(key)
    try statement.run("delete")
    return sqlite3_changes(connection.handle) > 0
  }

  /// Removes all records of one collection, and of no other.
  ///
  /// - Returns: how many there were.
  public func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    _ = try prepareToWrite(collection)
    var text = SQLText("DELETE FROM ")
    text.appendName(collection.physicalName)
    try connection.prepare(text).run("delete")
    return Int(sqlite3_changes64(connection.handle))
  }

  /// Yes: `CREATE INDEX` sorts, and fills the pages of the index one after the other.
  public var makesIndexesFasterLast: Bool { true }

  // MARK: Savepoints

  /// Opens a savepoint inside the innermost one.
  public func beginSavepoint() throws(StorageError) {
    try checkOpen()
    takeBackRow()
    try connection.statement(.savepoint).run("begin a savepoint")
  }

  /// Ends the innermost savepoint and keeps its changes.
  public func releaseSavepoint() throws(StorageError) {
    try checkOpen()
    closeCursors()
    try connection.statement(.release).run("end a savepoint")
  }

  /// Ends the innermost savepoint and undoes its changes.
  public func rollbackSavepoint() throws(StorageError) {
    try checkOpen()
    closeCursors()
    try connection.statement(.rollbackTo).run("roll back a savepoint")
    try connection.statement(.release).run("end a savepoint")
    // A collection that was created inside is gone, and its prepared statements with it.
    if hasSchemaChanges {
      connection.invalidateCatalog()
      try connection.refreshCatalog()
    }
  }

  // MARK: Ending

  /// Makes the changes durable, as the store's durability says, and ends the transaction.
  public func commit() throws(StorageError) {
    try checkOpen()
    closeCursors()
    try connection.statement(.commit).run("commit")
    isCommitted = true
    if hasSchemaChanges { connection.shareCatalog() }
  }

  override func finish() -> Bool {
    if isCommitted { return true }
    let isUsable = connection.rollBack()
    if hasSchemaChanges { connection.invalidateCatalog() }
    return isUsable
  }

  private func prepareToWrite(_ collection: Collection) throws(StorageError) -> SQLiteTable {
    try checkOpen()
    takeBackRow()
    return connection.table(collection)
  }

  // MARK: Automatic keys

  private func automaticKey(_ table: SQLiteTable) -> Int64 {
    let key = sqlite3_last_insert_rowid(connection.handle)
    if key == .max { table.roomCheckedIn = 0 }
    return key
  }

  /// Refuses an automatic key where the counter is at its end.
  ///
  /// SQLite would report that as a full disk and roll the whole transaction back. Checked once a
  /// transaction: a key that was given out and is not the last says that there is room.
  private func checkRoom(_ table: SQLiteTable) throws(StorageError) {
    if table.roomCheckedIn == connection.transactionNumber { return }
    let statement = try connection.statement(.counter)
    try statement.bind(.value(.text(table.collection.physicalName)), at: 1)
    let isFull = try statement.step() && sqlite3_column_int64(statement.handle, 0) == .max
    statement.reset()
    if isFull {
      throw StorageError.sqlite(
        .overflow,
        "collection \(table.collection.name) has no automatic key left; give the key yourself"
      )
    }
    table.roomCheckedIn = connection.transactionNumber
  }
}
