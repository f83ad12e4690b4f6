import Synchronization

/// Tells a transaction that the task which waits for it was cancelled.
final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  /// Whether it was cancelled.
  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Cancels, and ends what the engine runs.
  func cancel() {
    flag.store(true, ordering: .relaxed)
    interruption.withLock { $0?() }
  }

  /// Runs `body` while a cancellation ends what the engine runs.
  ///
  /// The engine is never interrupted outside of it, when it may serve another transaction.
  func interrupting<T>(_ interrupt: (@Sendable () -> Void)?, _ body: () throws -> T) rethrows -> T {
    interruption.withLock { $0 = interrupt }
    defer { interruption.withLock { $0 = nil } }
    return try body()
  }

  /// Throws if it was cancelled.
  @inline(__always)
  func check() throws(StorageError) {
    if isCancelled { throw Self.error }
  }

  private static var error: StorageError {
    StorageError(.cancelled, "the task was cancelled while its query ran; nothing was changed")
  }
}
