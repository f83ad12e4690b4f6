import CLMDB
internal import Foundation
public import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The write transaction of an LMDB store.
///
/// Not Sendable; bound to the thread that began it.
public final class LMDBWriter: KeyValueWriter {
  /// What a transaction did to the set of tables.
  struct Changes {
    var created: [(name: String, number: Int)] = []
    var dropped: [String] = []
  }

  let environment: LMDBEnvironment
  private let tracker: CommitTracker
  /// The number of the commit to come.
  let number: Int
  let levels = TransactionLevels(isReadOnly: false)
  /// The innermost transaction; nil after the end.
  @exclusivity(unchecked) var transaction: OpaquePointer?
  /// The transactions around it, outermost first, and what they had changed.
  var outer: [(transaction: OpaquePointer, changes: Changes)] = []
  /// What is lent of it now.
  var native: LMDBNative?
  /// What the innermost transaction changed.
  var changes = Changes()
  /// The tables into which a key was inserted that is not behind all others, and the last of them.
  @exclusivity(unchecked) private var unordered: Set<Int> = []
  @exclusivity(unchecked) private var lastUnordered = -1
  /// The table that keys are being appended to, and a cursor that stays at its end, where LMDB would
  /// look for the end with each key.
  ///
  /// Only appending with it keeps it there: it is closed before anything else is done to the table.
  @exclusivity(unchecked) private var appending: (table: Int, cursor: OpaquePointer)?

  init(_ environment: LMDBEnvironment, _ tracker: CommitTracker, timeout: Duration)
    throws(StorageError)
  {
    self.environment = environment
    self.tracker = tracker
    let transaction = try environment.takeWriter(timeout: timeout)
    self.transaction = transaction
    number = mdb_txn_id(transaction)
    tracker.begin(number)
  }

  deinit { end() }

  // MARK: Reading

  /// The value of a key, or nil.
  public func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    guard let transaction else { throw .lmdbScopeEnded }
    return try environment.get(key, environment.handle(of: table), transaction)
  }

  /// The number of entries of a table.
  ///
  /// O(1).
  public func count(in table: KeyValueTable) throws(StorageError) -> Int {
    guard let transaction else { throw .lmdbScopeEnded }
    return try environment.count(environment.handle(of: table), transaction)
  }

  /// Opens a cursor, positioned nowhere.
  public func openCursor(in table: KeyValueTable) throws(StorageError) -> LMDBCursor {
    guard let transaction else { throw .lmdbScopeEnded }
    return try LMDBCursor(transaction, environment.handle(of: table), levels, environment)
  }

  // MARK: Writing

  /// Sets the value of a key.
  public func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    endAppending(to: table)
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    var data = MDB_val(
      mv_size: value.count,
      mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress)
    )
    try check(mdb_put(transaction, environment.handle(of: table), &name, &data, 0))
  }

  /// Sets the value of a key that is not there yet.
  ///
  /// - Returns: false, having changed nothing, if the key was there.
  public func insert(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool {
    guard let transaction else { throw .lmdbScopeEnded }
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    var data = MDB_val(
      mv_size: value.count,
      mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress)
    )
    // Keys that come in order fill their pages instead of leaving half of each empty.
    if table.number != lastUnordered, !unordered.contains(table.number) {
      let cursor = try appendingCursor(table, transaction)
      let flags = UInt32(MDB_NOOVERWRITE | MDB_APPEND)
      let status = mdb_cursor_put(cursor, &name, &data, flags)
      if status != MDB_KEYEXIST {
        try check(status)
        return true
      }
      endAppending()
      unordered.insert(table.number)
      lastUnordered = table.number
    }
    let handle = environment.handle(of: table)
    let status = mdb_put(transaction, handle, &name, &data, UInt32(MDB_NOOVERWRITE))
    if status == MDB_KEYEXIST { return false }
    try check(status)
    return true
  }

  @inline(__always)
  private func appendingCursor(_ table: KeyValueTable, _ transaction: OpaquePointer)
    throws(StorageError) -> OpaquePointer
  {
    if let appending, appending.table == table.number { return appending.cursor }
    endAppending()
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, environment.handle(of: table), &cursor))
    guard let cursor else { throw .lmdb(EINVAL, "writing to", environment.path) }
    appending = (table.number, cursor)
    return cursor
  }

  @inline(__always)
  private func endAppending(to table: KeyValueTable) {
    if let appending, appending.table == table.number { endAppending() }
  }

  /// Closes the cursor at the end of a table.
  func endAppending() {
    guard let appending else { return }
    self.appending = nil
    mdb_cursor_close(appending.cursor)
  }

  /// Removes a key.
  ///
  /// - Returns: whether it was there.
  public func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> Bool
  {
    guard let transaction else { throw .lmdbScopeEnded }
    endAppending(to: table)
    if key.isEmpty { return false }
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    let status = mdb_del(transaction, environment.handle(of: table), &name, nil)
    if status == MDB_NOTFOUND { return false }
    try check(status)
    return true
  }

  /// Removes all entries of a table.
  public func clear(_ table: KeyValueTable) throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    endAppending(to: table)
    try check(mdb_drop(transaction, environment.handle(of: table), 0))
  }

  /// Creates a table, or opens the one of that name.
  ///
  /// It goes with the transaction, or with the nested one, if that rolls back.
  ///
  /// - Throws: `StorageError.Code.unsupported` if the store has as many as it may have.
  public func createTable(_ name: String) throws(StorageError) -> KeyValueTable {
    guard let transaction else { throw .lmdbScopeEnded }
    let isDropped = (outer.map(\.changes) + [changes]).contains { $0.dropped.contains(name) }
    if let number = try environment.number(of: name, isDropped: isDropped) ?? created(name) {
      return KeyValueTable(number: number)
    }
    var handle: UInt32 = 0
    try check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle))
    let number = environment.condition.withLock { environment.takeNumber(for: handle) }
    changes.created.append((name, number))
    return KeyValueTable(number: number)
  }

  /// Removes a table with its entries.
  ///
  /// Its pages are free at the commit. The table itself stays, empty, until a later transaction finds
  /// that no snapshot of its process sees it; it counts among the tables that a store may have
  /// until then.
  public func dropTable(_ table: KeyValueTable) throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    endAppending(to: table)
    let handle = environment.handle(of: table)
    if let position = changes.created.firstIndex(where: { $0.number == table.number }) {
      // Nobody else has seen it, and no rollback brings it back.
      try check(mdb_drop(transaction, handle, 1))
      changes.created.remove(at: position)
      environment.condition.withLock { environment.giveBackNumber(table.number) }
      return
    }
    let name = created(table.number) ?? environment.name(of: table.number)
    guard let name else { throw .lmdb(EINVAL, "dropping a table of", environment.path) }
    try check(mdb_drop(transaction, handle, 0))
    try check(environment.leaveMark(name, in: transaction))
    changes.dropped.append(name)
  }

  private func created(_ name: String) -> Int? {
    (outer.map(\.changes) + [changes]).flatMap(\.created).first { $0.name == name }?.number
  }

  private func created(_ number: Int) -> String? {
    (outer.map(\.changes) + [changes]).flatMap(\.created).first { $0.number == number }?.name
  }

  // MARK: Nesting

  /// Begins a nested transaction inside the innermost one.
  public func beginNested() throws(StorageError) {
    guard let parent = transaction else { throw .lmdbScopeEnded }
    endAppending()
    var nested: OpaquePointer?
    try check(mdb_txn_begin(environment.handle, parent, 0, &nested))
    outer.append((parent, changes))
    changes = Changes()
    transaction = nested
    levels.begin()
  }

  /// Ends the innermost nested transaction and keeps its changes.
  public func commitNested() throws(StorageError) {
    guard let nested = transaction, let parent = outer.popLast() else { throw .lmdbScopeEnded }
    endAppending()
    levels.end()
    transaction = parent.transaction
    let kept = changes
    changes = parent.changes
    // It is freed even if this fails; the parent is then only good for rolling back.
    let status = mdb_txn_commit(nested)
    changes.created += kept.created
    changes.dropped += kept.dropped
    try check(status)
  }

  /// Ends the innermost nested transaction and undoes its changes.
  public func rollbackNested() throws(StorageError) {
    guard let nested = transaction, let parent = outer.popLast() else { throw .lmdbScopeEnded }
    endAppending()
    levels.end()
    transaction = parent.transaction
    mdb_txn_abort(nested)
    giveBack(changes)
    changes = parent.changes
  }

  // MARK: Ending

  /// Makes the changes durable and ends the transaction.
  ///
  /// - Throws: `StorageError.Code.storageFull`, `StorageError.Code.ioError`;
  ///   `StorageError.Code.nestedTransaction` while a nested transaction is open, which changes
  ///   nothing.
  public func commit() throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    guard outer.isEmpty else {
      throw StorageError(
        .nestedTransaction,
        "a nested transaction is still open; end it before committing",
        backend: "lmdb"
      )
    }
    self.transaction = nil
    levels.endAll()
    if environment.isForked { throw .lmdbForked(environment.path) }
    endAppending()
    // It is freed even if this fails.
    let status = mdb_txn_commit(transaction)
    if status != 0 {
      environment.condition.withLock { environment.hasFailedCommit = true }
      finish()
      throw failure(status)
    }
    let isNew = environment.adopt(
      created: changes.created,
      dropped: changes.dropped,
      commit: number
    )
    environment.coverLastPage()
    tracker.end(isCommitted: isNew)
    environment.finishWriter(isCommitted: true)
  }

  /// Rolls back what was not committed.
  ///
  /// Idempotent.
  public func end() {
    guard let innermost = transaction else { return }
    transaction = nil
    levels.endAll()
    if environment.isForked { return }
    endAppending()
    mdb_txn_abort(innermost)
    while let (transaction, changes) = outer.popLast() {
      mdb_txn_abort(transaction)
      giveBack(changes)
    }
    finish()
  }

  /// Lets the next writer in after a rollback.
  private func finish() {
    giveBack(changes)
    tracker.end(isCommitted: false)
    environment.finishWriter(isCommitted: false)
  }

  /// Takes back the numbers of tables that were created and rolled back.
  private func giveBack(_ changes: Changes) {
    if changes.created.isEmpty { return }
    environment.condition.withLock {
      for (_, number) in changes.created { environment.giveBackNumber(number) }
    }
  }

  @inline(__always)
  private func check(_ status: Int32) throws(StorageError) {
    if status != 0 { throw failure(status) }
  }

  private func failure(_ status: Int32) -> StorageError {
    if status == MDB_MAP_FULL { environment.recordFull() }
    // LMDB reports what a full disk did not take as an I/O error.
    let status = status == EIO && environment.isDiskFull ? ENOSPC : status
    return .lmdb(status, "writing to", environment.path)
  }
}
