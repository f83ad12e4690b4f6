/// Typed settings with defaults, kept in the store itself, in the collection `preferences`.
///
/// ```swift
/// let preferences = Preferences(store)
/// try await preferences.set(.fontSize, to: 14)
/// let size = try await preferences.get(.fontSize)
/// for try await size in preferences.values(of: .fontSize) { print(size) }
/// ```
///
/// Each is one record: its name, and its value as canonical JSON. Methods come three times, as those
/// of ``Repository``.
public struct Preferences: Sendable {
  /// The collection's name.
  public static let collectionName = "preferences"
  /// The store.
  public let store: Store

  private static let definition = CollectionDefinition(
    collectionName,
    fields: [FieldDefinition("name", .text), FieldDefinition("value", .json)],
    key: ["name"]
  )

  /// Creates preferences on a store, without reading or writing anything.
  public init(_ store: Store) { self.store = store }

  // MARK: In a transaction

  /// The value that was set, or the key's default.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch`` if the stored value is none of the key's type;
  ///   ``StorageError/Code/corrupt`` if it is no JSON at all, as only another program can leave it.
  ///   The message names the preference.
  public func get<Value>(_ key: PreferenceKey<Value>, in transaction: ReadTransaction) throws
    -> Value
  {
    try decode(try text(of: key.name, in: transaction), of: key)
  }

  /// The stored JSON of a preference; nil if none was set.
  func text(of name: String, in transaction: ReadTransaction) throws(StorageError) -> [UInt8]? {
    guard let collection = try transaction.catalog.collection(named: Self.collectionName),
      let row = try transaction.get(Key(.text(name)), in: collection)
    else { return nil }
    let position = try collection.position(of: "value")
    guard row.kind(position) == .text else {
      throw StorageError(
        .corrupt,
        "preference \(name) holds \(row.kind(position)), not JSON; remove it"
      )
    }
    return Array(row.bytes(position))
  }

  /// The value of a stored JSON text, or the key's default where there is none.
  func decode<Value>(_ text: [UInt8]?, of key: PreferenceKey<Value>) throws -> Value {
    guard let text else { return key.defaultValue }
    return try text.withUnsafeBytes { bytes in
      // Strict and bounded in depth, before a decoder recurses into it.
      guard JSON.canonical(bytes) != nil else {
        throw StorageError(
          .corrupt,
          "preference \(key.name) holds text that is not JSON; remove it"
        )
      }
      do {
        return try NestedJSON().decode(Value.self, from: bytes)
      } catch let error as DecodingError {
        throw StorageError(
          .typeMismatch,
          "preference \(key.name) holds a value of another type than \(Value.self); remove it",
          underlying: error
        )
      }
    }
  }

  /// Sets a value.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` for one that JSON cannot hold (NaN).
  public func set<Value>(
    _ key: PreferenceKey<Value>,
    to value: Value,
    in transaction: WriteTransaction
  ) throws {
    let text: String
    do {
      text = String(decoding: try NestedJSON().encode(value), as: UTF8.self)
    } catch let error as EncodingError {
      throw StorageError(
        .invalidValue,
        "preference \(key.name) cannot hold this value as JSON",
        underlying: error
      )
    }
    try transaction.ensureCollection(Self.definition)
    try transaction.put(["name": .text(key.name), "value": .text(text)], in: Self.collectionName)
  }

  /// Removes a value, so that the default holds again.
  ///
  /// - Returns: whether one was set.
  @discardableResult
  public func remove<Value>(_ key: PreferenceKey<Value>, in transaction: WriteTransaction) throws
    -> Bool
  {
    guard try transaction.catalog.collection(named: Self.collectionName) != nil else {
      return false
    }
    return try transaction.delete(Key(.text(key.name)), from: Self.collectionName)
  }

  // MARK: Asynchronous

  /// The value that was set, or the key's default.
  public func get<Value>(_ key: PreferenceKey<Value>) async throws -> Value {
    try await store.read { try self.get(key, in: $0) }
  }

  /// Sets a value.
  public func set<Value>(_ key: PreferenceKey<Value>, to value: Value) async throws {
    try await store.write { try self.set(key, to: value, in: $0) }
  }

  /// Removes a value, so that the default holds again; says whether one was set.
  @discardableResult
  public func remove<Value>(_ key: PreferenceKey<Value>) async throws -> Bool {
    try await store.write { try self.remove(key, in: $0) }
  }

  // MARK: Synchronous

  /// The value that was set, or the key's default.
  @available(*, noasync, message: "use the asynchronous version")
  public func get<Value>(_ key: PreferenceKey<Value>) throws -> Value {
    try store.read { try self.get(key, in: $0) }
  }

  /// Sets a value.
  @available(*, noasync, message: "use the asynchronous version")
  public func set<Value>(_ key: PreferenceKey<Value>, to value: Value) throws {
    try store.write { try self.set(key, to: value, in: $0) }
  }

  /// Removes a value, so that the default holds again; says whether one was set.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func remove<Value>(_ key: PreferenceKey<Value>) throws -> Bool {
    try store.write { try self.remove(key, in: $0) }
  }
}
