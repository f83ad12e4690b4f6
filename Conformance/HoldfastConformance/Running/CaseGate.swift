import Foundation
import Synchronization

/// Lets as many cases run at once as there are processors, in order of arrival, whatever runs them:
/// cases on threads of their own would otherwise all run at once under a parallel test runner, and
/// those that measure waits would measure the load.
final class CaseGate: Sendable {
  static let shared = CaseGate(ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state: Mutex<State>

  private init(_ width: Int) { state = Mutex(State(free: width)) }

  /// Waits for a place.
  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Gives the place to the next in line.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
