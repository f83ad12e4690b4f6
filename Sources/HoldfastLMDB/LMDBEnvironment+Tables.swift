import CLMDB
internal import Foundation
internal import Holdfast

/// The handles of tables.
///
/// LMDB gives a handle the first free slot that its transaction sees, so two transactions that open
/// handles at the same time would take the same one. Hence all tables are opened while no writer is
/// live in this process, and a writer finds every table that was there when it began.
extension LMDBEnvironment {
  /// The handle of a table that a committed transaction created; nil if there is none.
  func table(_ name: String, until deadline: ContinuousClock.Instant) throws(StorageError)
    -> UInt32?
  {
    if isForked { throw .lmdbForked(path) }
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let table = tables[name] { return table }
      if try countTables() == listedTables { return nil }
      if !isWriting { break }
      // Only a program that writes with LMDB alone makes a table while our writer is open.
      if !wait(until: deadline) {
        throw StorageError(
          .busy,
          "a writer kept \(path) from opening a new collection; try again",
          backend: "lmdb"
        )
      }
    }
    while true {
      let status = openTables()
      if status == 0 { return tables[name] }
      guard status == MDB_MAP_RESIZED else { throw .lmdb(status, "opening", path) }
      condition.unlock()
      defer { condition.lock() }
      try followGrowth(isWriter: false, until: deadline)
    }
  }

  /// Opens the tables that are new since the last time.
  ///
  /// The caller is the one writer, or alone.
  func listTables(until deadline: ContinuousClock.Instant, isWriter: Bool = false)
    throws(StorageError)
  {
    while true {
      condition.lock()
      let status: Int32
      do throws(StorageError) {
        status = try countTables() == listedTables ? 0 : openTables()
      } catch {
        condition.unlock()
        throw error
      }
      condition.unlock()
      if status == 0 { return }
      guard status == MDB_MAP_RESIZED else { throw .lmdb(status, "opening", path) }
      try followGrowth(isWriter: isWriter, until: deadline)
    }
  }

  /// Takes in the tables that a writer created and committed.
  func adopt(_ created: [(name: String, table: UInt32)]) {
    condition.lock()
    for (name, table) in created where tables.updateValue(table, forKey: name) == nil {
      listedTables += 1
    }
    condition.unlock()
  }

  private func countTables() throws(StorageError) -> Int {
    var status = MDB_stat()
    let result = mdb_env_stat(handle, &status)
    if result != 0 { throw .lmdb(result, "examining", path) }
    return status.ms_entries
  }

  /// Opens every table whose handle is not known.
  ///
  /// The condition's lock is held.
  private func openTables() -> Int32 {
    var transaction: OpaquePointer?
    var status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    guard status == 0, let transaction else { return status }
    var opened: [String: UInt32] = [:]
    var count = 0
    status = openTables(in: transaction, &opened, &count)
    if status != 0 {
      mdb_txn_abort(transaction)
      return status
    }
    // Committing makes the handles everybody's.
    status = mdb_txn_commit(transaction)
    if status == 0 {
      tables.merge(opened) { _, new in new }
      listedTables = count
    }
    return status
  }

  private func openTables(
    in transaction: OpaquePointer,
    _ opened: inout [String: UInt32],
    _ count: inout Int
  ) -> Int32 {
    var main: UInt32 = 0
    var status = mdb_dbi_open(transaction, nil, 0, &main)
    if status != 0 { return status }
    var cursor: OpaquePointer?
    status = mdb_cursor_open(transaction, main, &cursor)
    if status != 0 { return status }
    defer { mdb_cursor_close(cursor) }
    while true {
      var key = MDB_val()
      var value = MDB_val()
      status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      if status == MDB_NOTFOUND { return 0 }
      if status != 0 { return status }
      count += 1
      let bytes = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      guard let name = String(validating: bytes, as: UTF8.self), tables[name] == nil else {
        continue
      }
      var table: UInt32 = 0
      status = mdb_dbi_open(transaction, name, 0, &table)
      // An entry of the main table that is no table, or one whose name LMDB cannot spell.
      if status == MDB_INCOMPATIBLE || status == MDB_NOTFOUND { continue }
      if status != 0 { return status }
      opened[name] = table
    }
  }
}
