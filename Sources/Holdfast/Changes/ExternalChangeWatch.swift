import Foundation

/// Asks the storage ten times a second, while anybody observes, whether another process has
/// committed.
final class ExternalChangeWatch: @unchecked Sendable {
  // Unchecked: `condition` protects everything that changes.
  private static let interval = 0.1

  private let condition = NSCondition()
  private var isRunning = false
  /// Whether it was asked for since the last turn began.
  private var isWanted = false
  private var isStopped = false

  /// Starts a thread that calls `poll` until it says no more, unless one is running.
  func start(_ poll: @escaping @Sendable () -> Bool) {
    condition.lock()
    defer { condition.unlock() }
    isWanted = true
    if isRunning || isStopped { return }
    isRunning = true
    let thread = Thread { [self] in
      while wait() {
        if !poll(), endsUnlessWanted() { return }
      }
    }
    thread.name = "holdfast.changes"
    thread.start()
  }

  /// Waits for the next turn; false if the store closes.
  private func wait() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: Self.interval)
    while !isStopped, condition.wait(until: deadline) {}
    isWanted = false
    return !isStopped
  }

  private func endsUnlessWanted() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if isWanted { return false }
    isRunning = false
    return true
  }

  /// Ends the thread for good.
  func stop() {
    condition.lock()
    isStopped = true
    condition.broadcast()
    condition.unlock()
  }
}
