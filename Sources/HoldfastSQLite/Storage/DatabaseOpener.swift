import CSQLite
import Foundation
import Holdfast

/// Opens connections to one database, the first one with all checks.
final class DatabaseOpener: Sendable {
  let file: DatabaseFile
  let options: StorageOptions
  private let log: StatementLog?
  private let catalogs = CatalogCache()
  /// Whether there was a log before; without one, reading alone makes the files beside the database.
  private let hadLog: Bool

  init(_ file: DatabaseFile, _ options: StorageOptions, _ log: StatementLog?) {
    self.file = file
    self.options = options
    self.log = log
    hadLog = file.size("-wal") != nil
  }

  // MARK: Opening

  /// Opens the first connection: the writing one, or a reading one of a store that only reads.
  func open() throws(StorageError) -> (connection: SQLiteConnection, wasCreated: Bool) {
    switch try file.inspect() {
    case .database: return (try openFirst(), false)
    case .missing, .empty:
      guard options.createsIfMissing, !options.isReadOnly else {
        throw StorageError.sqlite(
          .cannotOpen,
          "there is no store at \(file.path); create it or check the path"
        )
      }
      let wasCreated = try create()
      return (try openFirst(), wasCreated)
    }
  }

  /// Opens the first connection again after all were closed, with the same checks.
  func reopen() throws(StorageError) -> SQLiteConnection {
    catalogs.clear()
    guard try file.inspect() == .database else {
      throw StorageError.sqlite(
        .cannotOpen,
        "there is no store at \(file.path) any more; restore it or close the store"
      )
    }
    return try openFirst()
  }

  /// Opens the first connection; a crash while the store was created can have left half of it and a
  /// journal, which SQLite rolls back when it is asked.
  private func openFirst() throws(StorageError) -> SQLiteConnection {
    func open() throws(StorageError) -> SQLiteConnection {
      options.isReadOnly ? try openReader(isFirst: true) : try openWriter(isFirst: true)
    }
    do throws(StorageError) {
      return try open()
    } catch {
      guard error.code == .wrongKind || error.code == .corrupt, !options.isReadOnly,
        let journal = file.size("-journal"), journal > 0
      else { throw error }
    }
    let connection = try connect(SQLITE_OPEN_READWRITE)
    _ = try? connection.rows("SELECT count(*) FROM sqlite_schema")
    try connection.close()
    return try open()
  }

  /// Opens a connection that writes; the first one checks what file it is.
  func openWriter(isFirst: Bool = false) throws(StorageError) -> SQLiteConnection {
    do throws(StorageError) {
      return try prepareWriter(isFirst: isFirst)
    } catch {
      // What SQLite calls read-only is a file or folder that this process may not write.
      guard error.code == .readOnly else { throw error }
      throw StorageError(
        .permissionDenied,
        error.message,
        backend: error.backend,
        engineCode: error.engineCode
      )
    }
  }

  private func prepareWriter(isFirst: Bool) throws(StorageError) -> SQLiteConnection {
    let connection = try connect(SQLITE_OPEN_READWRITE, isFirst: isFirst)
    guard sqlite3_db_readonly(connection.handle, "main") == 0 else {
      throw StorageError.sqlite(
        .permissionDenied,
        "\(file.path) cannot be written; check its permissions"
      )
    }
    try useLog(connection)
    try connection.run("PRAGMA synchronous = \(synchronous)", "open")
    #if canImport(Darwin)
    if options.durability == .full {
      try connection.run("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1", "open")
    }
    #endif
    try ExactSumFunctions.register(connection.handle)
    try checkCatalog(connection)
    return connection
  }

  /// Opens a connection that only reads; the first one checks what file it is.
  func openReader(isFirst: Bool = false) throws(StorageError) -> SQLiteConnection {
    do throws(StorageError) {
      return try openReader(file.path, SQLITE_OPEN_READONLY, isFirst: isFirst)
    } catch {
      // A folder that cannot be written takes no log. Without one there is nothing but the file.
      let isRefused =
        error.code == .cannotOpen || error.code == .permissionDenied
        || error.code == .readOnly
      guard options.isReadOnly, isRefused, (file.size("-wal") ?? 0) == 0 else { throw error }
    }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    return try openReader(file.immutableURI, flags, isFirst: isFirst)
  }

  private func openReader(_ path: String, _ flags: Int32, isFirst: Bool) throws(StorageError)
    -> SQLiteConnection
  {
    let connection = try connect(flags, path, isFirst: isFirst)
    try ExactSumFunctions.register(connection.handle)
    // Beside a writing connection, which has read it, the first snapshot does as well.
    if options.isReadOnly { try checkCatalog(connection) }
    return connection
  }

  private func connect(_ flags: Int32, _ path: String? = nil, isFirst: Bool = false)
    throws(StorageError) -> SQLiteConnection
  {
    let handle = try DatabaseFile.openHandle(path ?? file.path, flags)
    let connection = SQLiteConnection(handle, catalogs: catalogs, log: log)
    if isFirst { try file.checkHeader(handle) }
    // A database from elsewhere may hold triggers, views and damaged pages. References are the
    // core's to enforce, whatever SQLite was built to do.
    let status = holdfast_sqlite3_restrict(handle)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "open") }
    connection.setTimeout(options.timeout.wholeMilliseconds)
    try connection.run("PRAGMA cell_size_check = 1; PRAGMA cache_size = -8000", "open")
    return connection
  }

  private var synchronous: String {
    switch options.durability {
    case .full: "FULL"
    case .normal: "NORMAL"
    case .none: "OFF"
    }
  }

  /// Reads the catalog, the first look at the database's pages.
  private func checkCatalog(_ connection: SQLiteConnection) throws(StorageError) {
    do throws(StorageError) {
      try connection.beginReading()
      try connection.statement(.commit).run("open")
    } catch {
      guard error.engineCode == Int(SQLITE_ERROR) else { throw error }
      var damage = StoredCatalog.damaged("its tables are missing", connection)
      damage.underlying = error
      throw damage
    }
  }

  /// Puts the database into WAL mode, where it is not in it already.
  private func useLog(_ connection: SQLiteConnection) throws(StorageError) {
    let deadline = ContinuousClock.now + options.timeout
    while true {
      do throws(StorageError) {
        let mode = try connection.rows("PRAGMA journal_mode = WAL", "open")
        if mode == [[.text("wal")]] { return }
        throw StorageError.sqlite(
          .cannotOpen,
          "\(file.path) lies on a file system that cannot share memory; move it to a local disk"
        )
      } catch {
        // SQLite does not wait here by itself while another process is creating the store.
        guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
        usleep(1000)
      }
    }
  }

  // MARK: Creating

  /// Removes a log that belongs to a database which was here before: whoever has that open still
  /// uses it.
  private func removeOtherLog() throws(StorageError) {
    for suffix in ["-shm", "-wal"] where unlink(file.path + suffix) != 0 {
      let number = errno
      if number == ENOENT { continue }
      throw StorageError(
        .cannotOpen,
        "cannot remove \(file.path)\(suffix), which another store has left; remove it",
        backend: "sqlite",
        engineCode: Int(number)
      )
    }
  }

  /// Creates the store in one transaction with a rollback journal, so that the file's header says
  /// what it is from then on; false if another process was faster.
  private func create() throws(StorageError) -> Bool {
    let connection = try connect(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.run("PRAGMA synchronous = FULL; BEGIN EXCLUSIVE", "create a store")
    do throws(StorageError) {
      let tables = try connection.rows("SELECT \"name\" FROM sqlite_schema", "create a store")
      let isNew = tables.isEmpty
      if isNew {
        try removeOtherLog()
        try StoredCatalog.create(Catalog(storeID: UUID().uuidString), connection)
      }
      try connection.run("COMMIT", "create a store")
      try connection.close()
      if !isNew, try file.inspect() != .database { throw vanished }
      return isNew
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private var vanished: StorageError {
    .sqlite(.cannotOpen, "\(file.path) was emptied while it was being opened; try again")
  }

  // MARK: Closing

  /// Removes what reading alone left beside the database, if it was not there before.
  ///
  /// A connection that writes does so when it is the last one to close; anything else could take
  /// the files away under another process.
  func sweep() {
    guard options.isReadOnly, !hadLog, file.size("-wal") == 0,
      let handle = try? DatabaseFile.openHandle(file.path, SQLITE_OPEN_READWRITE)
    else { return }
    // Nothing is lost where this fails: an empty log stays.
    _ = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    _ = sqlite3_close(handle)
  }
}
