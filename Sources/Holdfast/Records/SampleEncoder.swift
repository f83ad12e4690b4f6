import Foundation

/// Encodes a sample of a model, and notes the fields that it gives.
///
/// For models whose decoding refuses made-up values.
final class SampleEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var fields: [FieldDefinition] = []
  private let collection: String

  private init(collection: String) { self.collection = collection }

  /// The fields of a model, in the order in which its samples encode them.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema``.
  static func fields<M: Encodable>(of samples: [M], collection: String) throws(StorageError)
    -> [FieldDefinition]
  {
    let encoder = SampleEncoder(collection: collection)
    for sample in samples {
      do {
        try sample.encode(to: encoder)
      } catch let error as StorageError {
        throw error
      } catch {
        throw StorageError(
          .invalidSchema,
          "a sample of \(M.self) cannot be encoded; give \(collection) one that can",
          underlying: error
        )
      }
    }
    return encoder.fields
  }

  /// Notes a field by its type, and by its value where the type says too little.
  fileprivate func note<T: Encodable>(_ name: String, _ type: T.Type, _ value: T?, optional: Bool) {
    let isOptional = optional || type is any OptionalSample.Type
    let found = Self.fieldType(type, value)
    if let known = fields.firstIndex(where: { $0.name == name }) {
      if isOptional { fields[known].isOptional = true }
      if value != nil { fields[known].type = found }
    } else {
      fields.append(FieldDefinition(name, found, optional: isOptional))
    }
  }

  private static func fieldType<T: Encodable>(_ type: T.Type, _ value: T?) -> FieldType {
    if let optional = type as? any OptionalSample.Type {
      return optional.fieldType(value as Any)
    }
    return ofWrapped(type, value)
  }

  static func ofWrapped<T: Encodable>(_ type: T.Type, _ value: T?) -> FieldType {
    if let leaf = LeafType.fieldType(type) { return leaf }
    if let value {
      let shape = ShapeEncoder()
      try? value.encode(to: shape)
      if let type = shape.type { return type }
    }
    guard let decodable = type as? any Decodable.Type else { return .json }
    func probe<D: Decodable>(_ type: D.Type) -> FieldType {
      ValueProbe.probe(type, ProbeRun(), depth: 0).type
    }
    return probe(decodable)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { refusal("an unkeyed container") }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    refusal("a single value container")
  }

  private func refusal(_ what: String) -> RefusingEncoder {
    RefusingEncoder(collection: collection, what: what)
  }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: SampleEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
      encoder.note(key.stringValue, String?.self, .some(nil), optional: true)
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      encoder.note(key.stringValue, T.self, value, optional: false)
    }
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
      encoder.note(key.stringValue, T.self, value, optional: true)
    }
    // Without these the protocol's own versions are taken, which tell nothing of a nil.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { note(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { note(value, key) }
    private func note<T: Encodable>(_ value: T?, _ key: Key) {
      encoder.note(key.stringValue, T.self, value, optional: true)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type,
      forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      encoder.refusal("a nested container for \(key.stringValue)").container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.refusal("a nested container for \(key.stringValue)")
    }
    func superEncoder() -> any Encoder { encoder.refusal("a superclass encoder") }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.refusal("a superclass encoder") }
  }
}

/// Lets a sample's type be looked through where it is optional.
private protocol OptionalSample {
  static func fieldType(_ value: Any) -> FieldType
}

extension Optional: OptionalSample where Wrapped: Encodable {
  fileprivate static func fieldType(_ value: Any) -> FieldType {
    SampleEncoder.ofWrapped(Wrapped.self, value as? Wrapped)
  }
}

/// Notes which container a value asks for first.
private final class ShapeEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var type: FieldType?

  private struct Enough: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    self.type = self.type ?? .json
    return RefusingEncoder(collection: "", what: "").container(keyedBy: type)
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    type = type ?? .json
    return RefusingEncoder(collection: "", what: "")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws {}
  func encode<T: Encodable>(_ value: T) throws {
    if let leaf = LeafType.fieldType(T.self) {
      type = type ?? leaf
    } else {
      try value.encode(to: self)
    }
  }
}
