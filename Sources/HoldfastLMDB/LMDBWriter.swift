import CLMDB
public import Holdfast

/// The write transaction of an LMDB store.
///
/// Not Sendable; bound to the thread that began it.
public final class LMDBWriter: KeyValueWriter {
  private typealias Creation = (name: String, table: UInt32)

  private let environment: LMDBEnvironment
  private let levels = TransactionLevels(isReadOnly: false)
  /// The innermost transaction; nil after the end.
  private var transaction: OpaquePointer?
  /// The transactions around it, outermost first, and what they had created.
  private var outer: [(transaction: OpaquePointer, created: [Creation])] = []
  /// The tables that the innermost transaction created.
  private var created: [Creation] = []

  init(_ environment: LMDBEnvironment, timeout: Duration) throws(StorageError) {
    self.environment = environment
    transaction = try environment.takeWriter(timeout: timeout)
  }

  deinit { end() }

  // MARK: Reading

  /// The value of a key, or nil.
  public func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    guard let transaction else { throw .lmdbScopeEnded }
    return try environment.get(key, table.handle, transaction)
  }

  /// The number of entries of a table.
  ///
  /// O(1).
  public func count(in table: KeyValueTable) throws(StorageError) -> Int {
    guard let transaction else { throw .lmdbScopeEnded }
    return try environment.count(table.handle, transaction)
  }

  /// Opens a cursor, positioned nowhere.
  public func openCursor(in table: KeyValueTable) throws(StorageError) -> LMDBCursor {
    guard let transaction else { throw .lmdbScopeEnded }
    return try LMDBCursor(transaction, table.handle, levels, environment)
  }

  // MARK: Writing

  /// Sets the value of a key.
  public func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    var data = MDB_val(
      mv_size: value.count,
      mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress)
    )
    try check(mdb_put(transaction, table.handle, &name, &data, 0))
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
    let status = mdb_put(transaction, table.handle, &name, &data, UInt32(MDB_NOOVERWRITE))
    if status == MDB_KEYEXIST { return false }
    try check(status)
    return true
  }

  /// Removes a key.
  ///
  /// - Returns: whether it was there.
  public func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> Bool
  {
    guard let transaction else { throw .lmdbScopeEnded }
    if key.isEmpty { return false }
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    let status = mdb_del(transaction, table.handle, &name, nil)
    if status == MDB_NOTFOUND { return false }
    try check(status)
    return true
  }

  /// Removes all entries of a table.
  public func clear(_ table: KeyValueTable) throws(StorageError) {
    guard let transaction else { throw .lmdbScopeEnded }
    try check(mdb_drop(transaction, table.handle, 0))
  }

  /// Creates a table.
  ///
  /// It goes with the transaction, or with the nested one, if that rolls back.
  ///
  /// - Throws: `StorageError.Code.unsupported` if the store has as many as it may have.
  public func createTable(_ name: String) throws(StorageError) -> KeyValueTable {
    guard let transaction else { throw .lmdbScopeEnded }
    var table: UInt32 = 0
    try check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &table))
    created.append((name, table))
    return KeyValueTable(number: Int(table))
  }

  // MARK: Nesting

  /// Begins a nested transaction inside the innermost one.
  public func beginNested() throws(StorageError) {
    guard let parent = transaction else { throw .lmdbScopeEnded }
    var nested: OpaquePointer?
    try check(mdb_txn_begin(environment.handle, parent, 0, &nested))
    outer.append((parent, created))
    created = []
    transaction = nested
    levels.begin()
  }

  /// Ends the innermost nested transaction and keeps its changes.
  public func commitNested() throws(StorageError) {
    guard let nested = transaction, let parent = outer.popLast() else { throw .lmdbScopeEnded }
    levels.end()
    transaction = parent.transaction
    let kept = created
    created = parent.created
    // It is freed even if this fails; the parent is then only good for rolling back.
    try check(mdb_txn_commit(nested))
    created += kept
  }

  /// Ends the innermost nested transaction and undoes its changes.
  public func rollbackNested() throws(StorageError) {
    guard let nested = transaction, let parent = outer.popLast() else { throw .lmdbScopeEnded }
    levels.end()
    transaction = parent.transaction
    created = parent.created
    mdb_txn_abort(nested)
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
    defer { environment.finishWriter() }
    // It is freed even if this fails.
    try check(mdb_txn_commit(transaction))
    if !created.isEmpty { environment.adopt(created) }
    environment.coverLastPage()
  }

  /// Rolls back what was not committed.
  ///
  /// Idempotent.
  public func end() {
    guard let innermost = transaction else { return }
    transaction = nil
    levels.endAll()
    if environment.isForked { return }
    mdb_txn_abort(innermost)
    while let (transaction, _) = outer.popLast() { mdb_txn_abort(transaction) }
    environment.finishWriter()
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
