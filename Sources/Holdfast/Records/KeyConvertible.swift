public import Foundation

/// What a repository takes as a primary key: an integer, a text, a UUID, a date, or a ``Key``.
///
/// A wrapper such as `struct UserID: RawRepresentable` needs only to declare the conformance.
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
