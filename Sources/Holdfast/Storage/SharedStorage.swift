import Foundation

/// An open storage with what all its ``Store`` handles share: the writers' gate, the count of open
/// transactions, and the threads on which asynchronous bodies run.
final class SharedStorage: @unchecked Sendable {
  // Unchecked: `condition` protects everything that changes.
  let storage: any Storage
  let options: StorageOptions
  let gate = WriterGate()
  let writeQueue = JobQueue(label: "holdfast.write", width: 1)
  let readQueue = JobQueue(label: "holdfast.read", width: 4)
  let deadlines = DeadlineQueue()
  /// Called when the last handle has closed.
  let onClose: @Sendable () -> Void

  // `condition` protects everything below.
  private let condition = NSCondition()
  private var handles = 1
  private var active = 0
  private var isClosing = false
  private var isClosed = false
  private var failure: StorageError?

  init(_ storage: any Storage, options: StorageOptions, onClose: @escaping @Sendable () -> Void) {
    self.storage = storage
    self.options = options
    self.onClose = onClose
  }

  /// Takes one more handle; false if the storage is closed or closing.
  func retainHandle() -> Bool {
    condition.withLock {
      if isClosed || isClosing { return false }
      handles += 1
      return true
    }
  }

  /// Counts a transaction in.
  func beginTransaction() throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    if isClosed || isClosing { throw Store.closedError }
    active += 1
  }

  /// Counts a transaction out.
  func endTransaction() {
    condition.lock()
    active -= 1
    if active == 0 { condition.broadcast() }
    condition.unlock()
  }

  /// Throws if a commit failed in a way that leaves the disk's state unknown.
  func checkWritable() throws(StorageError) {
    if let failure = condition.withLock({ failure }) {
      throw StorageError(
        .ioError,
        "an earlier commit failed and the store takes no more writes; close and reopen it",
        backend: failure.backend,
        engineCode: failure.engineCode,
        underlying: failure
      )
    }
  }

  /// Remembers a failed commit.
  func recordFailure(_ error: StorageError) {
    condition.withLock { failure = error }
  }

  /// Gives one handle back; the last one closes the storage, waiting for open transactions.
  func releaseHandle() throws(StorageError) {
    condition.lock()
    if isClosed || handles > 1 {
      handles -= 1
      condition.unlock()
      return
    }
    isClosing = true
    let deadline = Date(timeIntervalSinceNow: options.timeout.seconds)
    while active > 0 {
      if !condition.wait(until: deadline), active > 0 {
        isClosing = false
        condition.unlock()
        throw StorageError(
          .busy,
          "the store is in use by \(active) transactions; end them, then close it again"
        )
      }
    }
    isClosed = true
    handles -= 1
    condition.unlock()
    defer {
      writeQueue.finish()
      readQueue.finish()
      onClose()
    }
    try storage.close()
  }
}
