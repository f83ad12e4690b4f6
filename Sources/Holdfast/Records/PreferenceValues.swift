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

  /// The stored form of a value; nil for the default.
  struct Stored: Sendable, Equatable {
    var text: [UInt8]?
  }

  /// Waits for one value after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let preferences: Preferences
    let key: PreferenceKey<Value>
    var values: ValueObservation<Stored>.AsyncIterator
    var last: Stored?

    /// The next value; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while let stored = try await values.next(isolation: actor) {
        if stored == last { continue }
        last = stored
        return try preferences.decode(stored.text, of: key)
      }
      return nil
    }

    /// The next value; nil at the end.
    public mutating func next() async throws -> Value? { try await next(isolation: nil) }
  }

  /// An iterator that begins with the value of this moment.
  public func makeAsyncIterator() -> AsyncIterator {
    let name = key.name
    let values = preferences.store.observe(in: Preferences.collectionName) { [preferences] in
      Stored(text: try preferences.text(of: name, in: $0))
    }
    return AsyncIterator(preferences: preferences, key: key, values: values.makeAsyncIterator())
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
