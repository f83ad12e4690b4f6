import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Says on standard error, if that is a terminal, how far work has come that takes over a second.
final class ProgressLine: Sendable {
  private struct State {
    var shownAt: ContinuousClock.Instant
    var isShown = false
  }

  /// The most characters shown, so that the line fits on one of the terminal's.
  private static let width = 79

  private let start = ContinuousClock.now
  private let state: Mutex<State>
  /// Whether anybody sees it.
  let isTerminal = isatty(STDERR_FILENO) == 1
  private let items: String

  /// Prepares to count items, which are called so.
  init(_ items: String) {
    self.items = items
    state = Mutex(State(shownAt: start))
  }

  /// Reports items done, the part of the whole from 0 to 1 if it is known, and what is at work.
  func report(_ count: Int, _ part: Double?, _ detail: String = "") {
    guard isTerminal else { return }
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      guard now - start > .seconds(1), now - state.shownAt > .milliseconds(200) else {
        return false
      }
      state.shownAt = now
      state.isShown = true
      return true
    }
    guard isDue else { return }
    let components = (now - start).components
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    var text = "\(count) \(items), \(Int(Double(count) / seconds))/s"
    if let part, part > 0.001, part <= 1 {
      text += ", \(Int((seconds / part - seconds).rounded(.up))) s left"
    }
    if !detail.isEmpty { text += ", \(detail)" }
    Messages.write("\r\(text.prefix(Self.width))\u{1B}[K")
  }

  /// Clears the line.
  func finish() {
    if state.withLock({ $0.isShown }) { Messages.write("\r\u{1B}[K") }
  }
}
