import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The removal of dropped tables.
///
/// `mdb_drop` with deletion closes the table's handle at once for the whole process, which breaks
/// snapshots that still read the table, and gives its slot to another table. So a transaction that
/// drops a table only empties it and leaves an entry `dropped/<name>` in the main table. A later
/// writer, of any process, removes the table and that entry as part of its own transaction, once no
/// snapshot of its process sees the table; other processes have handles of their own.
extension LMDBEnvironment {
  /// Removes the dropped tables that nothing in this process can use any more.
  ///
  /// - Parameter transaction: the write transaction, which has done nothing yet.
  /// - Returns: LMDB's return code; the transaction is good for nothing unless it is 0.
  func sweep(_ transaction: OpaquePointer) -> Int32 {
    // Only who holds the writer's place changes it.
    if droppedTables == 0 { return 0 }
    condition.lock()
    defer { condition.unlock() }
    closeGoneTables()
    let readers = readerCommits()
    for (name, table) in tables where table.dropped != nil && !table.isGone {
      guard readers.allSatisfy({ table.isUnknown(at: $0) }) else { continue }
      hasSwept = true
      let status = mdb_drop(transaction, handles[table.number], 1)
      if status != 0 { return status }
      forget(name, table)
      let result = delete(Self.droppedPrefix + name, in: transaction)
      if result != 0 { return result }
    }
    return 0
  }

  /// Closes the handles of tables that are no longer in the store.
  ///
  /// The condition's lock is held, and the caller holds the writer's place in this process.
  func closeGoneTables() {
    if droppedTables == 0 { return }
    let readers = readerCommits()
    for (name, table) in tables where table.isGone {
      guard readers.allSatisfy({ table.isUnknown(at: $0) }) else { continue }
      let number = handles[table.number]
      if number != Self.noHandle { mdb_dbi_close(handle, number) }
      forget(name, table)
    }
  }

  /// Marks a table as dropped in the store.
  func leaveMark(_ name: String, in transaction: OpaquePointer) -> Int32 {
    withMainEntry(Self.droppedPrefix + name, in: transaction) { main, key in
      var nothing = MDB_val()
      return mdb_put(transaction, main, &key, &nothing, 0)
    }
  }

  private func delete(_ name: String, in transaction: OpaquePointer) -> Int32 {
    withMainEntry(name, in: transaction) { main, key in
      let status = mdb_del(transaction, main, &key, nil)
      return status == MDB_NOTFOUND ? 0 : status
    }
  }

  private func withMainEntry(
    _ name: String,
    in transaction: OpaquePointer,
    _ body: (UInt32, inout MDB_val) -> Int32
  ) -> Int32 {
    var main: UInt32 = 0
    let status = mdb_dbi_open(transaction, nil, 0, &main)
    if status != 0 { return status }
    var bytes = Array(name.utf8)
    return bytes.withUnsafeMutableBytes { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return body(main, &key)
    }
  }

  private func forget(_ name: String, _ table: Table) {
    tables[name] = nil
    droppedTables -= 1
    giveBackNumber(table.number)
  }

  /// The commits that the snapshots of this process see; 0 for one that cannot be told.
  ///
  /// A snapshot that is about to begin is not among them: it sees the newest commit.
  private func readerCommits() -> [Int] {
    if liveReaders == 0 { return [] }
    final class Lines { var all: [String] = [] }
    let lines = Lines()
    let status = mdb_reader_list(
      handle,
      { line, context in
        guard let line, let context else { return -1 }
        Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().all.append(String(cString: line))
        return 0
      },
      Unmanaged.passUnretained(lines).toOpaque()
    )
    if status < 0 { return [0] }
    var commits: [Int] = []
    var isListed = false
    for line in lines.all {
      // Process, thread in hexadecimal, and commit, or `-` for a slot that waits to be used again.
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count == 3, let process = Int32(words[0]) else { continue }
      isListed = true
      if process == getpid(), words[2] != "-" { commits.append(Int(words[2]) ?? 0) }
    }
    // Readers that take no slots, where the lock file cannot be written, are seen by nobody.
    return isListed ? commits : [0]
  }
}
