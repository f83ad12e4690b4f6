import Foundation
import Synchronization

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
  let changes = ChangeHub()
  private let operationLog = Mutex<OperationLog?>(nil)
  private let hasLog = Atomic(false)
  private let watch = ExternalChangeWatch()
  /// Called when the last handle has closed.
  let onClose: @Sendable () -> Void

  private let forks = ForkDetector()
  private let file: Mutex<WatchedFile?>

  // `condition` protects everything below.
  private let condition = NSCondition()
  private var handles = 1
  private var active = 0
  private var isClosing = false
  private var isClosed = false
  private var isSuspended = false
  private var failure: StorageError?

  /// Parameter `file`: the path of a file that stays the same as long as the store is in its place.
  init(
    _ storage: any Storage,
    options: StorageOptions,
    file: String? = nil,
    onClose: @escaping @Sendable () -> Void
  ) {
    self.storage = StorageInterposition.current?.wrap(storage) ?? storage
    self.options = options
    self.file = Mutex(file.flatMap { WatchedFile($0) })
    self.onClose = onClose
  }

  /// Whether this process is a child of the one that opened the storage.
  var isForked: Bool { forks.isForked }

  /// Whom to tell of operations; without one, asking costs no lock.
  var log: OperationLog? {
    get { hasLog.load(ordering: .acquiring) ? operationLog.withLock { $0 } : nil }
    set {
      operationLog.withLock { $0 = newValue }
      hasLog.store(newValue != nil, ordering: .releasing)
    }
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
    if isForked {
      throw StorageError(
        .closed,
        "the store was opened before this process was forked; open it again in the child"
      )
    }
    condition.lock()
    defer { condition.unlock() }
    if isClosed || isClosing { throw Store.closedError }
    if isSuspended {
      throw StorageError(.suspended, "the store is suspended; resume it first")
    }
    active += 1
  }

  /// Counts a transaction out.
  func endTransaction() {
    condition.lock()
    active -= 1
    if active == 0 { condition.broadcast() }
    condition.unlock()
  }

  /// Takes the writers' gate.
  ///
  /// - Throws: ``StorageError/Code/busy`` if the deadline passed first, which is asked for only if
  ///   there is a wait.
  func enterGate(until deadline: () -> ContinuousClock.Instant) throws(StorageError) {
    if gate.enter(until: deadline) { return }
    throw StorageError(
      .busy,
      "another writer held the store for longer than the timeout; try again"
    )
  }

  /// Whether the store's files are where they were when it was opened.
  var isInPlace: Bool { file.withLock { $0?.isInPlace ?? true } }

  /// Takes the file that is there now for the store's: the store itself has replaced it.
  func renewFile() { file.withLock { $0?.renew() } }

  /// Throws if writes would be lost: the files are gone, or a commit failed in a way that leaves the
  /// disk's state unknown.
  func checkWritable() throws(StorageError) {
    guard isInPlace else {
      let path = file.withLock { $0?.path ?? "" }
      throw StorageError(
        .ioError,
        "\(path) was removed or replaced while the store was open; close the store and open it again"
      )
    }
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
    // Locks and threads are the parent's, which goes on with them.
    if isForked { return }
    condition.lock()
    if isClosed || handles > 1 {
      handles -= 1
      condition.unlock()
      return
    }
    isClosing = true
    do throws(StorageError) {
      try waitForTransactions("close")
    } catch {
      isClosing = false
      condition.unlock()
      throw error
    }
    isClosed = true
    handles -= 1
    condition.unlock()
    defer {
      writeQueue.finish()
      readQueue.finish()
      onClose()
    }
    watch.stop()
    changes.close()
    try storage.close()
  }

  /// Waits, with the lock held, until no transaction is open.
  private func waitForTransactions(_ purpose: String) throws(StorageError) {
    let deadline = Date(timeIntervalSinceNow: options.timeout.seconds)
    while active > 0 {
      if !condition.wait(until: deadline), active > 0 {
        throw StorageError(
          .busy,
          "the store is in use by \(active) transactions; end them, then \(purpose) it again"
        )
      }
    }
  }

  // MARK: Suspending

  /// Lets locks and files go once no transaction is open; new ones are refused from now on.
  func suspend() throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    if isClosed || isClosing { throw Store.closedError }
    if isSuspended { return }
    isSuspended = true
    do throws(StorageError) {
      try waitForTransactions("suspend")
      try storage.suspend()
    } catch {
      isSuspended = false
      throw error
    }
  }

  /// Takes up what ``suspend()`` let go.
  ///
  /// Observers hear that anything may have changed, and those that could not read meanwhile do.
  func resume() throws(StorageError) {
    guard try endSuspension(), changes.hasSubscribers else { return }
    // Suspended again or closed already, it tells when it is next resumed, or never.
    guard (try? beginTransaction()) != nil else { return }
    defer { endTransaction() }
    try publishUnknownChange()
  }

  /// Whether the storage was suspended.
  private func endSuspension() throws(StorageError) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if isClosed || isClosing { throw Store.closedError }
    if !isSuspended { return false }
    try storage.resume()
    renewFile()
    isSuspended = false
    return true
  }

  // MARK: Observing

  /// Sees to it that commits of other processes are noticed while anybody observes.
  func watchOtherProcesses() {
    guard storage.capabilities.noticesExternalChanges else { return }
    watch.start { [weak self] in self?.noticeOtherProcesses() ?? false }
  }

  /// Tells the observers if another process has committed.
  ///
  /// - Returns: whether to go on asking.
  private func noticeOtherProcesses() -> Bool {
    guard changes.hasSubscribers else { return false }
    do throws(StorageError) {
      try beginTransaction()
    } catch {
      return error.code == .suspended
    }
    defer { endTransaction() }
    // While one of our own writers is in, others cannot commit.
    guard gate.enter(until: { .now }) else { return true }
    defer { gate.leave() }
    do throws(StorageError) {
      try publishExternalChange()
    } catch {
      changes.fail(error)
    }
    return true
  }

  /// Tells the observers of commits of other processes so far; the gate is held.
  func publishExternalChange() throws(StorageError) {
    if try storage.takeExternalChange() { try publishUnknownChange() }
  }

  /// Tells the observers that anything may have changed.
  private func publishUnknownChange() throws(StorageError) {
    let reader = try storage.beginReading(timeout: options.timeout)
    defer { reader.end() }
    var collections: [String: CollectionChange] = [:]
    for collection in reader.catalog.collections {
      collections[collection.name] = CollectionChange(isComplete: false)
    }
    changes.publish(StoreChange(commits: 0, collections: collections))
  }
}
