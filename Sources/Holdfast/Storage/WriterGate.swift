import Foundation

/// A fair lock whose waits end: writers enter one at a time, in the order in which they asked.
final class WriterGate: @unchecked Sendable {
  // Unchecked: `condition` protects everything that changes.
  private final class Ticket {}

  // `condition` protects both.
  private let condition = NSCondition()
  private var queue: [Ticket] = []
  private var isHeld = false

  /// Takes the gate; false if the deadline passed first, which is asked for only if there is a wait.
  func enter(until deadline: () -> ContinuousClock.Instant) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if !isHeld, queue.isEmpty {
      isHeld = true
      return true
    }
    let deadline = deadline()
    let ticket = Ticket()
    queue.append(ticket)
    while isHeld || queue.first !== ticket {
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero {
        queue.removeAll { $0 === ticket }
        condition.broadcast()
        return false
      }
      _ = condition.wait(until: Date(timeIntervalSinceNow: left.seconds))
    }
    queue.removeFirst()
    isHeld = true
    return true
  }

  /// Lets the gate go.
  func leave() {
    condition.lock()
    isHeld = false
    condition.broadcast()
    condition.unlock()
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
