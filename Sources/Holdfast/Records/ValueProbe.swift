/// Finds out how a type encodes itself and makes values of it, by decoding it from made-up values.
enum ValueProbe {
  /// What probing a type found.
  struct Outcome<T> {
    var type: FieldType
    var isOptional: Bool
    var value: T?
  }

  /// How deep nested values are made up, so that recursive types end.
  static let maximumDepth = 4

  static func probe<T: Decodable>(_ type: T.Type, _ run: ProbeRun, depth: Int) -> Outcome<T> {
    if let optional = type as? any OptionalProbe.Type {
      let wrapped = optional.probeWrapped(run, depth: depth)
      return Outcome(type: wrapped.type, isOptional: true, value: wrapped.value as? T)
    }
    if let leaf = LeafType.fieldType(type) {
      return Outcome(
        type: leaf,
        isOptional: false,
        value: LeafType.probeValue(type, variant: run.next())
      )
    }
    let start = run.count
    let shape = ShapeDecoder(run, depth: depth)
    // An enum refuses made-up raw values, having told its raw type.
    let decoded = try? T(from: shape)
    if run.count == start { _ = run.next() }
    let isVaried = run.hasVaried(since: start)
    let value = anyCase(type, variant: isVaried) ?? decoded ?? fabricate(type, variant: isVaried)
    return Outcome(type: shape.type ?? .json, isOptional: false, value: value)
  }

  /// The first or second case of an enumerable type.
  private static func anyCase<T>(_ type: T.Type, variant: Bool) -> T? {
    guard let enumerable = type as? any CaseIterable.Type else { return nil }
    func pick<C: CaseIterable>(_ type: C.Type) -> C? {
      C.allCases.dropFirst(variant ? 1 : 0).first ?? C.allCases.first
    }
    return pick(enumerable) as? T
  }

  /// Case 0 or 1 of an enum without payloads.
  ///
  /// Sound for every trivial type of no byte, which has one value, and of one byte: such an enum has
  /// at least two cases, numbered from 0, and a struct of one byte wraps one, a `Bool` or an integer.
  static func fabricate<T>(_ type: T.Type, variant: Bool) -> T? {
    guard _isPOD(T.self), MemoryLayout<T>.size <= 1 else { return nil }
    return withUnsafeBytes(of: variant ? 1 : 0 as UInt8) { $0.load(as: T.self) }
  }
}

/// Lets a probe look through an optional.
protocol OptionalProbe {
  static func probeWrapped(_ run: ProbeRun, depth: Int) -> (type: FieldType, value: Any?)
}

extension Optional: OptionalProbe where Wrapped: Decodable {
  static func probeWrapped(_ run: ProbeRun, depth: Int) -> (type: FieldType, value: Any?) {
    if depth >= ValueProbe.maximumDepth { return (.json, Wrapped?.none as Any) }
    let outcome = ValueProbe.probe(Wrapped.self, run, depth: depth)
    return (outcome.type, outcome.value as Any)
  }
}

/// Notes which containers a value asks for, and feeds it made-up values.
final class ShapeDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let run: ProbeRun
  let depth: Int
  private(set) var type: FieldType?

  init(_ run: ProbeRun, depth: Int) {
    self.run = run
    self.depth = depth
  }

  private struct TooDeep: Error {}

  func note(_ found: FieldType) { type = type ?? found }

  func value<T: Decodable>(_ type: T.Type, depth: Int) throws -> T {
    guard depth <= ValueProbe.maximumDepth,
      let value = ValueProbe.probe(type, run, depth: depth).value
    else { throw TooDeep() }
    return value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    note(.json)
    return KeyedDecodingContainer(Keyed<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    note(.json)
    return Unkeyed(decoder: self)
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

  private struct Single: SingleValueDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let outcome = ValueProbe.probe(type, decoder.run, depth: decoder.depth)
      decoder.note(outcome.type)
      guard let value = outcome.value else { throw TooDeep() }
      return value
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    /// One key: that of an enum's case, or of a dictionary's entry where this value is varied.
    var allKeys: [Key] {
      if let key = ValueProbe.fabricate(Key.self, variant: false) { return [key] }
      guard decoder.run.next(), decoder.depth < ValueProbe.maximumDepth,
        let key = Key(stringValue: "probe")
      else { return [] }
      return [key]
    }
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try decoder.value(type, depth: decoder.depth + 1)
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      try? decoder.value(type, depth: decoder.depth + 1)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type,
      forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      KeyedDecodingContainer<NestedKey>(Keyed<NestedKey>(decoder: decoder))
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      Unkeyed(decoder: decoder)
    }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
  }

  /// An empty list, or one of one element where this value is varied; more are given when asked for.
  private struct Unkeyed: UnkeyedDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var currentIndex = 0
    let count: Int?
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    init(decoder: ShapeDecoder) {
      self.decoder = decoder
      count = decoder.run.next() && decoder.depth < ValueProbe.maximumDepth ? 1 : 0
    }

    mutating func decodeNil() throws -> Bool { false }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let value = try decoder.value(type, depth: decoder.depth + 1)
      currentIndex += 1
      return value
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
      currentIndex += 1
      return KeyedDecodingContainer(Keyed<NestedKey>(decoder: decoder))
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      currentIndex += 1
      return Unkeyed(decoder: decoder)
    }
    mutating func superDecoder() throws -> any Decoder {
      currentIndex += 1
      return decoder
    }
  }
}
