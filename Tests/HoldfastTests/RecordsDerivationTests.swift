import Foundation
import Testing

@testable import Holdfast

/// What a model's own coding says about its fields, with as little said in the schema as possible.
@Suite struct RecordsDerivationTests {
  struct Customer: Model, Equatable {
    var id: Int64?
    var name: String
    var vip = false
  }

  @Test func `A model with an id needs no schema at all`() throws {
    let definition = try Customer.schema.definition
    #expect(definition.name == "customer")
    #expect(definition.key == ["id"])
    #expect(definition.hasAutomaticKey)
    #expect(definition.fields.map(\.name) == ["id", "name", "vip"])
    let customers = Repository<Customer>(try memoryStore())
    #expect(try customers.insert(Customer(name: "Ada")).id == 1)
    #expect(try customers.fetch(where: #Predicate { $0.name == "Ada" }).map(\.id) == [1])
  }

  struct Named: Model {
    var name: String
  }

  @Test func `Without an id the error shows the line to add`() throws {
    let error = #expect(throws: StorageError.self) { try Named.schema.definition }
    #expect(error?.code == .invalidSchema)
    let message = error?.message ?? ""
    #expect(message.contains("Named") && message.contains("id"))
    #expect(message.contains(#"static let schema = Schema<Named>("named", key: \.name)"#))
  }

  struct Tag: Codable, Hashable, KeyConvertible {
    let code: String
    init(_ code: String) { self.code = code }
    init(from decoder: any Decoder) throws {
      code = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(code)
    }
  }
  struct Tagged: Model, Equatable {
    var id: Tag
    var owner: UserID?
  }
  struct Owned: Model, Equatable {
    var id: UserID?
    var note: String
  }

  @Test func `Wrappers are keys, raw representable or coded as one value, automatic or not`() throws
  {
    let store = try memoryStore()
    let tagged = Repository<Tagged>(store)
    try tagged.insert(Tagged(id: Tag("x"), owner: UserID(rawValue: 3)))
    #expect(try Tagged.schema.definition.fields.map(\.type) == [.text, .integer])
    #expect(try tagged.get(Tag("x"))?.owner == UserID(rawValue: 3))
    #expect(try tagged.get(Tag("y")) == nil)
    let tag = Tag("x")
    #expect(try tagged.count(where: #Predicate { $0.id == tag }) == 1)
    let owned = Repository<Owned>(store)
    #expect(try owned.insert(Owned(note: "a")).id == UserID(rawValue: 1))
    #expect(try owned.get(UserID(rawValue: 1))?.note == "a")
  }

  @Test func `Composite keys are made of parts of any kind`() throws {
    let seats = Repository<Seat>(try memoryStore())
    try seats.insert(Seat(hall: "a", number: 7, taken: true))
    #expect(try seats.get(try Key(parts: "a", 7))?.taken == true)
    #expect(try seats.delete(try Key(parts: "a", 8)) == false)
  }

  struct Percent: Model, Equatable {
    var id: Int64?
    var value: Int
    var label: Label?
    enum Label: String, Codable {
      case good = "the good one"
      case bad = "the bad one"
    }
    init(id: Int64? = nil, value: Int, label: Label? = nil) {
      self.id = id
      self.value = value
      self.label = label
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decodeIfPresent(Int64.self, forKey: .id)
      value = try container.decode(Int.self, forKey: .value)
      guard value % 10 == 0, value <= 100 else {
        throw DecodingError.dataCorruptedError(
          forKey: .value,
          in: container,
          debugDescription: "not a round percentage"
        )
      }
      label = try container.decodeIfPresent(Label.self, forKey: .label)
    }
  }
  struct Sampled: Model, Equatable {
    var id: Int64?
    var percent: Percent
    var value: Round
    var also: Round
    var moods: [Mood]
    var gone: Shape?
    static let schema = Schema<Sampled>(
      samples: [
        Sampled(
          id: 1,
          percent: Percent(value: 10, label: .good),
          value: Round(10),
          also: Round(20),
          moods: [.calm],
          gone: nil
        )
      ]
    ) { Index(\.also) }
  }
  struct Round: Codable, Hashable {
    let value: Int
    init(_ value: Int) { self.value = value }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = try container.decode(Int.self)
      if value % 10 != 0 {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not round")
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  @Test func `A model that refuses made-up values says which property, and how to give a sample`()
    throws
  {
    let error = #expect(throws: StorageError.self) { try Percent.schema.definition }
    #expect(error?.code == .invalidSchema)
    let message = error?.message ?? ""
    #expect(message.contains("property value of Percent"))
    #expect(message.contains(#"Schema<Percent>("percent", samples: ["#))
  }

  @Test func `A sample gives the fields where made-up values are refused`() throws {
    let definition = try Sampled.schema.definition
    #expect(definition.name == "sampled")
    #expect(definition.fields.map(\.name) == ["id", "percent", "value", "also", "moods", "gone"])
    #expect(
      definition.fields.map(\.type) == [.integer, .json, .integer, .integer, .json, .json]
    )
    #expect(definition.fields.map(\.isOptional) == [false, false, false, false, false, true])
    #expect(definition.indexes.map(\.fields) == [["also"]])
    let repository = Repository<Sampled>(try memoryStore())
    let sample = try #require(Sampled.schema.content.samples.first)
    try repository.insert(sample)
    #expect(try repository.fetch() == [sample])
    let twenty = Round(20)
    #expect(try repository.count(where: #Predicate { $0.also == twenty }) == 1)
    #expect(try repository.count(where: #Predicate { $0.value == twenty }) == 0)
  }

  @Test func `Default values are for records that do not give the property`() throws {
    struct Rated: Model, Equatable {
      var id: Int64?
      var stars: Int
      var mood: Mood
      var note: String
      static let schema = Schema<Rated>("rated") {
        Default(\.stars, 3)
        Default(\.mood, .wild)
      }
      enum CodingKeys: String, CodingKey { case id, stars, mood, note }
      init(id: Int64? = nil, stars: Int, mood: Mood, note: String) {
        (self.id, self.stars, self.mood, self.note) = (id, stars, mood, note)
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(Int64.self, forKey: .id)
        stars = try container.decode(Int.self, forKey: .stars)
        mood = try container.decode(Mood.self, forKey: .mood)
        note = try container.decodeIfPresent(String.self, forKey: .note) ?? "none"
      }
    }
    let store = try memoryStore()
    let repository = Repository<Rated>(store)
    #expect(try Rated.schema.definition.fields[3].isOptional)
    try store.write { transaction in
      try repository.create(in: transaction)
      try transaction.insert(["id": 7], into: "rated")
    }
    #expect(try repository.fetch() == [Rated(id: 7, stars: 3, mood: .wild, note: "none")])
  }

  struct Point: Codable, Hashable {
    var x: Double
    var label: String?
  }
  struct Place: Codable, Hashable {
    var city: String
    var region: String
    var point: Point
    enum CodingKeys: String, CodingKey {
      case city = "town"
      case region, point
    }
  }
  struct Visit: Model, Equatable {
    var id: Int64?
    var from: Place
    var to: Place?
    var note: String
  }

  @Test func `Parts of nested values are found by key path, renamed and optional ones too`() throws
  {
    let schema = try Visit.schema.resolved()
    func place(_ path: PartialKeyPath<Visit>) throws -> [String] {
      let place = try schema.place(of: path)
      return [schema.layout.names[place.position]] + place.path
    }
    #expect(try place(\.from.city) == ["from", "town"])
    #expect(try place(\.from.region) == ["from", "region"])
    #expect(try place(\.from.point) == ["from", "point"])
    #expect(try place(\.from.point.x) == ["from", "point", "x"])
    #expect(try place(\.from.point.label) == ["from", "point", "label"])
    #expect(try place(\.to?.city) == ["to", "town"])
    #expect(try place(\.to?.point.x) == ["to", "point", "x"])
    #expect(try place(\.note) == ["note"])
    let error = #expect(throws: StorageError.self) { try schema.place(of: \Visit.from.city.count) }
    #expect(error?.code == .invalidSchema)
  }
}
