/// What is read from a store, first at once and then again after each commit that touched some
/// collections.
///
/// ```swift
/// for try await open in store.observe(in: "order", { try $0.count("order", where: .equal("isOpen", true)) }) {
///   label.text = "\(open)"
/// }
/// ```
/// The first value is that of the moment when it is asked for; every later one is of a moment behind
/// the commit that called for it, and no commit goes unseen in between. Commits that come faster than
/// values are taken are seen as one, by their last state; a writer is never held up. A value that is
/// equal to the one before is given all the same. It ends when its task is cancelled, after which
/// nothing arrives, when the store is closed, and with the error that reading throws. While the store
/// is suspended it waits.
///
/// Each iterator observes for itself, from when it is made; one is for one task at a time.
public struct ValueObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// What is read.
  public typealias Element = Value
  /// What reading may throw.
  public typealias Failure = any Error

  private let store: Store
  private let collections: Set<String>
  private let body: @Sendable (ReadTransaction) throws -> Value

  fileprivate init(
    _ store: Store,
    _ collections: Set<String>,
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) {
    self.store = store
    self.collections = collections
    self.body = body
  }

  /// The iterator, which observes from now on.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(store, store.changes(in: collections).subscription, body)
  }

  /// Reads one value after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let store: Store
    private let subscription: ChangeSubscription
    private let body: @Sendable (ReadTransaction) throws -> Value
    /// Whether there is something to read that was not given yet.
    private var isDue = true

    fileprivate init(
      _ store: Store,
      _ subscription: ChangeSubscription,
      _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) {
      self.store = store
      self.subscription = subscription
      self.body = body
    }

    /// The next value; nil at the end.
    public mutating func next() async throws -> Value? {
      try await next(isolation: nil)
    }

    /// The next value; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while true {
        if !isDue, try await subscription.next() == nil { return nil }
        isDue = true
        // What was committed until now, the coming snapshot sees.
        subscription.skipWaiting()
        let body = body
        do {
          let value = try await store.read { try body($0) }
          isDue = false
          return Task.isCancelled ? nil : value
        } catch is CancellationError {
          return nil
        } catch let error as StorageError where error.code == .closed {
          return nil
        } catch let error as StorageError where error.code == .suspended {
          // Resuming tells of a change.
          isDue = false
        }
      }
    }
  }
}

extension Store {
  /// What a body reads, first at once and then again after each commit that touched some collections.
  ///
  /// - Parameters:
  ///   - collections: the collections that the body reads; all of them if none is given.
  ///   - body: reads a value from a snapshot; runs on a thread of the store's own.
  /// - Returns: the values; see ``ValueObservation``.
  public func observe<Value: Sendable>(
    in collections: String...,
    reading body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) -> ValueObservation<Value> {
    ValueObservation(self, Set(collections), body)
  }
}
