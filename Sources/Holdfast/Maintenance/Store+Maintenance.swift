extension Store {
  /// Copies one snapshot of the store to a path where nothing is yet, while others read and write.
  ///
  /// - Throws: ``StorageError/Code/unsupported`` on a backend that does not declare
  ///   ``Capabilities/backsUpOnline``; ``StorageError/Code/alreadyExists``;
  ///   ``StorageError/Code/closed``; what the engine reports, with nothing left at the path.
  @available(*, noasync, message: "use the asynchronous backup")
  public func backup(to path: String) throws(StorageError) {
    try maintain { storage, timeout throws(StorageError) in
      try storage.backup(to: path, timeout: timeout)
    }
  }

  /// Copies one snapshot of the store to a path where nothing is yet, while others read and write.
  public func backup(to path: String) async throws {
    try await onOwnThread { try $0.backup(to: path) }
  }

  /// Gives space that nothing uses back to the system.
  ///
  /// No writer runs meanwhile.
  /// - Throws: ``StorageError/Code/busy``, ``StorageError/Code/readOnly``,
  ///   ``StorageError/Code/nestedTransaction`` inside a body; what the engine reports.
  @available(*, noasync, message: "use the asynchronous compact")
  public func compact() throws(StorageError) {
    try checkOutside("a store cannot be compacted inside a transaction; do it after")
    try checkNotReadOnly()
    try maintain { storage, timeout throws(StorageError) in
      try shared.enterGate(until: deadline)
      defer { shared.gate.leave() }
      try shared.checkWritable()
      try storage.compact(timeout: timeout)
      shared.renewFile()
    }
  }

  /// Gives space that nothing uses back to the system.
  public func compact() async throws {
    try await onOwnThread { try $0.compact() }
  }

  /// Lets the store's locks and files go, as an app must before the system suspends it.
  ///
  /// Waits for the transactions that run; from then on, until ``resume()``, everything but closing
  /// throws ``StorageError/Code/suspended``. Idempotent.
  /// - Throws: ``StorageError/Code/busy`` if transactions are still open after the timeout, and the
  ///   store goes on; ``StorageError/Code/nestedTransaction`` inside a body.
  public func suspend() throws(StorageError) {
    try checkOutside("a store cannot be suspended inside a transaction; do it after")
    try checkHandle()
    try shared.suspend()
  }

  /// Takes up what ``suspend()`` let go.
  ///
  /// Idempotent.
  ///
  /// - Throws: as opening does: ``StorageError/Code/corrupt``, ``StorageError/Code/newerFormat``,
  ///   ``StorageError/Code/cannotOpen``; the store stays suspended then.
  public func resume() throws(StorageError) {
    try checkHandle()
    try shared.resume()
  }

  /// Runs work on the storage as a transaction is run: counted, so that closing waits for it.
  func maintain<T>(
    _ body: (any Storage, Duration) throws(StorageError) -> T
  ) throws(StorageError) -> T {
    try checkHandle()
    try shared.beginTransaction()
    defer { shared.endTransaction() }
    return try body(shared.storage, options.timeout)
  }

  /// Runs synchronous work on one of the store's threads.
  func onOwnThread<T: Sendable>(
    _ body: @escaping @Sendable (Store) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      shared.readQueue.add { continuation.resume(with: Result { try body(self) }) }
    }
  }
}
