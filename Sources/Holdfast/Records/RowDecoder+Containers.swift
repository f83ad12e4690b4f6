/// The keyed container of a row: one field a key.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { decoder.layout.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    decoder.layout.position(key.stringValue, next: 0) != nil
  }
  func decodeNil(forKey key: Key) throws -> Bool {
    guard let position = decoder.layout.position(key.stringValue, next: 0) else { return true }
    return position >= decoder.row.count || decoder.row.isNull(position)
  }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder.bool(try decoder.position(key.stringValue))
  }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.bool(position)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder.string(try decoder.position(key.stringValue))
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.string(position)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder.double(try decoder.position(key.stringValue))
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.double(position)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder.float(try decoder.position(key.stringValue))
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.float(position)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decoder.integer(try decoder.position(key.stringValue), Int.self)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, Int.self)
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decoder.integer(try decoder.position(key.stringValue), Int8.self)
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, Int8.self)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decoder.integer(try decoder.position(key.stringValue), Int16.self)
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, Int16.self)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decoder.integer(try decoder.position(key.stringValue), Int32.self)
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, Int32.self)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decoder.integer(try decoder.position(key.stringValue), Int64.self)
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, Int64.self)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decoder.integer(try decoder.position(key.stringValue), UInt.self)
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, UInt.self)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decoder.integer(try decoder.position(key.stringValue), UInt8.self)
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, UInt8.self)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decoder.integer(try decoder.position(key.stringValue), UInt16.self)
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, UInt16.self)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decoder.integer(try decoder.position(key.stringValue), UInt32.self)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, UInt32.self)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decoder.integer(try decoder.position(key.stringValue), UInt64.self)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.integer(position, UInt64.self)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder.value(type, try decoder.position(key.stringValue))
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let position = try decoder.present(key.stringValue) else { return nil }
    return try decoder.value(type, position)
  }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw decoder.refusal("a nested container for \(key.stringValue)")
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw decoder.refusal("a nested container for \(key.stringValue)")
  }
  func superDecoder() throws -> any Decoder { throw decoder.refusal("a superclass decoder") }
  func superDecoder(forKey key: Key) throws -> any Decoder {
    throw decoder.refusal("a superclass decoder")
  }
}

/// Decodes one field of a row by the value's own coding: raw values of enums, wrappers.
struct FieldDecoder: Decoder, SingleValueDecodingContainer {
  let decoder: RowDecoder
  let position: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw decoder.refusal("a keyed container in \(decoder.layout.describe(position))")
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw decoder.refusal("an unkeyed container in \(decoder.layout.describe(position))")
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// The position, if the row is still there.
  private var place: Int {
    get throws {
      guard position < decoder.row.count else { throw decoder.refusal("a decoder that it kept") }
      return position
    }
  }

  func decodeNil() -> Bool { position >= decoder.row.count || decoder.row.isNull(position) }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool(try place) }
  func decode(_ type: String.Type) throws -> String { try decoder.string(try place) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.double(try place) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float(try place) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(try place, Int.self) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(try place, Int8.self) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(try place, Int16.self) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(try place, Int32.self) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(try place, Int64.self) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(try place, UInt.self) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(try place, UInt8.self) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(try place, UInt16.self) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(try place, UInt32.self) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(try place, UInt64.self) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type, try place) }
}
