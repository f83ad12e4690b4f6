import Foundation
import Holdfast

/// A value while it is encoded; its kind is settled by the first container that is asked for.
private final class ObjectNode {
  enum Content {
    case nothing
    case scalar(ObjectValue)
    case array([ObjectNode])
    case object([String: ObjectNode])
  }
  var content = Content.nothing

  /// How many elements an array has so far.
  var count: Int {
    if case .array(let elements) = content { elements.count } else { 0 }
  }

  func append(_ node: ObjectNode) {
    guard case .array(var elements) = content else { return }
    content = .nothing
    elements.append(node)
    content = .array(elements)
  }

  func set(_ name: String, _ node: ObjectNode) {
    guard case .object(var members) = content else { return }
    content = .nothing
    members[name] = node
    content = .object(members)
  }

  func beginArray() { if case .array = content {} else { content = .array([]) } }
  func beginObject() { if case .object = content {} else { content = .object([:]) } }

  /// The value; one that encoded nothing is an empty object.
  var value: ObjectValue {
    switch content {
    case .nothing: .object([:])
    case .scalar(let value): value
    case .array(let elements): .array(elements.map { $0.value })
    case .object(let members): .object(members.mapValues { $0.value })
    }
  }
}

/// Turns an `Encodable` graph into an ``ObjectValue``, bounded in depth.
struct ObjectEncoder: Encoder {
  fileprivate let node: ObjectNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes a graph.
  ///
  /// - Throws: `EncodingError` for what no archive holds: NaN, dates outside the years 0000–9999,
  ///   integers above `Int64.max`, and graphs that nest too deep; what the types throw.
  static func encode(_ value: some Encodable) throws -> ObjectValue {
    let node = ObjectNode()
    try ObjectEncoder(node: node, codingPath: []).encode(value)
    return node.value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(ObjectKeyedEncoding<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return ObjectUnkeyedEncoding(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ObjectSingleEncoding(encoder: self)
  }

  fileprivate func child(_ key: some CodingKey) -> ObjectEncoder {
    ObjectEncoder(node: ObjectNode(), codingPath: codingPath + [key])
  }

  fileprivate func encode<T: Encodable>(_ value: T) throws {
    if let scalar = try scalar(value) {
      node.content = .scalar(scalar)
      return
    }
    guard codingPath.count < ObjectBudget.maximumDepth else {
      throw refused(value, "more than \(ObjectBudget.maximumDepth) levels of nesting")
    }
    try value.encode(to: self)
  }

  /// The value of a type that has a form of its own; nil for one that encodes itself.
  ///
  /// Apart from ``encode(_:)``, so that each level of nesting takes little of the stack.
  @inline(never)
  private func scalar<T: Encodable>(_ value: T) throws -> ObjectValue? {
    switch value {
    case let value as Bool: return .bool(value)
    case let value as String: return .text(value)
    case let value as Double: return try real(value)
    case let value as Float: return try real(Double(value))
    case let value as any FixedWidthInteger:
      guard let integer = Int64(exactly: value) else { throw refused(value, "more than 64 bits") }
      return .integer(integer)
    case let value as Date:
      guard let text = DateCoding.encode(value) else {
        throw refused(value, "a date outside of the years 0000 to 9999")
      }
      return .text(text)
    case let value as Data: return .data(Array(value))
    case let value as Decimal:
      if value.isNaN { throw refused(value, "NaN") }
      return .text(value.description)
    case let value as URL: return .text(value.absoluteString)
    default: return nil
    }
  }

  private func real(_ value: Double) throws -> ObjectValue {
    if value.isNaN { throw refused(value, "NaN") }
    return .real(value)
  }

  @inline(never)
  private func refused(_ value: Any, _ reason: String) -> EncodingError {
    EncodingError.invalidValue(
      value,
      .init(codingPath: codingPath, debugDescription: "an archive does not hold \(reason)")
    )
  }
}

private struct ObjectKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ObjectEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func place(_ key: some CodingKey) -> ObjectEncoder {
    let child = encoder.child(key)
    encoder.node.set(key.stringValue, child.node)
    return child
  }

  func encodeNil(forKey key: Key) throws { place(key).node.content = .scalar(.null) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try place(key).encode(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  { place(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    place(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { place(ObjectKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { place(key) }
}

private struct ObjectUnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: ObjectEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func place() -> ObjectEncoder {
    let child = encoder.child(ObjectKey(count))
    encoder.node.append(child.node)
    return child
  }

  func encodeNil() throws { place().node.content = .scalar(.null) }
  func encode<T: Encodable>(_ value: T) throws { try place().encode(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
    -> KeyedEncodingContainer<Nested>
  { place().container(keyedBy: type) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { place().unkeyedContainer() }
  func superEncoder() -> any Encoder { place() }
}

private struct ObjectSingleEncoding: SingleValueEncodingContainer {
  let encoder: ObjectEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.node.content = .scalar(.null) }
  func encode<T: Encodable>(_ value: T) throws {
    // One level deeper, so that a type that encodes itself alone does not recurse for ever.
    let inner = ObjectEncoder(
      node: encoder.node,
      codingPath: codingPath + [ObjectKey("value")]
    )
    try inner.encode(value)
  }
}

/// A key of an object or a place in an array.
struct ObjectKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }
  init(_ index: Int) {
    stringValue = "\(index)"
    intValue = index
  }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
