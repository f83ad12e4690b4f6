import CSQLite
public import Holdfast

/// A store in one SQLite database: a strict table with typed columns for each collection.
///
/// Readers never wait for the writer: the database is in WAL mode, with one writing connection and
/// a pool of reading ones. Several processes may use it at a time.
///
/// ```swift
/// let storage = try SQLiteStorage.open(path: "app.db", options: StorageOptions())
/// let store = Store(storage)
/// ```
public final class SQLiteStorage: Storage {
  /// See ``SQLiteReader``.
  public typealias Reader = SQLiteReader
  /// See ``SQLiteWriter``.
  public typealias Writer = SQLiteWriter

  /// What SQLite offers.
  public let capabilities: Capabilities
  /// Whether opening created the store, rather than finding it.
  public let wasCreated: Bool

  let opener: DatabaseOpener
  let readers: ConnectionPool
  /// The one connection that writes, or that watches others write if this store only reads.
  let writers: ConnectionPool
  private let forks = ForkDetector()

  /// Connections that are kept open when idle, and the most at a time.
  private static let idleReaders = 8
  private static let mostReaders = 64

  /// Opens the store at a path, creating it if that is asked for.
  ///
  /// A file that is refused is not changed.
  /// - Parameters:
  ///   - path: the database's file; SQLite keeps `-wal` and `-shm` files beside it while it is open.
  ///   - options: how to open it.
  /// - Returns: the open store.
  /// - Throws: `StorageError.Code.cannotOpen`, `StorageError.Code.wrongKind`,
  ///   `StorageError.Code.newerFormat`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.busy`.
  public static func open(path: String, options: StorageOptions) throws(StorageError)
    -> SQLiteStorage
  {
    try open(path: path, options: options, log: nil)
  }

  /// Opens the store with a record of all statements.
  package static func open(path: String, options: StorageOptions, log: StatementLog?)
    throws(StorageError) -> SQLiteStorage
  {
    let opener = DatabaseOpener(try DatabaseFile(path), options, log)
    let first = try opener.open()
    try first.connection.watch()
    return SQLiteStorage(opener, first.connection, wasCreated: first.wasCreated)
  }

  private init(_ opener: DatabaseOpener, _ connection: SQLiteConnection, wasCreated: Bool) {
    self.wasCreated = wasCreated
    self.opener = opener
    capabilities = Capabilities(
      backend: "sqlite",
      engine: "SQLite \(String(cString: sqlite3_libversion()))",
      maximumValueSize: Int(sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, -1)),
      sharesBetweenProcesses: true,
      isPersistent: true,
      noticesExternalChanges: true,
      backsUpOnline: true,
      explainsNatively: true,
      lendsNativeHandles: true
    )
    readers = ConnectionPool(limit: Self.mostReaders, idleLimit: Self.idleReaders) {
      () throws(StorageError) in try opener.openReader()
    }
    writers = ConnectionPool(limit: 1, idleLimit: 1) {
      () throws(StorageError) in
      opener.options.isReadOnly ? try opener.openReader() : try opener.openWriter()
    }
    writers.add(connection)
  }

  /// Begins a snapshot, pinned at this moment.
  ///
  /// - Throws: `StorageError.Code.busy`, `StorageError.Code.closed`; what SQLite reports.
  public func beginReading(timeout: Duration) throws(StorageError) -> SQLiteReader {
    try checkProcess()
    let connection = try readers.take(timeout: timeout)
    connection.setTimeout(timeout.wholeMilliseconds)
    do throws(StorageError) {
      try connection.beginReading()
    } catch {
      readers.give(connection, isUsable: connection.rollBack())
      throw error
    }
    return SQLiteReader(connection, readers)
  }

  /// Begins the one write transaction, waiting for other processes at most `timeout`.
  ///
  /// - Throws: `StorageError.Code.busy`, `StorageError.Code.closed`,
  ///   `StorageError.Code.readOnly`; what SQLite reports.
  public func beginWriting(timeout: Duration) throws(StorageError) -> SQLiteWriter {
    try checkProcess()
    if opener.options.isReadOnly { throw Self.readOnlyError }
    let connection = try writers.take(timeout: timeout)
    connection.setTimeout(timeout.wholeMilliseconds)
    do throws(StorageError) {
      try connection.beginWriting()
    } catch {
      writers.give(connection, isUsable: connection.rollBack())
      throw error
    }
    return SQLiteWriter(connection, writers)
  }

  /// Closes the store, moving what its log holds into the database.
  ///
  /// - Throws: what SQLite reports; everything is closed nevertheless.
  public func close() throws(StorageError) {
    try letGo(.closed)
  }

  static var readOnlyError: StorageError {
    .sqlite(.readOnly, "the store was opened read-only; open it for writing")
  }

  /// SQLite's locks belong to the process that took them.
  func checkProcess() throws(StorageError) {
    if forks.isForked {
      throw StorageError.sqlite(
        .closed,
        "the store was opened before this process was forked; open it again here"
      )
    }
  }
}

extension Duration {
  /// The duration for SQLite: whole milliseconds, not negative.
  var wholeMilliseconds: Int32 {
    let milliseconds = (self / .milliseconds(1)).rounded(.up)
    return milliseconds <= 0 ? 0 : milliseconds >= 2e9 ? 2_000_000_000 : Int32(milliseconds)
  }
}
