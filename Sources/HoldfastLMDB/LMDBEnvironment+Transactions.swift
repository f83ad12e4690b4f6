import CLMDB
internal import Foundation
internal import Holdfast

/// Beginning and ending transactions.
extension LMDBEnvironment {
  private static let keptReaders = 64

  // MARK: Readers

  /// A read transaction, fresh or renewed.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for a slot.
  ///   - isWriter: whether the caller holds the writer's place in this process.
  /// - Returns: the transaction; give it back.
  /// - Throws: `StorageError.Code.busy` if every slot of the reader table stayed taken.
  func takeReader(timeout: Duration, isWriter: Bool = false) throws(StorageError) -> OpaquePointer {
    if isForked { throw .lmdbForked(path) }
    var deadline: ContinuousClock.Instant?
    func limit() -> ContinuousClock.Instant {
      let value = deadline ?? .now + timeout
      deadline = value
      return value
    }
    while true {
      condition.lock()
      while isMoving, !isWriter {
        if !wait(until: limit()) {
          condition.unlock()
          throw StorageError(
            .busy,
            "\(path) was being enlarged or compacted for the whole timeout; try again",
            backend: "lmdb"
          )
        }
      }
      do throws(StorageError) {
        try checkUsable()
      } catch {
        condition.unlock()
        throw error
      }
      let idle = idleReaders.popLast()
      liveReaders += 1
      condition.unlock()

      var transaction = idle
      let status =
        idle.map { mdb_txn_renew($0) }
        ?? mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
      if status == 0, let transaction { return transaction }
      if let idle { mdb_txn_abort(idle) }
      releaseReader()
      switch status {
      case MDB_MAP_RESIZED: try followGrowth(isWriter: isWriter, until: limit())
      case MDB_READERS_FULL: try awaitReader(until: limit())
      default: throw .lmdb(status, "reading", path)
      }
    }
  }

  /// Ends a read transaction and keeps it for renewal.
  func giveBack(_ reader: OpaquePointer) {
    if isForked { return }
    mdb_txn_reset(reader)
    condition.lock()
    if idleReaders.count < Self.keptReaders {
      idleReaders.append(reader)
      countReaderOut()
      condition.unlock()
      return
    }
    condition.unlock()
    mdb_txn_abort(reader)
    releaseReader()
  }

  func releaseReader() {
    condition.lock()
    countReaderOut()
    condition.unlock()
  }

  private func countReaderOut() {
    liveReaders -= 1
    if isMoving || waitingReaders > 0 { condition.broadcast() }
  }

  /// Clears the slots of processes that died; without any, waits for a reader of this process.
  private func awaitReader(until deadline: ContinuousClock.Instant) throws(StorageError) {
    var dead: Int32 = 0
    let status = mdb_reader_check(handle, &dead)
    if status != 0 { throw .lmdb(status, "reading", path) }
    if dead > 0 { return }
    condition.lock()
    defer { condition.unlock() }
    waitingReaders += 1
    defer { waitingReaders -= 1 }
    // Readers of other processes do not wake this one, so look again now and then.
    if !wait(until: min(deadline, .now + .milliseconds(20))), .now >= deadline {
      throw StorageError(
        .busy,
        "all \(Self.maximumReaders) readers of \(path) were in use for the whole timeout; "
          + "end some and try again",
        backend: "lmdb"
      )
    }
  }

  // MARK: The writer

  /// Begins the write transaction.
  ///
  /// - Throws: `StorageError.Code.busy` if another writer stayed.
  func takeWriter(timeout: Duration) throws(StorageError) -> OpaquePointer {
    if isForked { throw .lmdbForked(path) }
    let deadline = ContinuousClock.now + timeout
    try claimWriting(until: deadline)
    do throws(StorageError) {
      return try beginWriter(until: deadline)
    } catch {
      finishWriter(isCommitted: false)
      throw error
    }
  }

  /// Takes the writer's place in this process, and the lock between processes.
  func claimWriting(until deadline: ContinuousClock.Instant) throws(StorageError) {
    if settings.isReadOnly {
      throw StorageError(
        .readOnly,
        "\(path) was opened read-only; open it for writing",
        backend: "lmdb"
      )
    }
    condition.lock()
    while isWriting {
      if !wait(until: deadline) {
        condition.unlock()
        throw StorageError(
          .busy,
          "another writer of this process held \(path) for the whole timeout; try again",
          backend: "lmdb"
        )
      }
    }
    isWriting = true
    condition.unlock()
    do throws(StorageError) {
      try writeLock?.take(until: deadline)
    } catch {
      leaveWriting()
      throw error
    }
  }

  private func beginWriter(until deadline: ContinuousClock.Instant) throws(StorageError)
    -> OpaquePointer
  {
    try locked { () throws(StorageError) in try checkUsable() }
    try prepareMap { deadline }
    try listTables(until: deadline)
    let transaction = try beginWriteTransaction(until: deadline)
    if sweep(transaction) == 0 { return transaction }
    // Tidying up is no reason to refuse a transaction.
    mdb_txn_abort(transaction)
    abandonSweep()
    return try beginWriteTransaction(until: deadline)
  }

  private func beginWriteTransaction(until deadline: ContinuousClock.Instant) throws(StorageError)
    -> OpaquePointer
  {
    while true {
      var transaction: OpaquePointer?
      let status = mdb_txn_begin(handle, nil, 0, &transaction)
      if status == 0, let transaction { return transaction }
      guard status == MDB_MAP_RESIZED else { throw .lmdb(status, "writing to", path) }
      try followGrowth(isWriter: true, until: deadline)
    }
  }

  /// Has the tables listed again whose handles a sweep closed that was rolled back.
  private func abandonSweep() {
    condition.lock()
    defer { condition.unlock() }
    if hasSwept { listedCommit = -1 }
    hasSwept = false
  }

  /// Lets the next writer in, after the transaction ended.
  func finishWriter(isCommitted: Bool) {
    if !isCommitted { abandonSweep() }
    writeLock?.release()
    leaveWriting()
  }

  /// Remembers that a transaction filled the map.
  func recordFull() {
    condition.lock()
    wasFull = true
    condition.unlock()
  }

  /// Gives the writer's place in this process back.
  func leaveWriting() {
    condition.lock()
    isWriting = false
    hasSwept = false
    condition.broadcast()
    condition.unlock()
  }
}
