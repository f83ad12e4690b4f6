/// Decodes a model from made-up values, and notes the fields that it asks for.
final class ProbeDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var fields: [FieldDefinition] = []
  private let collection: String
  private let model: String
  private let run: ProbeRun

  private init(_ model: Any.Type, collection: String, _ run: ProbeRun) {
    self.collection = collection
    self.model = "\(model)"
    self.run = run
  }

  /// The most values of a model that are told apart.
  private static let maximumVariants = 256

  /// The fields of a model, in the order in which it decodes them, with a model of made-up values
  /// and others that differ from it in one value each, as far as the model takes them.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema``.
  static func derive<M: Decodable>(_ type: M.Type, collection: String) throws(StorageError)
    -> (fields: [FieldDefinition], models: [M])
  {
    let run = ProbeRun()
    let decoder = ProbeDecoder(type, collection: collection, run)
    var models = [try decoder.probe(type)]
    for value in 0..<min(run.count, maximumVariants) {
      let variant = ProbeDecoder(type, collection: collection, ProbeRun(varying: value))
      // A model that refuses this value stays as it is, and is told by its name.
      if let model = try? variant.probe(type) { models.append(model) }
    }
    return (decoder.fields, models)
  }

  private func probe<M: Decodable>(_ type: M.Type) throws(StorageError) -> M {
    do {
      return try M(from: self)
    } catch let error as StorageError {
      throw error
    } catch {
      let name = Self.property(of: error) ?? fields.last?.name
      throw StorageError(
        .invalidSchema,
        "\(name.map { "property \($0) of " } ?? "")\(model) refused a made-up value, so the fields "
          + "cannot be derived; give a sample: \(sampleLine)",
        underlying: error
      )
    }
  }

  /// The property that a model's own decoding complains of; nil if it does not say.
  private static func property(of error: any Error) -> String? {
    switch error as? DecodingError {
    case .dataCorrupted(let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      context.codingPath.first?.stringValue
    case .keyNotFound(let key, let context):
      context.codingPath.first?.stringValue ?? key.stringValue
    default: nil
    }
  }

  /// The line that gives a sample.
  private var sampleLine: String {
    "static let schema = Schema<\(model)>(\"\(collection)\", samples: [\(model)(…)])"
  }

  /// Notes a field and makes a value for it; nil only if it is optional.
  func value<T: Decodable>(_ name: String, _ type: T.Type, optional: Bool) throws -> T? {
    let outcome = ValueProbe.probe(type, run, depth: 0)
    if let known = fields.firstIndex(where: { $0.name == name }) {
      if optional || outcome.isOptional { fields[known].isOptional = true }
    } else {
      fields.append(
        FieldDefinition(name, outcome.type, optional: optional || outcome.isOptional)
      )
    }
    if outcome.value == nil, !optional {
      throw StorageError(
        .invalidSchema,
        "property \(name) of \(model): no value of \(T.self) can be made up; make it CaseIterable, "
          + "or give a sample: \(sampleLine)"
      )
    }
    return outcome.value
  }

  func allowNull(_ name: String) {
    if let known = fields.firstIndex(where: { $0.name == name }) { fields[known].isOptional = true }
  }

  func refusal(_ what: String) -> StorageError {
    StorageError(
      .invalidSchema,
      "the model of \(collection) decodes with \(what); a model must be a keyed container of fields"
    )
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw refusal("an unkeyed container")
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw refusal("a single value container")
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool {
      decoder.allowNull(key.stringValue)
      return false
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      guard let value = try decoder.value(key.stringValue, type, optional: false) else {
        throw decoder.refusal("an unknown type")
      }
      return value
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    // Without these the protocol's own versions are taken, which ask for a value that must be there.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
      try decoder.value(key.stringValue, type, optional: true)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
      try decoder.value(key.stringValue, type, optional: true)
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
}
