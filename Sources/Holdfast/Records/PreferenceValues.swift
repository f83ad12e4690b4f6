/// The value of one preference: the one that holds now, then each that is set later.
///
/// Values that come faster than they are taken are left out, and so is one whose stored form is
/// that of the last: what arrives is always the newest. It ends when its task is cancelled, after
/// which nothing arrives, and when the store is closed.
///
/// A stored value that the key's type cannot hold is thrown as ``Preferences/get(_:in:)`` throws it;
/// the iterator can be asked again, and goes on with the value that is set next. Each iterator
/// begins with the value of its own moment.
public struct PreferenceValues<Value: Codable & Sendable>: AsyncSequence, Sendable {
  /// A value of the preference.
  public typealias Element = Value
  /// What reading the store throws, ``StorageError`` as a rule.
  public typealias Failure = any Error

  let preferences: Preferences
  let key: PreferenceKey<Value>

  /// Waits for one value after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let preferences: Preferences
    let key: PreferenceKey<Value>
    // Subscribed before the first value is read, so that no change falls between them.
    let changes: ChangeSubscription
    var last: Stored?
    var mustRead = true

    /// The stored form of a value that was seen; nil for the default.
    struct Stored: Sendable, Equatable {
      var text: [UInt8]?
    }

    /// The next value; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while true {
        if !mustRead {
          guard let change = try await changes.next() else { return nil }
          guard change.concerns(key.name) else { continue }
          mustRead = true
        }
        if Task.isCancelled { return nil }
        guard let stored = try await Self.read(key.name, preferences, isFirst: last == nil) else {
          return nil
        }
        if Task.isCancelled { return nil }
        mustRead = false
        if stored == last { continue }
        last = stored
        return try preferences.decode(stored.text, of: key)
      }
    }

    /// The next value; nil at the end.
    public mutating func next() async throws -> Value? { try await next(isolation: nil) }

    /// The stored form, or nil if the store was closed or the task cancelled meanwhile.
    private static func read(_ name: String, _ preferences: Preferences, isFirst: Bool) async throws
      -> Stored?
    {
      do {
        return try await preferences.store.read { transaction in
          Stored(text: try preferences.text(of: name, in: transaction))
        }
      } catch is CancellationError {
        return nil
      } catch let error as StorageError where error.code == .closed && !isFirst {
        return nil
      }
    }
  }

  /// An iterator that begins with the value of this moment.
  public func makeAsyncIterator() -> AsyncIterator {
    let changes = preferences.store.changes(in: Preferences.collectionName).subscription
    return AsyncIterator(preferences: preferences, key: key, changes: changes)
  }
}

extension Preferences {
  /// The value of a preference as it holds now, and then as it changes, also by other processes where
  /// the backend notices them.
  ///
  /// ```swift
  /// for try await size in preferences.values(of: .fontSize) { label.fontSize = size }
  /// ```
  /// - Returns: the values, newest last.
  public func values<Value>(of key: PreferenceKey<Value>) -> PreferenceValues<Value> {
    PreferenceValues(preferences: self, key: key)
  }
}

extension StoreChange {
  /// Whether a preference may have changed.
  fileprivate func concerns(_ name: String) -> Bool {
    guard let change = collections[Preferences.collectionName] else { return false }
    return !change.isComplete || change.kinds[Key(.text(name))] != nil
  }
}
