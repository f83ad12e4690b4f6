import Foundation
import Holdfast

/// Makes `Decodable` values of an ``ObjectValue``.
struct ObjectDecoder: Decoder {
  let value: ObjectValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Decodes a value.
  ///
  /// - Throws: `DecodingError`; what the types throw.
  static func decode<T: Decodable>(_ type: T.Type, from value: ObjectValue) throws -> T {
    try ObjectDecoder(value: value, codingPath: []).decode(type)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch(type, "an object") }
    return KeyedDecodingContainer(ObjectKeyedDecoding<Key>(decoder: self, members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
    return ObjectUnkeyedDecoding(decoder: self, elements: elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    ObjectSingleDecoding(decoder: self)
  }

  fileprivate func child(_ value: ObjectValue, _ key: some CodingKey) -> ObjectDecoder {
    ObjectDecoder(value: value, codingPath: codingPath + [key])
  }

  fileprivate func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if Self.isScalar(type) { return try scalar(type) }
    guard codingPath.count < 2 * ObjectBudget.maximumDepth else {
      throw corrupted("more levels of nesting than an archive holds")
    }
    return try type.init(from: self)
  }

  private static func isScalar(_ type: Any.Type) -> Bool {
    switch type {
    case is Bool.Type, is String.Type, is Double.Type, is Float.Type,
      is any FixedWidthInteger.Type, is Date.Type, is Data.Type, is Decimal.Type, is URL.Type:
      true
    default: false
    }
  }

  /// A value of a type that has a form of its own.
  ///
  /// Apart from ``decode(_:)``, so that each level of nesting takes little of the stack.
  @inline(never)
  private func scalar<T: Decodable>(_ type: T.Type) throws -> T {
    let result: Any?
    switch type {
    case is Bool.Type: if case .bool(let value) = value { result = value } else { result = nil }
    case is String.Type: result = value.text
    case is Double.Type: result = real
    case is Float.Type: result = real.flatMap { Float(exactly: $0) ?? rounded($0) }
    case let type as any FixedWidthInteger.Type: result = integer(type)
    case is Date.Type: result = value.text.flatMap(DateCoding.decode)
    case is Data.Type: result = data
    case is Decimal.Type:
      result = value.text.flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
    case is URL.Type: result = value.text.flatMap { URL(string: $0) }
    default: result = nil
    }
    if let result = result as? T { return result }
    if value == .null {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: codingPath, debugDescription: "null where \(type) belongs")
      )
    }
    throw mismatch(type, "\(type)")
  }

  private func integer<I: FixedWidthInteger>(_ type: I.Type) -> Any? {
    value.integer.flatMap { I(exactly: $0) }
  }

  private var real: Double? {
    switch value {
    case .real(let real): real
    case .integer(let integer): Double(exactly: integer)
    case .text("Infinity"): .infinity
    case .text("-Infinity"): -.infinity
    default: nil
    }
  }

  /// The nearest `Float`; decimal text of a `Float` may be none exactly.
  private func rounded(_ real: Double) -> Float? {
    let value = Float(real)
    return value.isFinite ? value : nil
  }

  private var data: Data? {
    switch value {
    case .data(let bytes): Data(bytes)
    case .text(let text): Data(base64Encoded: text)
    default: nil
    }
  }

  fileprivate func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
    .typeMismatch(
      type,
      .init(codingPath: codingPath, debugDescription: "expected \(wanted), found another kind")
    )
  }

  fileprivate func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}

private struct ObjectKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ObjectDecoder
  let members: [String: ObjectValue]
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { ObjectValue.sorted(members).compactMap { Key(stringValue: $0) } }

  private func place(_ key: some CodingKey) throws -> ObjectDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "the name is missing")
      )
    }
    return decoder.child(value, key)
  }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try place(key).value == .null }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try place(key).decode(type)
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try place(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try place(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try place(ObjectKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try place(key) }
}

private struct ObjectUnkeyedDecoding: UnkeyedDecodingContainer {
  let decoder: ObjectDecoder
  let elements: [ObjectValue]
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(decoder: ObjectDecoder, elements: [ObjectValue]) {
    self.decoder = decoder
    self.elements = elements
  }

  private func place() throws -> ObjectDecoder {
    guard !isAtEnd else { throw decoder.corrupted("the array ends early") }
    return decoder.child(elements[currentIndex], ObjectKey(currentIndex))
  }

  /// Steps on only if the body succeeds, as decoders do.
  private mutating func take<T>(_ body: (ObjectDecoder) throws -> T) throws -> T {
    let result = try body(try place())
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard try place().value == .null else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try take { try $0.decode(type) }
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  { try take { try $0.container(keyedBy: type) } }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try take { try $0.unkeyedContainer() }
  }
  mutating func superDecoder() throws -> any Decoder { try take { $0 } }
}

private struct ObjectSingleDecoding: SingleValueDecodingContainer {
  let decoder: ObjectDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value == .null }
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // One level deeper, so that a type that decodes itself alone does not recurse for ever.
    try decoder.child(decoder.value, ObjectKey("value")).decode(type)
  }
}
