import Dispatch
import Foundation
import Synchronization

/// Runs blocking work on a few threads of its own, in order of arrival, away from Swift's cooperative
/// threads.
final class JobQueue: Sendable {
  private struct State {
    var waiting = FIFO<@Sendable () -> Void>()
    var running = 0
  }
  private let queue: DispatchQueue
  private let width: Int
  private let state = Mutex(State())

  /// Creates a queue that runs at most `width` jobs at once.
  init(label: String, width: Int) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
    self.width = width
  }

  /// Adds a job.
  func add(_ job: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.waiting.append(job)
      if state.running == width { return false }
      state.running += 1
      return true
    }
    if needsThread { queue.async { self.drain() } }
  }

  private func drain() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let job = state.waiting.popFirst() { return job }
      state.running -= 1
      return nil
    }
  }
}

/// A first-in first-out queue with amortised constant-time ends.
struct FIFO<Element> {
  private var elements: [Element?] = []
  private var head = 0

  /// The first element.
  var first: Element? { head < elements.count ? elements[head] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      elements[head] = nil
      head += 1
      if head == elements.count || head > 1024 {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }
}

/// Ends waits whose time is up: one timer for all, since all wait equally long.
final class DeadlineQueue: Sendable {
  /// Something that waits, and can be told that its time is up.
  protocol Waiter: AnyObject, Sendable {
    /// Whether it still waits.
    var isWaiting: Bool { get }
    /// Ends the wait.
    func expire()
  }

  private struct State {
    var waiters = FIFO<(deadline: ContinuousClock.Instant, waiter: any Waiter)>()
    var isArmed = false
  }
  private let state = Mutex(State())

  /// Adds a waiter whose deadline is not before those of earlier ones.
  func add(_ waiter: any Waiter, deadline: ContinuousClock.Instant) {
    let needsTimer = state.withLock { state in
      while let first = state.waiters.first, !first.waiter.isWaiting {
        _ = state.waiters.popFirst()
      }
      state.waiters.append((deadline, waiter))
      defer { state.isArmed = true }
      return !state.isArmed
    }
    if needsTimer { arm(deadline) }
  }

  private func arm(_ deadline: ContinuousClock.Instant) {
    let left = max(0, ContinuousClock.now.duration(to: deadline).seconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + left) { self.fire() }
  }

  private func fire() {
    var expired: [any Waiter] = []
    let next: ContinuousClock.Instant? = state.withLock { state in
      let now = ContinuousClock.now
      while let first = state.waiters.first, !first.waiter.isWaiting || first.deadline <= now {
        _ = state.waiters.popFirst()
        expired.append(first.waiter)
      }
      state.isArmed = state.waiters.first != nil
      return state.waiters.first?.deadline
    }
    for waiter in expired { waiter.expire() }
    if let next { arm(next) }
  }
}
