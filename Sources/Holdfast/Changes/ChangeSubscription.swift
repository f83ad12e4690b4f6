import Synchronization

/// One observer's events that it has not taken yet.
///
/// A writer never waits for it: what does not fit is merged into the last event.
final class ChangeSubscription: Sendable {
  /// The most events and keys that wait one by one.
  private static let maximumWaiting = 64
  private static let maximumKeys = ChangeLog.maximumKeys

  private struct State {
    var waiting: [StoreChange] = []
    var continuation: CheckedContinuation<Result<StoreChange?, StorageError>, Never>?
    var end: Result<StoreChange?, StorageError>?
  }

  private let collections: Set<String>?
  private let hub: ChangeHub
  private let state = Mutex(State())

  init(_ hub: ChangeHub, collections: Set<String>?) {
    self.hub = hub
    self.collections = collections
    hub.add(self)
  }

  deinit { hub.remove(ObjectIdentifier(self)) }

  /// Takes an event, if it concerns the observer.
  func take(_ event: StoreChange) {
    guard let event = event.restricted(to: collections) else { return }
    let continuation = state.withLock { state in
      if state.end != nil {
        return nil as CheckedContinuation<Result<StoreChange?, StorageError>, Never>?
      }
      if let continuation = state.continuation {
        state.continuation = nil
        return continuation
      }
      let keys = state.waiting.reduce(event.keyCount) { $0 + $1.keyCount }
      if state.waiting.isEmpty
        || state.waiting.count < Self.maximumWaiting && keys <= Self.maximumKeys
      {
        state.waiting.append(event)
      } else {
        state.waiting[state.waiting.count - 1].merge(event)
      }
      return nil
    }
    continuation?.resume(returning: .success(event))
  }

  /// Forgets what waits: whoever asks for the store's state afterwards sees all of it.
  func skipWaiting() { state.withLock { $0.waiting.removeAll() } }

  /// Ends the sequence; what waits is still delivered, unless the observer cancelled.
  func finish(_ error: StorageError?, discarding: Bool = false) {
    let continuation = state.withLock { state in
      if discarding { state.waiting.removeAll() }
      if state.end == nil { state.end = error.map { .failure($0) } ?? .success(nil) }
      defer { state.continuation = nil }
      return state.continuation
    }
    hub.remove(ObjectIdentifier(self))
    continuation?.resume(returning: error.map { .failure($0) } ?? .success(nil))
  }

  /// The next event, if one waits already.
  func takeWaiting() -> StoreChange? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// The next event, waited for; nil at the end.
  func next() async throws(StorageError) -> StoreChange? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Result<StoreChange?, StorageError>? = state.withLock { state in
          if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
          if let end = state.end { return end }
          precondition(state.continuation == nil, "changes are iterated by one task at a time")
          state.continuation = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      finish(nil, discarding: true)
    }
    return try result.get()
  }
}
