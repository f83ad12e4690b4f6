import CSQLite
import Holdfast

/// One connection to the database, with the catalog that it last read and its prepared statements.
///
/// Used by one thread at a time: ``ConnectionPool`` hands it from one to the next under its lock.
final class SQLiteConnection {
  let handle: OpaquePointer
  /// How much one statement may hold.
  let limits: SQLLimits
  /// The catalog as this connection sees it now.
  private(set) var catalog = Catalog(storeID: "")
  /// What ``takeExternalChange()`` found last; nil on a connection that came in place of another.
  private var dataVersion: Int64?
  /// Counts transactions, so that what was learned in one is not believed in the next.
  var transactionNumber = 0

  private let catalogs: CatalogCache
  private let log: StatementLog?
  private var isCatalogValid = false
  private var tables: [Int: SQLiteTable] = [:]
  private var lastTable: SQLiteTable?
  private var queries = StatementCache()
  private var fixed = FixedStatement.noneYet
  let own = OwnStatements()
  /// Whether something is on the connection that is not this backend's to remove.
  var isSpoiled = false
  private var timeout: Int32 = -1
  private var isClosed = false

  /// Statements that every connection needs, prepared once.
  enum FixedStatement: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback, savepoint, release, rollbackTo, version, counter
    case dataVersion

    var text: SQLText {
      switch self {
      case .begin: SQLText("BEGIN")
      case .beginImmediate: SQLText("BEGIN IMMEDIATE")
      case .commit: SQLText("COMMIT")
      case .rollback: SQLText("ROLLBACK")
      // Of several savepoints of one name, SQLite means the innermost.
      case .savepoint: SQLText("SAVEPOINT \"holdfast\"")
      case .release: SQLText("RELEASE \"holdfast\"")
      case .rollbackTo: SQLText("ROLLBACK TO \"holdfast\"")
      case .version: SQLText("SELECT \"schema_version\" FROM \"holdfast_catalog\"")
      case .counter: SQLText("SELECT \"seq\" FROM sqlite_sequence WHERE \"name\" = ?1")
      case .dataVersion: SQLText("PRAGMA data_version")
      }
    }

    static var noneYet: [SQLiteStatement?] { Array(repeating: nil, count: allCases.count) }
  }

  /// Takes over an open database handle.
  init(_ handle: OpaquePointer, catalogs: CatalogCache, log: StatementLog?) {
    self.handle = handle
    self.catalogs = catalogs
    self.log = log
    limits = SQLLimits(
      parameters: Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)),
      depth: Int(sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, -1))
    )
    log?.attach(to: handle)
  }

  deinit {
    if !isClosed {
      releaseStatements()
      // There is nobody to report to; SQLite keeps the handle until its statements are gone.
      _ = sqlite3_close_v2(handle)
    }
  }

  // MARK: Transactions

  /// Begins a snapshot, pinned by reading the catalog's row: BEGIN alone does not pin it.
  func beginReading() throws(StorageError) {
    try statement(.begin).run("begin a snapshot")
    transactionNumber += 1
    try refreshOrRollBack()
  }

  /// Begins the write transaction, waiting for other processes at most `timeout`.
  func beginWriting() throws(StorageError) {
    try statement(.beginImmediate).run("begin a write transaction")
    transactionNumber += 1
    try refreshOrRollBack()
  }

  private func refreshOrRollBack() throws(StorageError) {
    do throws(StorageError) {
      try refreshCatalog()
      catalogs.offer(catalog)
    } catch {
      rollBack()
      throw error
    }
  }

  /// Ends a transaction without keeping its changes.
  ///
  /// - Returns: whether the connection can be used again.
  @discardableResult
  func rollBack() -> Bool {
    if sqlite3_get_autocommit(handle) != 0 { return !isSpoiled }
    do throws(StorageError) {
      try statement(.rollback).run("roll back")
    } catch {
      // A connection that cannot roll back is closed, which rolls back.
    }
    return !isSpoiled && sqlite3_get_autocommit(handle) != 0
  }

  /// How long calls wait for locks of other connections.
  func setTimeout(_ milliseconds: Int32) {
    if milliseconds == timeout { return }
    timeout = milliseconds
    // Only fails for a handle that is no connection.
    _ = sqlite3_busy_timeout(handle, milliseconds)
  }

  // MARK: Other connections

  /// Begins to notice the commits of other connections.
  func watch() throws(StorageError) { dataVersion = try readDataVersion() }

  /// Whether another connection has committed since this or ``watch()`` was last called; true where
  /// nothing is known.
  ///
  /// Called outside of transactions.
  func takeExternalChange() throws(StorageError) -> Bool {
    let last = dataVersion
    try watch()
    return last != dataVersion
  }

  private func readDataVersion() throws(StorageError) -> Int64 {
    let statement = try statement(.dataVersion)
    defer { statement.reset() }
    return try statement.step() ? statement.row().integer(0) : 0
  }

  // MARK: Catalog

  /// Reads the catalog again if its version is not the one that this connection knows.
  func refreshCatalog() throws(StorageError) {
    let statement = try statement(.version)
    guard try statement.step() else { throw StoredCatalog.damaged("its row is missing", self) }
    let version = sqlite3_column_int64(statement.handle, 0)
    statement.reset()
    if isCatalogValid, version == catalog.schemaVersion { return }
    forgetTables()
    if let known = catalogs.catalog(version) {
      catalog = known
    } else {
      catalog = try StoredCatalog.read(self)
    }
    isCatalogValid = true
  }

  /// Takes a catalog that this connection has just written.
  func setCatalog(_ changed: Catalog) { catalog = changed }

  /// Offers the catalog, now committed, to the other connections.
  func shareCatalog() { catalogs.offer(catalog) }

  /// Makes the next ``refreshCatalog()`` read everything: changes were rolled back.
  func invalidateCatalog() {
    isCatalogValid = false
    forgetTables()
  }

  /// Forgets what is prepared for collections, since their tables change.
  func forgetTables() {
    tables = [:]
    lastTable = nil
    queries.removeAll()
  }

  /// The prepared state of a collection.
  @inline(__always)
  func table(_ collection: Collection) -> SQLiteTable {
    if let lastTable, lastTable.collection === collection { return lastTable }
    return findTable(collection)
  }

  private func findTable(_ collection: Collection) -> SQLiteTable {
    if let known = tables[collection.id] {
      lastTable = known
      return known
    }
    let table = SQLiteTable(collection)
    tables[collection.id] = table
    lastTable = table
    return table
  }

  // MARK: Statements

  /// Prepares a statement that is kept.
  func prepare(_ text: SQLText, _ action: String = "prepare a statement") throws(StorageError)
    -> SQLiteStatement
  {
    var prepared: OpaquePointer?
    let status = text.bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        sqlite3_prepare_v3(
          handle,
          bytes.baseAddress,
          Int32(clamping: bytes.count),
          UInt32(SQLITE_PREPARE_PERSISTENT),
          &prepared,
          nil
        )
      }
    }
    guard status == SQLITE_OK, let prepared else {
      throw StorageError(sqlite: status, handle, action)
    }
    return SQLiteStatement(prepared, handle, own)
  }

  /// A statement that every connection needs.
  func statement(_ fixed: FixedStatement) throws(StorageError) -> SQLiteStatement {
    if let known = self.fixed[fixed.rawValue] { return known }
    let prepared = try prepare(fixed.text)
    self.fixed[fixed.rawValue] = prepared
    return prepared
  }

  /// Prepares a statement over a collection's table, which may not be what the catalog says.
  func prepare(_ text: SQLText, over collection: Collection) throws(StorageError)
    -> SQLiteStatement
  {
    do throws(StorageError) {
      return try prepare(text)
    } catch {
      guard error.engineCode == Int(SQLITE_ERROR),
        error.message.contains("no such") || error.message.contains("has no column")
      else { throw error }
      var damage = StoredCatalog.damaged(
        "the table of collection \(collection.name) does not match it",
        self
      )
      damage.underlying = error
      throw damage
    }
  }

  /// Takes the statement of a query for one use.
  func takeQuery(_ text: SQLText, over collection: Collection) throws(StorageError)
    -> SQLiteStatement
  {
    if let known = queries.take(text) { return known }
    return try prepare(text, over: collection)
  }

  /// Gives the statement of a query back, reset.
  func giveQuery(_ statement: SQLiteStatement, _ text: SQLText) {
    queries.give(statement, text)
  }

  /// Prepares and runs statements that are not worth keeping.
  func run(_ text: String, _ action: String = "write") throws(StorageError) {
    let status = sqlite3_exec(handle, text, nil, nil, nil)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, action) }
  }

  /// Prepares and runs one statement that is not worth keeping.
  func run(_ text: SQLText, _ action: StaticString) throws(StorageError) {
    try prepare(text, "\(action)").run(action)
  }

  /// The rows of a statement that is not worth keeping.
  func rows(_ text: String, _ action: String = "read", _ parameters: [Value] = [])
    throws(StorageError) -> [[Value]]
  {
    let statement = try prepare(SQLText(text), action)
    try statement.bind(parameters.map { .value($0) })
    var rows: [[Value]] = []
    while try statement.step() { rows.append(try statement.row().values()) }
    return rows
  }

  // MARK: Closing

  private func releaseStatements() {
    forgetTables()
    fixed = FixedStatement.noneYet
  }

  /// Closes the connection.
  func close() throws(StorageError) {
    if isClosed { return }
    releaseStatements()
    let status = sqlite3_close(handle)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "close") }
    isClosed = true
  }
}
