import CLMDB
public import Holdfast

/// Which of a transaction's levels are open, for the cursors that were opened in them.
final class TransactionLevels {
  // Nothing that these calls lead to comes back to them, so there is nothing to check.

  /// The serial numbers of the open levels around the innermost one; a cursor belongs to one.
  @exclusivity(unchecked) private var outer: [Int] = []
  @exclusivity(unchecked) private var next = 2
  /// The innermost level; 0 after the transaction ended.
  @exclusivity(unchecked) private(set) var current = 1
  /// Whether cursors outlive their level, which LMDB frees in write transactions.
  let isReadOnly: Bool

  init(isReadOnly: Bool) { self.isReadOnly = isReadOnly }

  func begin() {
    outer.append(current)
    current = next
    next += 1
  }

  func end() { current = outer.removeLast() }

  func endAll() {
    outer = []
    current = 0
  }

  /// Whether a cursor of that level is still ours to free.
  func ownsCursor(of level: Int) -> Bool {
    isReadOnly || level == current || outer.contains(level)
  }
}

/// A cursor over one LMDB table.
///
/// Not Sendable.
public final class LMDBCursor: KeyValueCursor {
  @exclusivity(unchecked) private var cursor: OpaquePointer?
  private let levels: TransactionLevels
  private let level: Int
  private let environment: LMDBEnvironment
  @exclusivity(unchecked) private var currentKey = MDB_val()
  @exclusivity(unchecked) private var currentValue = MDB_val()

  init(
    _ transaction: OpaquePointer,
    _ table: UInt32,
    _ levels: TransactionLevels,
    _ environment: LMDBEnvironment
  ) throws(StorageError) {
    self.levels = levels
    self.environment = environment
    level = levels.current
    let status = mdb_cursor_open(transaction, table, &cursor)
    if status != 0 { throw .lmdb(status, "reading", environment.path) }
  }

  deinit { close() }

  /// The current entry's key.
  public var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: currentKey.mv_data, count: currentKey.mv_size)
  }

  /// The current entry's value.
  public var value: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: currentValue.mv_data, count: currentValue.mv_size)
  }

  /// Moves to the first entry.
  public func first() throws(StorageError) -> Bool { try move(MDB_FIRST) }

  /// Moves to the last entry.
  public func last() throws(StorageError) -> Bool { try move(MDB_LAST) }

  /// Moves to the first entry whose key is not before `key`.
  public func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    // LMDB has no empty keys and refuses to look for one.
    if key.isEmpty { return try first() }
    currentKey = MDB_val(
      mv_size: key.count,
      mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress)
    )
    return try move(MDB_SET_RANGE)
  }

  /// Moves to the next entry.
  public func next() throws(StorageError) -> Bool { try move(MDB_NEXT) }

  /// Moves to the previous entry.
  public func previous() throws(StorageError) -> Bool { try move(MDB_PREV) }

  /// Lets the cursor go.
  ///
  /// Idempotent.
  public func close() {
    guard let cursor else { return }
    self.cursor = nil
    // LMDB frees the cursors of a write transaction with the transaction.
    if levels.ownsCursor(of: level) { mdb_cursor_close(cursor) }
  }

  @inline(__always)
  private func move(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
    guard let cursor, levels.current == level else { throw .lmdbScopeEnded }
    let status = mdb_cursor_get(cursor, &currentKey, &currentValue, operation)
    if status == 0 { return true }
    if status == MDB_NOTFOUND { return false }
    throw .lmdb(status, "reading", environment.path)
  }
}
