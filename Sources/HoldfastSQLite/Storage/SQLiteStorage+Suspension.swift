import CSQLite
public import Holdfast

extension SQLiteStorage {
  /// Moves what the log holds into the database and closes all connections: no lock is held and no
  /// file open until ``resume()``.
  ///
  /// - Throws: what SQLite reports; everything is closed nevertheless.
  public func suspend() throws(StorageError) { try letGo(.suspended) }

  /// Opens the database again, with the checks of opening.
  ///
  /// The file may be another one by now; ``takeExternalChange()`` says so once.
  /// - Throws: as opening, but a missing store is not created; the store stays suspended then.
  public func resume() throws(StorageError) {
    try checkProcess()
    guard writers.isSuspended else { return }
    let connection = try opener.reopen()
    writers.resume()
    writers.add(connection)
    readers.resume()
  }

  /// Closes the connections, the writing one last.
  func letGo(_ state: ConnectionPool.State) throws(StorageError) {
    let writes = !opener.options.isReadOnly
    var failure: StorageError?
    do throws(StorageError) {
      try readers.shut(state) { (connection) throws(StorageError) in _ = try connection.keepsLog() }
    } catch { failure = error }
    do throws(StorageError) {
      try writers.shut(state) { (connection) throws(StorageError) in
        if try !connection.keepsLog(), writes { try connection.checkpoint() }
      }
    } catch { failure = failure ?? error }
    opener.sweep()
    if let failure { throw failure }
  }
}

extension SQLiteConnection {
  /// Whether the log must stay as it is, since the database is damaged, or is not the one at its path
  /// any more, so that the log there is another's; closing leaves it alone then.
  fileprivate func keepsLog() throws(StorageError) -> Bool {
    if !DamagedFiles.contains(path) {
      guard try hasMoved() else { return false }
    }
    let status = holdfast_sqlite3_keep_log_at_close(handle)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "close") }
    return true
  }

  /// Whether the file was renamed, removed or replaced since it was opened.
  private func hasMoved() throws(StorageError) -> Bool {
    var hasMoved: Int32 = 0
    let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "close") }
    return hasMoved != 0
  }

  /// Moves the log into the database and empties it, unless others are using it.
  fileprivate func checkpoint() throws(StorageError) {
    setTimeout(0)
    do throws(StorageError) {
      try emptyLog()
    } catch {
      // Whoever is using the log will do it; and it is as good as the database until there is room.
      if error.code != .busy, error.code != .storageFull { throw error }
    }
  }

  /// Moves the log into the database and empties it, waiting for those who are using it.
  func emptyLog() throws(StorageError) {
    let status = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "checkpoint") }
  }
}
