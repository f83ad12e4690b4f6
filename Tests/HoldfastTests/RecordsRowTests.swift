import Foundation
import Testing

@testable import Holdfast

@Suite struct RecordsRowTests {
  private func roundTrip<M: Model>(_ model: M) throws -> M {
    let layout = try M.schema.resolved().layout
    return try RowEncoder(layout).withRow(of: model) {
      try RowDecoder(layout).decode(M.self, from: $0)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `Models of every kind of field come back equal`(seed: UInt64) throws {
    var random = ModelGenerator(seed: seed)
    let layout = try Everything.schema.resolved().layout
    let encoder = RowEncoder(layout)
    let decoder = RowDecoder(layout)
    for _ in 0..<200 {
      let model = random.everything()
      let back = try encoder.withRow(of: model) { try decoder.decode(Everything.self, from: $0) }
      #expect(back == model, "seed \(seed)")
    }
  }

  @Test func `Rows of models pass the checks of the store`() throws {
    var random = ModelGenerator(seed: 7)
    let definition = try Everything.schema.definition
    let collection = try Collection(
      id: 1,
      definition: definition,
      physicalName: "x",
      indexes: definition.indexes.enumerated().map { (2 + $0.offset, "i\($0.offset)") }
    )
    let encoder = RowEncoder(RowLayout(collection))
    for _ in 0..<200 {
      try encoder.withRow(of: random.everything()) { try FieldCheck.check($0, collection) }
    }
  }

  @Test func `Ten thousand random dates come back equal`() throws {
    var random = ModelGenerator(seed: 2026)
    let layout = try Renamed.schema.resolved().layout
    let encoder = RowEncoder(layout)
    let decoder = RowDecoder(layout)
    for _ in 0..<10_000 {
      let model = Renamed(key: "k", createdAt: random.date())
      let back = try encoder.withRow(of: model) { try decoder.decode(Renamed.self, from: $0) }
      #expect(back.createdAt == model.createdAt)
    }
  }

  @Test func `Fields in another order, and more of them, are found by name`() throws {
    let fields = [
      FieldDefinition("extra", .text, optional: true), FieldDefinition("joined", .date),
      FieldDefinition("age", .integer), FieldDefinition("city", .text),
      FieldDefinition("name", .text), FieldDefinition("id", .integer),
    ]
    let layout = RowLayout(collection: "person", fields: fields)
    let person = Person(id: 3, name: "A", city: nil, age: 9, joined: .distantPast)
    let (values, back) = try RowEncoder(layout).withRow(of: person) {
      (try $0.values(), try RowDecoder(layout).decode(Person.self, from: $0))
    }
    #expect(values[2...4] == [9, nil, "A"])
    #expect(back == person)
  }

  @Test func `Nested values are canonical JSON with sorted keys`() throws {
    struct Nested: Model {
      var id: Int
      var map: [String: Double]
      var when: [Date]
      static let schema = Schema<Nested>("nested", key: \.id)
    }
    let layout = try Nested.schema.resolved().layout
    let model = Nested(
      id: 1,
      map: ["b": -.infinity, "a": 1, "é/": 0.5],
      when: [Date.distantPast]
    )
    let values = try RowEncoder(layout).withRow(of: model) { try $0.values() }
    #expect(values[1] == #"{"a":1,"b":"-Infinity","é/":0.5}"#)
    #expect(values[2] == #"["0000-12-30T00:00:00.000000000Z"]"#)
  }

  // MARK: Errors

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    let error = #expect(throws: StorageError.self) { try body() }
    return error?.code
  }

  struct Numbers: Model {
    var id: UInt64
    var nested: [Double] = []
    var date = Date.distantPast
    var decimal: Decimal = 1
    static let schema = Schema<Numbers>("numbers", key: \.id)
  }

  @Test func `Values that no store can hold are refused`() throws {
    let layout = try Numbers.schema.resolved().layout
    let encoder = RowEncoder(layout)
    for model in [
      Numbers(id: .max), Numbers(id: 1, nested: [.nan]),
      Numbers(id: 1, date: Date(timeIntervalSinceReferenceDate: 1e15)),
      Numbers(id: 1, date: Date(timeIntervalSinceReferenceDate: .nan)),
      Numbers(id: 1, decimal: .nan),
    ] {
      #expect(code { _ = try encoder.withRow(of: model) { $0.count } } == .invalidValue)
    }
    _ = try encoder.withRow(of: Numbers(id: UInt64(Int64.max))) { $0.count }
  }

  @Test func `Stored values that do not fit are typed errors naming collection and field`() throws {
    let layout = try Person.schema.resolved().layout
    let decoder = RowDecoder(layout)
    func decode(_ position: Int, _ value: Value) throws {
      let encoder = RowEncoder(layout)
      _ = try encoder.withRow(of: Person(id: 1, name: "A", city: nil, age: 1, joined: nil)) {
        $0.count
      }
      encoder.buffer.set(position, value)
      _ = try decoder.decode(Person.self, from: encoder.buffer.view)
    }
    #expect(code { try decode(1, 5) } == .corrupt)
    #expect(code { try decode(1, .null) } == .typeMismatch)
    #expect(code { try decode(3, "x") } == .corrupt)
    #expect(code { try decode(4, "yesterday") } == .corrupt)
    let error = #expect(throws: StorageError.self) { try decode(3, 1.5) }
    #expect(error?.message.contains("field age of person") == true)
    #expect(
      code {
        _ = try decoder.decode(Person.self, from: RowBuffer(count: 2).view)
      } == .corrupt
    )
  }

  struct Narrow: Model {
    var id: Int
    var small: Int8
    var mood: Mood
    var level: Level
    var ratio: Float
    static let schema = Schema<Narrow>("narrow", key: \.id)
  }

  @Test func `Values that the model's type does not take are type mismatches`() throws {
    let layout = try Narrow.schema.resolved().layout
    for (position, value) in [(1, 300), (2, "angry"), (3, 4), (4, 0.1)] as [(Int, Value)] {
      let encoder = RowEncoder(layout)
      _ = try encoder.withRow(of: Narrow(id: 1, small: 1, mood: .calm, level: .low, ratio: 1)) {
        $0.count
      }
      encoder.buffer.set(position, value)
      let error = #expect(throws: StorageError.self) {
        try RowDecoder(layout).decode(Narrow.self, from: encoder.buffer.view)
      }
      #expect(error?.code == .typeMismatch)
      #expect(error?.message.contains("field \(layout.names[position]) of narrow") == true)
    }
  }

  /// Coded by hand: a default for a missing value, and a wrapped one.
  struct ByHand: Model, Equatable {
    var id: Int64?
    var count: Int
    var note: String
    enum CodingKeys: String, CodingKey { case id, count, note }
    init(id: Int64?, count: Int, note: String) {
      self.id = id
      self.count = count
      self.note = note
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      note = try container.decodeIfPresent(String.self, forKey: .note) ?? "none"
      id = try container.decode(Int64?.self, forKey: .id)
      count = container.contains(.count) ? try container.decode(Int.self, forKey: .count) : 0
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(count, forKey: .count)
      try container.encode(id, forKey: .id)
      if note != "none" { try container.encode(note, forKey: .note) }
    }
    static let schema = Schema<ByHand>("by hand", key: \.id) { Index(\.note) }
  }

  @Test func `Coding by hand works as far as keyed containers go`() throws {
    let definition = try ByHand.schema.definition
    #expect(
      definition.fields == [
        FieldDefinition("note", .text, optional: true), FieldDefinition("id", .integer),
        FieldDefinition("count", .integer),
      ]
    )
    #expect(definition.hasAutomaticKey)
    for model in [
      ByHand(id: nil, count: 1, note: "none"), ByHand(id: 5, count: 2, note: "some"),
    ] {
      #expect(try roundTrip(model) == model)
    }
  }

  class Base: Codable {
    var name = "x"
  }
  final class Derived: Base, Model, @unchecked Sendable {
    var id = 1
    static let schema = Schema<Derived>("derived", key: \.id)
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      try super.init(from: try container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try super.encode(to: container.superEncoder())
    }
    private enum CodingKeys: CodingKey { case id }
  }

  @Test func `A superclass is refused when the schema is built, and when a record is encoded`() {
    #expect(code { _ = try Derived.schema.definition } == .invalidSchema)
    let layout = RowLayout(collection: "derived", fields: [FieldDefinition("id", .integer)])
    #expect(
      code { _ = try RowEncoder(layout).withRow(of: Derived()) { $0.count } } == .typeMismatch
    )
  }
}
