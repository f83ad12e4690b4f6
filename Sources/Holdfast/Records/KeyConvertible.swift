public import Foundation

/// What a repository takes as a primary key: an integer, a text, a UUID, a date, data, or a ``Key``.
///
/// A wrapper such as `struct UserID: RawRepresentable`, or one that encodes as a single value, needs
/// only to declare the conformance.
public protocol KeyConvertible: Sendable {
  /// The primary key.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` for a value that no key can hold.
  func storedKey() throws(StorageError) -> Key
}

extension Key: KeyConvertible {
  /// The key itself.
  public func storedKey() throws(StorageError) -> Key { self }
}

extension Int64: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(self)) }
}

extension Int: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension Int8: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension Int16: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension Int32: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension UInt8: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension UInt16: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension UInt32: KeyConvertible {
  /// A key of one integer.
  public func storedKey() throws(StorageError) -> Key { Key(.integer(Int64(self))) }
}

extension UInt: KeyConvertible {
  /// A key of one integer.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` above `Int64.max`.
  public func storedKey() throws(StorageError) -> Key { try Key(exactly: UInt64(self)) }
}

extension UInt64: KeyConvertible {
  /// A key of one integer.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` above `Int64.max`.
  public func storedKey() throws(StorageError) -> Key { try Key(exactly: UInt64(self)) }
}

extension Data: KeyConvertible {
  /// A key of one blob.
  public func storedKey() throws(StorageError) -> Key { Key(.blob(Array(self))) }
}

extension String: KeyConvertible {
  /// A key of one text.
  public func storedKey() throws(StorageError) -> Key { Key(.text(self)) }
}

extension UUID: KeyConvertible {
  /// A key of one UUID.
  public func storedKey() throws(StorageError) -> Key {
    Key(.blob(withUnsafeBytes(of: uuid) { Array($0) }))
  }
}

extension Date: KeyConvertible {
  /// A key of one date.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` outside the years 0000 to 9999.
  public func storedKey() throws(StorageError) -> Key {
    guard let text = DateCoding.encode(self) else {
      throw StorageError(.invalidValue, "a key takes dates of the years 0000 to 9999 only")
    }
    return Key(.text(text))
  }
}

extension KeyConvertible where Self: RawRepresentable, RawValue: KeyConvertible {
  /// The key of the raw value.
  public func storedKey() throws(StorageError) -> Key { try rawValue.storedKey() }
}

extension KeyConvertible where Self: Encodable {
  /// The key of the single value that the wrapper encodes as.
  public func storedKey() throws(StorageError) -> Key { try SingleValueKey.key(of: self) }
}

extension KeyConvertible where Self: RawRepresentable & Encodable, RawValue: KeyConvertible {
  /// The key of the raw value.
  public func storedKey() throws(StorageError) -> Key { try rawValue.storedKey() }
}

extension Optional: KeyConvertible where Wrapped: KeyConvertible {
  /// The key of the value, such as that of an inserted model's automatic `id`.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` for nil.
  public func storedKey() throws(StorageError) -> Key {
    guard let self else {
      throw StorageError(
        .invalidValue,
        "a key that is nil names no record; use the model that insert returned, which has its key"
      )
    }
    return try self.storedKey()
  }
}

extension Key {
  /// Creates a key of several parts, in the key's order.
  ///
  /// ```swift
  /// let seat = try await seats.get(Key(parts: hallID, 7))
  /// ```
  /// - Throws: ``StorageError/Code/invalidValue`` for a part that no key can hold.
  public init(parts: any KeyConvertible...) throws(StorageError) {
    var values: [Value] = []
    for part in parts { values += try part.storedKey().values }
    self.init(values)
  }
}

extension Key {
  fileprivate init(exactly integer: UInt64) throws(StorageError) {
    guard let integer = Int64(exactly: integer) else {
      throw StorageError(.invalidValue, "a key takes integers up to \(Int64.max) only")
    }
    self.init(.integer(integer))
  }
}

/// Makes keys of wrappers by their own coding.
private enum SingleValueKey {
  static func key(of value: some Encodable) throws(StorageError) -> Key {
    let type = SampleEncoder.ofWrapped(Swift.type(of: value), value)
    let layout = RowLayout(collection: "", fields: [FieldDefinition("key", type)])
    guard type != .json, let stored = try? layout.value(of: value, 0) else {
      throw StorageError(
        .invalidValue,
        "\(Swift.type(of: value)) does not encode as a single value that a key can hold"
      )
    }
    return Key(stored)
  }
}
