/// The keyed container of a row: one field a key.
struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {
    encoder.buffer.setNull(try encoder.position(key.stringValue))
  }
  func encode(_ value: Bool, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, value ? 1 : 0)
  }
  func encode(_ value: String, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setText(position, value)
  }
  func encode(_ value: Double, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setReal(position, value)
  }
  func encode(_ value: Float, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setReal(position, Double(value))
  }
  func encode(_ value: Int, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: Int8, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: Int16, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: Int32, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: Int64, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, value)
  }
  func encode(_ value: UInt, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    try encoder.encode(unsigned: UInt64(value), at: position)
  }
  func encode(_ value: UInt8, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: UInt16, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: UInt32, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    encoder.buffer.setInteger(position, Int64(value))
  }
  func encode(_ value: UInt64, forKey key: Key) throws {
    let position = try encoder.position(key.stringValue)
    try encoder.encode(unsigned: UInt64(value), at: position)
  }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try encoder.encode(value, at: try encoder.position(key.stringValue))
  }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    refuse("a nested container for \(key.stringValue)").container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    refuse("a nested container for \(key.stringValue)")
  }
  func superEncoder() -> any Encoder { refuse("a superclass encoder") }
  func superEncoder(forKey key: Key) -> any Encoder { refuse("a superclass encoder") }

  private func refuse(_ what: String) -> RefusingEncoder {
    RefusingEncoder(collection: encoder.layout.collection, what: what)
  }
}

/// Encodes one field of a row by the value's own coding: raw values of enums, wrappers.
struct FieldEncoder: Encoder, SingleValueEncodingContainer {
  let encoder: RowEncoder
  let position: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    refuse("keyed container").container(keyedBy: type)
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse("unkeyed container") }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  private func refuse(_ what: String) -> RefusingEncoder {
    RefusingEncoder(
      collection: encoder.layout.collection,
      what: "a \(what) in field \(encoder.layout.names[position]), decoded as a single value"
    )
  }

  func encodeNil() throws { encoder.buffer.setNull(position) }
  func encode(_ value: Bool) throws { encoder.buffer.setInteger(position, value ? 1 : 0) }
  func encode(_ value: String) throws { encoder.buffer.setText(position, value) }
  func encode(_ value: Double) throws { encoder.buffer.setReal(position, value) }
  func encode(_ value: Float) throws { encoder.buffer.setReal(position, Double(value)) }
  func encode(_ value: Int) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: Int8) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: Int16) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: Int32) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: Int64) throws { encoder.buffer.setInteger(position, value) }
  func encode(_ value: UInt) throws { try encoder.encode(unsigned: UInt64(value), at: position) }
  func encode(_ value: UInt8) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: UInt16) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: UInt32) throws { encoder.buffer.setInteger(position, Int64(value)) }
  func encode(_ value: UInt64) throws { try encoder.encode(unsigned: UInt64(value), at: position) }
  func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value, at: position) }
}
