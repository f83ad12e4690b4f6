import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The map's size: it changes only between transactions, with no reader of this process alive.
extension LMDBEnvironment {
  /// How many bytes the file grows by before dead readers are looked for again.
  private static let checkInterval = 16 << 20

  private var information: MDB_envinfo {
    get throws(StorageError) {
      var information = MDB_envinfo()
      let status = mdb_env_info(handle, &information)
      if status != 0 { throw .lmdb(status, "examining", path) }
      return information
    }
  }

  /// The number of the newest commit of any process.
  ///
  /// The condition's lock is held: it keeps the map in place.
  var newestCommit: Int { get throws(StorageError) { try information.me_last_txnid } }

  /// The number of the newest commit, for those who do not hold the condition's lock.
  func newestCommitNow() throws(StorageError) -> Int {
    try locked { () throws(StorageError) in
      try checkUsable()
      return try newestCommit
    }
  }

  /// Sees to it that a write transaction has room, as far as nothing caps the map.
  ///
  /// The caller is the one writer, before it begins.
  func prepareMap(until deadline: () -> ContinuousClock.Instant) throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    let information = try information
    let pages = information.me_last_pgno + 1
    try checkReaders(pages: pages)
    guard mapLimit == nil else { return }
    let used = pages * pageSize
    let headroom = information.me_mapsize - used
    let wanted = min(max(used / 2, 64 << 20), 1 << 34)
    if headroom >= wanted, !wasFull { return }
    let target = max(information.me_mapsize * (wasFull ? 4 : 2), used + wanted)
    // With room left a writer need not wait for the readers.
    let isUrgent = wasFull || headroom < 4 << 20
    if try moveMap(to: target, isWriter: true, until: isUrgent ? deadline() : .now) {
      wasFull = false
    } else if isUrgent {
      throw readersStayed()
    }
  }

  /// Frees what dead readers hold, once the file has grown by a good deal since the last time: LMDB
  /// does not use again what a reader may still see.
  private func checkReaders(pages: Int) throws(StorageError) {
    if pages < checkedPages + Self.checkInterval / pageSize { return }
    checkedPages = pages
    var dead: Int32 = 0
    let status = mdb_reader_check(handle, &dead)
    if status != 0 { throw .lmdb(status, "examining", path) }
  }

  /// Makes the map at least as large as the data, after another process made it grow.
  func followGrowth(isWriter: Bool, until deadline: ContinuousClock.Instant) throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    let information = try information
    let used = (information.me_last_pgno + 1) * pageSize
    if information.me_mapsize >= used { return }
    let target = mapLimit == nil ? used * 2 : used
    if try !moveMap(to: target, isWriter: isWriter, until: deadline) { throw readersStayed() }
  }

  /// Raises the limit of the map and makes it that large.
  func grow(to mapSize: Int, until deadline: ContinuousClock.Instant) throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    let size = (mapSize + 0xFFFF) & ~0xFFFF
    if size <= (try information).me_mapsize { return }
    if try !moveMap(to: size, isWriter: false, until: deadline) { throw readersStayed() }
    if mapLimit != nil { mapLimit = size }
    wasFull = false
  }

  /// Moves the map once no reader is alive and no writer but the caller; false if that took longer
  /// than the deadline.
  ///
  /// The condition's lock is held.
  private func moveMap(
    to size: Int,
    isWriter: Bool,
    until deadline: ContinuousClock.Instant
  ) throws(StorageError) -> Bool {
    while isMoving {
      if !wait(until: deadline) { return false }
    }
    isMoving = true
    defer {
      isMoving = false
      condition.broadcast()
    }
    while liveReaders > 0 || (isWriting && !isWriter) {
      if !wait(until: deadline) { return false }
    }
    try checkUsable()
    // A map that cannot be made leaves LMDB without any, so try beside the old one first.
    let trial = mmap(nil, size, PROT_READ, MAP_SHARED, dataDescriptor, 0)
    guard let trial, trial != MAP_FAILED else {
      throw StorageError(
        .storageFull,
        "the system has no room to map \(size) bytes of \(path)",
        backend: "lmdb",
        engineCode: Int(errno)
      )
    }
    munmap(trial, size)
    let status = mdb_env_set_mapsize(handle, size)
    if status != 0 {
      let error = StorageError.lmdb(status, "mapping", path)
      failure = error
      throw error
    }
    return true
  }

  /// Makes the file as long as its last page says, after a commit.
  ///
  /// LMDB does not write pages at the end that the transaction freed again. A file that is whole
  /// opens without a walk over its pages. What fails here costs the next opening that walk and
  /// nothing else, so it is no failure of the commit.
  func coverLastPage() {
    guard missingSize() != nil else { return }
    // LMDB's own lock keeps programs out that write without ours.
    var transaction: OpaquePointer?
    guard mdb_txn_begin(handle, nil, 0, &transaction) == 0 else { return }
    defer { mdb_txn_abort(transaction) }
    if let size = missingSize() { ftruncate(dataDescriptor, off_t(size)) }
  }

  /// The size that the file should have, if it is shorter.
  private func missingSize() -> Int? {
    var file = holdfast_file()
    var information = MDB_envinfo()
    guard holdfast_examine_open(dataDescriptor, &file) == 0,
      mdb_env_info(handle, &information) == 0
    else { return nil }
    let size = (information.me_last_pgno + 1) * pageSize
    return Int(file.size) < size ? size : nil
  }

  private func readersStayed() -> StorageError {
    StorageError(
      .busy,
      "the map of \(path) cannot grow while transactions are open, and they outlasted the timeout; "
        + "end them and try again",
      backend: "lmdb"
    )
  }
}
