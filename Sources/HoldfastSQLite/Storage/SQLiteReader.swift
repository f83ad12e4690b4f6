import CSQLite
public import Holdfast

/// A snapshot of a SQLite store; see `StorageReader`.
public class SQLiteReader: StorageReader {
  let connection: SQLiteConnection
  private(set) var isEnded = false
  private let pool: ConnectionPool
  private var openCursors: [SQLiteCursor] = []
  private var native: SQLiteNative?
  /// The statement whose row `get(_:in:)` handed out last.
  private var lentStatement: SQLiteStatement?

  /// Takes over a connection on which a transaction has begun.
  init(_ connection: SQLiteConnection, _ pool: ConnectionPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit { end() }

  /// The catalog as of this snapshot; inside a writer, with its own changes.
  public var catalog: Catalog { connection.catalog }

  /// The record with that key, or nil.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`, `StorageError.Code.ioError`,
  ///   `StorageError.Code.corrupt`.
  /// - Complexity: O(log n).
  public func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    try checkOpen()
    takeBackRow()
    let statement = try connection.table(collection).get(connection)
    try statement.bind(key)
    guard try statement.step() else {
      statement.reset()
      return nil
    }
    lentStatement = statement
    return try statement.row()
  }

  /// Opens an ordered cursor over the primary key or an index.
  public func scan(_ scan: Scan) throws(StorageError) -> SQLiteCursor {
    // Ranges of a few values always fit, so there is no filter left over.
    try pushDown(scan.query).cursor
  }

  /// Runs a query natively, but for lists too long to bind and filters nested too deep.
  public func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<SQLiteCursor>? {
    try pushDown(query)
  }

  /// Computes aggregates natively, unless the filter cannot be.
  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    try checkOpen()
    return try run(aggregate)
  }

  /// What `EXPLAIN QUERY PLAN` says of the query's statement.
  public func nativePlan(of query: BoundQuery) throws(StorageError) -> [String] {
    try explain(query)
  }

  /// Ends the statements that run on the connection.
  public var interruption: (@Sendable () -> Void)? {
    nonisolated(unsafe) let handle = connection.handle
    // SQLite allows this from any thread while the connection is open.
    return { sqlite3_interrupt(handle) }
  }

  /// Lends the connection, as ``SQLiteNative``.
  ///
  /// - Throws: `StorageError.Code.nestedTransaction` if it is lent already.
  public func lendNative() throws(StorageError) -> Any {
    try checkOpen()
    if native != nil {
      throw StorageError.sqlite(
        .nestedTransaction,
        "the connection is lent already; use the handle of the body around this one"
      )
    }
    takeBackRow()
    try connection.beginNativeUse()
    let lent = SQLiteNative(connection.handle)
    native = lent
    return lent
  }

  /// Takes the connection back.
  ///
  /// - Throws: `StorageError.Code.transactionFailed` if the transaction is over, or statements are left.
  public func takeBackNative() throws(StorageError) {
    guard let native else { return }
    native.end()
    self.native = nil
    try connection.endNativeUse()
  }

  /// Ends the snapshot; a writer that was not committed is rolled back.
  public func end() {
    if isEnded { return }
    isEnded = true
    closeCursors()
    pool.give(connection, isUsable: finish())
  }

  /// Ends the transaction; false if the connection cannot be used again.
  func finish() -> Bool {
    // Rolling back also stops the statements that are left.
    if connection.isSpoiled { return connection.rollBack() }
    do throws(StorageError) {
      try connection.statement(.commit).run("end a snapshot")
      return true
    } catch {
      return connection.rollBack()
    }
  }

  // MARK: Scope

  func checkOpen() throws(StorageError) {
    if isEnded { throw Self.endedError }
  }

  static var endedError: StorageError {
    .sqlite(.transactionClosed, "the transaction has ended; use it only inside its body")
  }

  /// Resets the statement whose row was handed out.
  @inline(__always)
  func takeBackRow() {
    if let statement = lentStatement {
      statement.reset()
      lentStatement = nil
    }
  }

  func register(_ cursor: SQLiteCursor) {
    cursor.place = openCursors.count
    openCursors.append(cursor)
  }

  /// Takes a cursor's statement back for the next query.
  func takeBack(_ cursor: SQLiteCursor) {
    if let (statement, text) = cursor.surrender() { connection.giveQuery(statement, text) }
    guard let last = openCursors.popLast(), last !== cursor else { return }
    openCursors[cursor.place] = last
    last.place = cursor.place
  }

  /// Closes every cursor that its user left open.
  func closeCursors() {
    takeBackRow()
    for cursor in openCursors {
      if let (statement, text) = cursor.surrender() { connection.giveQuery(statement, text) }
    }
    openCursors.removeAll(keepingCapacity: true)
  }
}
