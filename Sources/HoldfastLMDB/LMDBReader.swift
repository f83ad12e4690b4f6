import CLMDB
public import Holdfast

/// A snapshot of an LMDB store.
///
/// Not Sendable.
public final class LMDBReader: KeyValueReader {
  private let environment: LMDBEnvironment
  /// Made with the first cursor.
  @exclusivity(unchecked) private var levels: TransactionLevels?
  @exclusivity(unchecked) private var transaction: OpaquePointer?
  @exclusivity(unchecked) private var native: LMDBNative?

  init(_ environment: LMDBEnvironment, timeout: Duration) throws(StorageError) {
    self.environment = environment
    transaction = try environment.takeReader(timeout: timeout)
  }

  deinit { end() }

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
    let levels = levels ?? TransactionLevels(isReadOnly: true)
    self.levels = levels
    return try LMDBCursor(transaction, environment.handle(of: table), levels, environment)
  }

  /// Lends the environment and the transaction, as ``LMDBNative``.
  ///
  /// - Throws: `StorageError.Code.nestedTransaction` if they are lent already.
  public func lendNative() throws(StorageError) -> Any {
    guard let transaction else { throw .lmdbScopeEnded }
    if native != nil { throw .lmdbLentAlready }
    let commit = mdb_txn_id(transaction)
    let lent = LMDBNative(environment.handle, transaction) { [environment] name in
      environment.handle(ofTable: name, at: commit)
    }
    native = lent
    return lent
  }

  /// Takes the handles back.
  public func takeBackNative() {
    native?.end()
    native = nil
  }

  /// Ends the snapshot.
  ///
  /// Idempotent.
  public func end() {
    guard let transaction else { return }
    self.transaction = nil
    levels?.endAll()
    environment.giveBack(transaction)
  }
}

extension LMDBEnvironment {
  /// LMDB's handle of a table.
  @inline(__always)
  func handle(of table: KeyValueTable) -> UInt32 {
    // No number, whoever made it up, leads out of the list.
    handles[table.number & (Self.maximumTables - 1)]
  }

  /// The value of a key, or nil.
  @inline(__always)
  func get(_ key: UnsafeRawBufferPointer, _ table: UInt32, _ transaction: OpaquePointer)
    throws(StorageError) -> UnsafeRawBufferPointer?
  {
    var name = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    var value = MDB_val()
    let status = mdb_get(transaction, table, &name, &value)
    if status == 0 { return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
    if status == MDB_NOTFOUND || key.isEmpty { return nil }
    throw .lmdb(status, "reading", path)
  }

  /// The number of entries of a table.
  func count(_ table: UInt32, _ transaction: OpaquePointer) throws(StorageError) -> Int {
    var status = MDB_stat()
    let result = mdb_stat(transaction, table, &status)
    if result != 0 { throw .lmdb(result, "reading", path) }
    return status.ms_entries
  }
}
