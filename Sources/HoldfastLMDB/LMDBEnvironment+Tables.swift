import CLMDB
internal import Foundation
internal import Holdfast

/// The tables and their handles.
///
/// LMDB gives a handle the first free slot that its transaction sees, so two transactions that open
/// handles at the same time would take the same one. Hence handles are opened and closed only by
/// whoever holds the writer's place in this process, and a writer finds every table that was there
/// when it began.
extension LMDBEnvironment {
  /// What is known of a table.
  struct Table {
    /// Its place in ``handles``.
    var number: Int
    /// The commit that created it; 0 if that is not known.
    var created = 0
    /// The commit that dropped it, or a later one.
    var dropped: Int?
    /// Whether it is no longer in the store at all.
    var isGone = false

    /// Whether no transaction that sees the state after a commit can use the table.
    func isUnknown(at commit: Int) -> Bool {
      if let dropped, commit >= dropped { return true }
      return commit < created
    }
  }

  /// The prefix of the main table's entries that say which tables were dropped.
  static let droppedPrefix = "dropped/"

  /// The number of a table that a committed transaction created; nil if there is none.
  func table(_ name: String, until deadline: ContinuousClock.Instant) throws(StorageError) -> Int? {
    if isForked { throw .lmdbForked(path) }
    condition.lock()
    while true {
      let isListed: Bool
      do throws(StorageError) {
        isListed = try newestCommit == listedCommit
      } catch {
        condition.unlock()
        throw error
      }
      let known = tables[name]
      if isListed || known != nil {
        condition.unlock()
        return known.flatMap { $0.dropped == nil ? $0.number : nil }
      }
      if !isWriting { break }
      // Only a program that writes with LMDB alone makes a table while our writer is open.
      if !wait(until: deadline) {
        condition.unlock()
        throw StorageError(
          .busy,
          "a writer kept \(path) from opening a new collection; try again",
          backend: "lmdb"
        )
      }
    }
    isWriting = true
    condition.unlock()
    defer { leaveWriting() }
    try listTables(until: deadline)
    return condition.withLock { tables[name].flatMap { $0.dropped == nil ? $0.number : nil } }
  }

  /// Brings ``tables`` up to date.
  ///
  /// The caller holds the writer's place in this process.
  func listTables(until deadline: ContinuousClock.Instant) throws(StorageError) {
    if try locked({ () throws(StorageError) in try newestCommit == listedCommit }) { return }
    let left = ContinuousClock.now.duration(to: deadline)
    let reader = try takeReader(timeout: left, isWriter: true)
    defer { releaseReader() }
    condition.lock()
    defer { condition.unlock() }
    closeGoneTables()
    var listing = Listing()
    let status = list(&listing, in: reader)
    if status != 0 {
      mdb_txn_abort(reader)
      throw .lmdb(status, "opening", path)
    }
    let commit = mdb_txn_id(reader)
    // Committing makes the handles everybody's.
    let result = mdb_txn_commit(reader)
    if result != 0 { throw .lmdb(result, "opening", path) }
    take(listing, commit: commit)
  }

  private struct Listing {
    /// The handles of the tables that were not open.
    var handles: [String: UInt32] = [:]
    var dropped: Set<String> = []
    /// The tables that have a number already.
    var known: Set<String> = []
  }

  private func list(_ listing: inout Listing, in transaction: OpaquePointer) -> Int32 {
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
      let bytes = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      guard let name = String(validating: bytes, as: UTF8.self) else { continue }
      if name.hasPrefix(Self.droppedPrefix) {
        listing.dropped.insert(String(name.dropFirst(Self.droppedPrefix.count)))
        continue
      }
      if let table = tables[name] {
        listing.known.insert(name)
        if handles[table.number] != Self.noHandle { continue }
      }
      var table: UInt32 = 0
      status = mdb_dbi_open(transaction, name, 0, &table)
      // An entry of the main table that is no table, or one whose name LMDB cannot spell.
      if status == MDB_INCOMPATIBLE || status == MDB_NOTFOUND { continue }
      if status != 0 { return status }
      listing.handles[name] = table
    }
  }

  private func take(_ listing: Listing, commit: Int) {
    for (name, handle) in listing.handles {
      let number = tables[name]?.number ?? takeNumber(for: handle)
      handles[number] = handle
      if tables[name] == nil { tables[name] = Table(number: number) }
    }
    for name in tables.keys {
      let isGone = !listing.known.contains(name) && listing.handles[name] == nil
      if isGone { tables[name]?.isGone = true }
      if isGone || listing.dropped.contains(name) { markDropped(name, commit: commit) }
    }
    listedCommit = commit
  }

  private func markDropped(_ name: String, commit: Int) {
    guard let table = tables[name], table.dropped == nil else { return }
    tables[name]?.dropped = commit
    droppedTables += 1
  }

  /// The number of a table by its name.
  ///
  /// - Throws: `StorageError.Code.unsupported` if a table of that name was dropped.
  func number(of name: String, isDropped: Bool) throws(StorageError) -> Int? {
    let table = condition.withLock { tables[name] }
    if isDropped || table?.dropped != nil {
      throw StorageError(
        .unsupported,
        "\(path) had a table \(name) that was dropped; use another name",
        backend: "lmdb"
      )
    }
    return table?.number
  }

  /// LMDB's handle of a table that a commit sees; nil if there is none of that name.
  func handle(ofTable name: String, at commit: Int) -> UInt32? {
    condition.withLock {
      guard let table = tables[name], !table.isGone, !table.isUnknown(at: commit) else {
        return nil
      }
      return handles[table.number]
    }
  }

  /// The name of a table by its number.
  func name(of number: Int) -> String? {
    condition.withLock { tables.first { $0.value.number == number }?.key }
  }

  /// Gives a handle a number.
  ///
  /// The condition's lock is held.
  func takeNumber(for handle: UInt32) -> Int {
    // LMDB opens no more handles than there are numbers.
    let number = freeNumbers.removeLast()
    handles[number] = handle
    return number
  }

  /// Takes a number back, whose handle LMDB has closed.
  ///
  /// The condition's lock is held.
  func giveBackNumber(_ number: Int) {
    handles[number] = Self.noHandle
    freeNumbers.append(number)
  }

  /// Takes in what the writer committed.
  ///
  /// - Returns: whether there is such a commit: a transaction that changed nothing makes none.
  func adopt(created: [(name: String, number: Int)], dropped: [String], commit: Int) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    for (name, number) in created { tables[name] = Table(number: number, created: commit) }
    for name in dropped { markDropped(name, commit: commit) }
    var information = MDB_envinfo()
    guard mdb_env_info(handle, &information) == 0, information.me_last_txnid >= commit else {
      return false
    }
    if listedCommit == commit - 1 { listedCommit = commit }
    return true
  }
}
