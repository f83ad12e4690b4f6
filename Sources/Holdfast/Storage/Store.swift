import Synchronization

/// What applications hold: a store on any backend, with transactions that behave the same on all.
///
/// ```swift
/// let store = try Backends.open("sqlite:app.db")
/// try await store.write { transaction in
///   _ = try transaction.insert(["name": "Ada"], into: "user")
/// }
/// ```
///
/// `read` gives a snapshot from the moment it begins; `write` runs one writer at a time, commits
/// when the body returns and rolls everything back when an error leaves it. Bodies are synchronous.
/// `read` inside a body joins its transaction; `write` or ``close()`` inside one throws
/// ``StorageError/Code/nestedTransaction``. Every wait ends after the options' timeout with
/// ``StorageError/Code/busy``. A store may be used from any thread and task.
public final class Store: Sendable {
  /// What the backend offers.
  public let capabilities: Capabilities
  /// The options with which it was opened.
  public let options: StorageOptions
  /// Whether opening created the store, rather than finding it.
  public let wasCreated: Bool

  let shared: SharedStorage
  private let isClosed = Mutex(false)

  /// Makes a store of an open storage.
  ///
  /// It owns the storage from now on.
  public convenience init(_ storage: any Storage, options: StorageOptions = StorageOptions()) {
    self.init(
      sharing: SharedStorage(storage, options: options, onClose: {}),
      wasCreated: storage.wasCreated
    )
  }

  init(sharing shared: SharedStorage, wasCreated: Bool) {
    self.shared = shared
    capabilities = shared.storage.capabilities
    options = shared.options
    self.wasCreated = wasCreated
  }

  deinit {
    if !isClosed.withLock({ $0 }) {
      // A handle that was never closed gives its share back; there is nobody to report to.
      _ = Result { try shared.releaseHandle() }
    }
  }

  /// Closes this handle, and the storage with the last handle on it.
  ///
  /// Idempotent.
  ///
  /// - Throws: ``StorageError/Code/busy`` if transactions are still open after the timeout, and the
  ///   store stays open; ``StorageError/Code/nestedTransaction`` inside a body.
  public func close() throws(StorageError) {
    try checkOutside("a store cannot be closed inside a transaction; close it after")
    let wasClosed = isClosed.withLock { closed in
      defer { closed = true }
      return closed
    }
    if wasClosed { return }
    do throws(StorageError) {
      try shared.releaseHandle()
    } catch {
      if error.code == .busy { isClosed.withLock { $0 = false } }
      throw error
    }
  }

  /// Throws if this handle was closed.
  func checkHandle() throws(StorageError) {
    if isClosed.withLock({ $0 }) { throw Self.closedError }
  }

  /// Throws if this thread is inside a transaction of the store.
  func checkOutside(_ message: String) throws(StorageError) {
    if TransactionScope.current(of: ObjectIdentifier(shared)) != nil {
      throw StorageError(.nestedTransaction, message)
    }
  }

  /// Throws if the store was opened for reading only.
  func checkNotReadOnly() throws(StorageError) {
    if options.isReadOnly {
      throw StorageError(.readOnly, "the store was opened read-only; open it for writing")
    }
  }

  static var closedError: StorageError {
    StorageError(.closed, "the store is closed; open it again")
  }

  // MARK: Synchronous

  /// Runs `body` on a snapshot, on this thread.
  ///
  /// - Throws: what the body throws; ``StorageError/Code/busy``, ``StorageError/Code/closed``.
  @available(*, noasync, message: "use the asynchronous read")
  public func read<T>(_ body: (ReadTransaction) throws -> T) throws -> T {
    try performRead(deadline: nil, body)
  }

  /// Runs `body` in the write transaction, on this thread, and commits.
  ///
  /// - Throws: what the body throws, after rolling back; ``StorageError/Code/busy``,
  ///   ``StorageError/Code/closed``, ``StorageError/Code/readOnly``,
  ///   ``StorageError/Code/nestedTransaction``; what committing throws.
  @available(*, noasync, message: "use the asynchronous write")
  @discardableResult
  public func write<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    try performWrite(deadline: nil, body)
  }

  func deadline() -> ContinuousClock.Instant { .now + options.timeout }

  /// What is left of a wait; all of it if nothing was waited for yet.
  private func left(_ deadline: ContinuousClock.Instant?) -> Duration {
    guard let deadline else { return options.timeout }
    return max(.zero, ContinuousClock.now.duration(to: deadline))
  }

  func performRead<T>(
    deadline: ContinuousClock.Instant?,
    cancellation: Cancellation? = nil,
    _ body: (ReadTransaction) throws -> T
  ) throws -> T {
    let owner = ObjectIdentifier(shared)
    if let outer = TransactionScope.current(of: owner) { return try body(outer) }
    try checkHandle()
    try shared.beginTransaction()
    defer { shared.endTransaction() }
    let log = shared.log
    let reader = try Self.beginning(log) { () throws(StorageError) in
      try shared.storage.beginReading(timeout: left(deadline))
    }
    let transaction = ReadTransaction(reader, cancellation, log)
    defer { transaction.finish() }
    return try run(transaction, reader.interruption) { try body(transaction) }
  }

  /// Begins a transaction, or waits for it, and tells the log how long that took.
  private static func beginning<Transaction>(
    _ log: OperationLog?,
    as kind: StoreOperation.Kind = .begin,
    _ body: () throws(StorageError) -> Transaction
  ) throws(StorageError) -> Transaction {
    guard let log else { return try body() }
    return try log.timing(kind, nil, rows: { _ in 0 }, body)
  }

  /// Runs a body inside its transaction, and ends its queries when its task is cancelled.
  private func run<T>(
    _ transaction: ReadTransaction,
    _ interruption: @autoclosure () -> (@Sendable () -> Void)?,
    _ body: () throws -> T
  ) throws -> T {
    let owner = ObjectIdentifier(shared)
    guard let cancellation = transaction.cancellation else {
      return try TransactionScope.enter(owner, transaction, body)
    }
    do {
      return try cancellation.interrupting(interruption()) {
        try TransactionScope.enter(owner, transaction, body)
      }
    } catch  where cancellation.isCancelled && error is StorageError {
      // Whatever the interrupted engine said.
      throw CancellationError()
    }
  }

  func performWrite<T>(
    deadline: ContinuousClock.Instant?,
    cancellation: Cancellation? = nil,
    _ body: (WriteTransaction) throws -> T
  ) throws -> T {
    try checkOutside("write was called inside a transaction of the same store; use a savepoint")
    try checkHandle()
    try checkNotReadOnly()
    try shared.beginTransaction()
    defer { shared.endTransaction() }
    let log = shared.log
    var deadline = deadline
    try Self.beginning(log, as: .wait) { () throws(StorageError) in
      try shared.enterGate {
        let limit = deadline ?? self.deadline()
        deadline = limit
        return limit
      }
    }
    defer { shared.gate.leave() }
    try shared.checkWritable()
    let isObserved = shared.changes.hasSubscribers
    if isObserved, capabilities.noticesExternalChanges { try shared.publishExternalChange() }
    let writer = try Self.beginning(log) { () throws(StorageError) in
      try shared.storage.beginWriting(timeout: left(deadline))
    }
    let transaction = WriteTransaction(writer, isObserved: isObserved, cancellation, log)
    defer { transaction.finish() }
    let result = try run(transaction, nil) { try body(transaction) }
    do throws(StorageError) {
      try transaction.commit()
    } catch {
      if error.code == .ioError { shared.recordFailure(error) }
      throw error
    }
    // Still inside the gate, so that events come in the order of commits.
    if shared.changes.hasSubscribers, let event = transaction.changes.event {
      shared.changes.publish(event)
    }
    return result
  }
}
