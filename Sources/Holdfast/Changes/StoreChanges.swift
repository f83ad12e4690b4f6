/// The commits of a store from the moment of subscribing, in their order.
///
/// It ends when its task is cancelled, after which nothing arrives, and when the store is closed. An
/// observer that is slower than the writers hears of several commits as one; it never holds a writer
/// up. For one task at a time.
public struct StoreChanges: AsyncSequence, Sendable {
  /// A commit, or several as one.
  public typealias Element = StoreChange
  /// What noticing other processes may throw.
  public typealias Failure = StorageError

  let subscription: ChangeSubscription

  /// Waits for one event after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: ChangeSubscription

    /// The next event; nil at the end.
    public mutating func next() async throws(StorageError) -> StoreChange? {
      try await subscription.next()
    }

    /// The next event; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StorageError) -> StoreChange? {
      try await subscription.next()
    }
  }

  /// The next event, if one waits already, for tests that are not asynchronous.
  package func takeWaiting() -> StoreChange? { subscription.takeWaiting() }

  /// The iterator; all iterators of one sequence share its events.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}

extension Store {
  /// What is committed from now on: subscribe, then fetch, and nothing is missed in between.
  ///
  /// Commits of this process arrive at once, with the keys of inserted, updated and deleted records,
  /// those of cascades included; commits of other processes within 200 ms, where
  /// ``Capabilities/noticesExternalChanges`` says so, as changes of every collection. A commit that
  /// changed nothing, and what was rolled back, are silent.
  ///
  /// ```swift
  /// for try await change in store.changes(in: "user") { print(change.collections["user"]!.count) }
  /// ```
  /// The names are of those to observe; all of them if none is given.
  ///
  /// - Returns: the events.
  public func changes(in collections: String...) -> StoreChanges {
    changes(in: Set(collections))
  }

  /// What is committed from now on in some collections, or in all of them for an empty set.
  public func changes(in collections: Set<String>) -> StoreChanges {
    let subscription = ChangeSubscription(
      shared.changes,
      collections: collections.isEmpty ? nil : collections
    )
    shared.watchOtherProcesses()
    return StoreChanges(subscription: subscription)
  }
}
