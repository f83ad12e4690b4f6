import Synchronization

/// The observers of a store, and the way of events to them.
final class ChangeHub: Sendable {
  private struct State {
    var subscriptions: [ObjectIdentifier: Weak] = [:]
    var isClosed = false
  }
  /// A subscription lives as long as its sequence or iterator.
  private struct Weak {
    weak var subscription: ChangeSubscription?
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)

  /// Whether anybody observes.
  ///
  /// O(1), without a lock.
  var hasSubscribers: Bool { count.load(ordering: .acquiring) > 0 }

  /// Adds an observer; a closed store's events are over at once.
  func add(_ subscription: ChangeSubscription) {
    let isClosed = state.withLock { state in
      if !state.isClosed {
        state.subscriptions[ObjectIdentifier(subscription)] = Weak(subscription: subscription)
        count.store(state.subscriptions.count, ordering: .releasing)
      }
      return state.isClosed
    }
    if isClosed { subscription.finish(nil) }
  }

  /// Removes an observer.
  func remove(_ id: ObjectIdentifier) {
    state.withLock { state in
      state.subscriptions[id] = nil
      count.store(state.subscriptions.count, ordering: .releasing)
    }
  }

  /// Hands an event to everybody whom it concerns.
  ///
  /// Called in the order of commits.
  func publish(_ event: StoreChange) {
    for subscription in subscriptions { subscription.take(event) }
  }

  /// Ends all observers' sequences, with an error if there was one.
  func fail(_ error: StorageError) {
    for subscription in subscriptions { subscription.finish(error) }
  }

  /// Ends all observers' sequences for good: the store was closed.
  func close() {
    let all = subscriptions
    state.withLock { $0.isClosed = true }
    for subscription in all { subscription.finish(nil) }
  }

  private var subscriptions: [ChangeSubscription] {
    state.withLock { $0.subscriptions.values.compactMap(\.subscription) }
  }
}
