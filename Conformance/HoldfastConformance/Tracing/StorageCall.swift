import Holdfast
import Synchronization

/// One call of a storage, without what it was about.
struct StorageCall: Sendable, Equatable {
  /// Whose call it is: `write 3`, or a store.
  var source: String
  /// What was asked for.
  var verb: String
  /// The collection, if it was about one.
  var collection: String
  /// What came of it, where that is not plain success.
  var outcome: String

  /// The call in one line.
  func text(_ subject: String) -> String {
    let words = [verb, collection, subject].filter { !$0.isEmpty }.joined(separator: " ")
    return "\(source): \(words)" + (outcome.isEmpty ? "" : " → \(outcome)")
  }
}

/// The trace of a case, which its stores add to from any thread.
final class TraceLog: Sendable {
  private struct State {
    var trace = StepTrace()
    var transactions = 0
  }
  private let state = Mutex(State())

  /// Adds a step.
  func add(_ step: StepTrace.Step) { state.withLock { $0.trace.add(step) } }

  /// Adds a call of a storage; see ``StepTrace/add(_:_:)``.
  func add(_ call: StorageCall, _ subject: (_ isFull: Bool) -> String) {
    state.withLock { $0.trace.add(call, subject) }
  }

  /// Adds a last step, the first time.
  func end(_ step: String) { state.withLock { $0.trace.end(step) } }

  /// The steps, a line each, oldest first.
  var lines: [String] { state.withLock { $0.trace.lines } }

  /// A name for the next transaction.
  func nextTransaction(_ kind: String, of store: String) -> String {
    let number = state.withLock { state in
      state.transactions += 1
      return state.transactions
    }
    return "\(store.isEmpty ? "" : "\(store), ")\(kind) \(number)"
  }
}
