import CSQLite
public import Holdfast

extension SQLiteStorage {
  /// Whether another connection has committed since this was last asked, or since opening; false
  /// while a writer is open.
  ///
  /// Never waits. The answer is SQLite's `data_version` on the writing connection, which its own
  /// commits do not change.
  public func takeExternalChange() throws(StorageError) -> Bool {
    try checkProcess()
    do throws(StorageError) {
      return try withConnection(of: writers, timeout: .zero) {
        (connection) throws(StorageError) in try connection.takeExternalChange()
      }
    } catch {
      // Whoever holds it is asked about later: the counter waits.
      guard error.code == .busy else { throw error }
      return false
    }
  }

  /// Rebuilds the database without unused pages, and empties the log.
  ///
  /// - Throws: `StorageError.Code.busy` while another connection writes or stays on an old snapshot;
  ///   `StorageError.Code.readOnly`, `StorageError.Code.corrupt`; what SQLite reports.
  public func compact(timeout: Duration) throws(StorageError) {
    try checkProcess()
    if opener.options.isReadOnly { throw Self.readOnlyError }
    let deadline = ContinuousClock.now + timeout
    try withConnection(of: writers, timeout: timeout) { (connection) throws(StorageError) in
      if DamagedFiles.contains(connection.path) {
        throw StorageError.sqlite(
          .corrupt,
          "\(connection.path) is damaged and cannot be compacted; restore a backup"
        )
      }
      try connection.run("VACUUM", "compact")
      let left = max(.zero, ContinuousClock.now.duration(to: deadline))
      connection.setTimeout(left.wholeMilliseconds)
      try connection.emptyLog()
    }
  }

  /// Copies one snapshot to a path where nothing is yet, while others read and write.
  ///
  /// The copy is one file without a log, and without unused pages.
  /// - Throws: `StorageError.Code.alreadyExists`, `StorageError.Code.cannotOpen`,
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.storageFull`; what SQLite reports.
  ///   Nothing is left at the path then.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    try checkProcess()
    let copy = try DatabaseCopy(of: opener.file, to: path)
    try withConnection(of: readers, timeout: timeout) { (connection) throws(StorageError) in
      try copy.make { (temporary) throws(StorageError) in
        _ = try connection.rows("VACUUM INTO ?1", "back up", [.text(temporary)])
      }
    }
  }

  /// Runs `body` on a connection outside of transactions.
  private func withConnection<T>(
    of pool: ConnectionPool,
    timeout: Duration,
    _ body: (SQLiteConnection) throws(StorageError) -> T
  ) throws(StorageError) -> T {
    let connection = try pool.take(timeout: timeout)
    connection.setTimeout(timeout.wholeMilliseconds)
    defer { pool.give(connection, isUsable: connection.rollBack()) }
    return try body(connection)
  }
}
