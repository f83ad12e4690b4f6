import Dispatch
import Foundation
import Synchronization

/// Runs blocking work on a few threads of its own, in order of arrival.
///
/// Not on Dispatch's shared threads: there are no more of these than cores, Swift's tasks run on them
/// too, and a disk or a lock must not hold up either. A thread that had nothing to do for a while ends.
final class JobQueue: @unchecked Sendable {
  private static let idleSeconds = 5.0

  private let label: String
  private let width: Int
  // `condition` protects everything below.
  private let condition = NSCondition()
  private var waiting = FIFO<@Sendable () -> Void>()
  private var threads = 0
  private var idle = 0
  private var isFinished = false

  /// Creates a queue that runs at most `width` jobs at once.
  init(label: String, width: Int) {
    self.label = label
    self.width = width
  }

  /// Adds a job.
  func add(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    waiting.append(job)
    // Idle threads that were signalled before may not have woken yet, so count the jobs they will take.
    if waiting.count <= idle {
      condition.signal()
    } else if threads < width {
      threads += 1
      let thread = Thread { self.work() }
      thread.name = label
      thread.start()
    }
  }

  /// Lets idle threads end at once, since nothing more is expected.
  ///
  /// A job that comes all the same still runs.
  func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
  }

  private func work() {
    while let job = next() { job() }
  }

  /// The next job, waited for; nil when the thread may end.
  private func next() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: Self.idleSeconds)
    while true {
      if let job = waiting.popFirst() { return job }
      if isFinished {
        threads -= 1
        return nil
      }
      idle += 1
      let isSignalled = condition.wait(until: deadline)
      idle -= 1
      if !isSignalled, waiting.first == nil {
        threads -= 1
        return nil
      }
    }
  }
}

/// A first-in first-out queue with amortised constant-time ends.
struct FIFO<Element> {
  private var elements: [Element?] = []
  private var head = 0

  /// How many elements there are.
  var count: Int { elements.count - head }

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
  private static let queue = DispatchQueue(label: "holdfast.deadline")

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
    Self.queue.asyncAfter(deadline: .now() + left) { self.fire() }
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
