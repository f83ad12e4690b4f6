import Foundation
import Testing

@testable import Holdfast

@Suite struct RecordsSchemaTests {
  @Test func `Fields come from the model's own coding, with their types`() throws {
    let definition = try Everything.schema.definition
    let types = Dictionary(uniqueKeysWithValues: definition.fields.map { ($0.name, $0.type) })
    #expect(definition.fields.first?.name == "id")
    #expect(definition.fields.count == 35)
    for name in [
      "id", "int", "int8", "int16", "int32", "uint", "uint8", "uint16", "uint32", "uint64",
      "level", "wrapped", "maybeInt",
    ] {
      #expect(types[name] == .integer, "\(name)")
    }
    for name in ["double", "float"] { #expect(types[name] == .real, "\(name)") }
    for name in ["string", "url", "duration", "mood", "maybeText", "maybeMood"] {
      #expect(types[name] == .text, "\(name)")
    }
    for name in ["shape", "address", "tags", "scores", "maybeAddress"] {
      #expect(types[name] == .json, "\(name)")
    }
    #expect(types["bool"] == .bool)
    #expect(types["date"] == .date)
    #expect(types["maybeDate"] == .date)
    #expect(types["data"] == .blob)
    #expect(types["bytes"] == .blob)
    #expect(types["maybeData"] == .blob)
    #expect(types["uuid"] == .uuid)
    #expect(types["decimal"] == .decimal)
    let optional = definition.fields.filter(\.isOptional).map(\.name)
    #expect(optional.allSatisfy { $0.hasPrefix("maybe") } && optional.count == 7)
  }

  @Test func `An optional integer key is automatic, and never stored as null`() throws {
    let definition = try Everything.schema.definition
    #expect(definition.key == ["id"])
    #expect(definition.hasAutomaticKey)
    #expect(definition.fields[0].isOptional == false)
  }

  @Test func `Indexes resolve to stored names`() throws {
    let indexes = try Everything.schema.definition.indexes
    #expect(
      indexes == [
        IndexDefinition(["date", "string"]), IndexDefinition(["uuid"], unique: true),
        IndexDefinition(["maybeMood"], name: "moods"),
      ]
    )
  }

  @Test func `Renamed coding keys are found by key path`() throws {
    let definition = try Renamed.schema.definition
    #expect(definition.fields.map(\.name) == ["名字", "created_at"])
    #expect(definition.key == ["名字"])
    #expect(definition.hasAutomaticKey == false)
    #expect(definition.indexes == [IndexDefinition(["created_at"])])
  }

  @Test func `A composite key keeps its order`() throws {
    let definition = try Seat.schema.definition
    #expect(definition.key == ["hall", "number"])
    #expect(definition.hasAutomaticKey == false)
  }

  @Test func `A key path into a field, or to a computed property, is an error that names it`()
    throws
  {
    let resolved = try Renamed.schema.resolved()
    for path in [\Renamed.label, \Renamed.key.count, \Renamed.createdAt.timeIntervalSince1970]
      as [PartialKeyPath<Renamed>]
    {
      let error = #expect(throws: StorageError.self) { try resolved.position(of: path) }
      #expect(error?.code == .invalidSchema)
      #expect(error?.message.contains("\(path)") == true)
    }
    let nested = try Everything.schema.resolved()
    #expect(throws: StorageError.self) { try nested.position(of: \Everything.address.street) }
    #expect(try nested.position(of: \Everything.address) == 25)
    #expect(try nested.position(of: \Everything.shape) == 24)
    #expect(try nested.position(of: \Everything.level) == 22)
  }

  @Test func `Every property of a model resolves to its own position`() throws {
    let resolved = try Everything.schema.resolved()
    let paths: [PartialKeyPath<Everything>] = [
      \.id, \.int, \.int8, \.int16, \.int32, \.uint, \.uint8, \.uint16, \.uint32, \.uint64,
      \.double, \.float, \.bool, \.string, \.date, \.data, \.bytes, \.uuid, \.decimal, \.url,
      \.duration, \.mood, \.level, \.wrapped, \.shape, \.address, \.tags, \.scores, \.maybeInt,
      \.maybeText, \.maybeDate, \.maybeMood, \.maybeAddress, \.maybeData, \.maybeUUID,
    ]
    for (position, path) in paths.enumerated() {
      #expect(try resolved.position(of: path) == position)
    }
  }

  struct Broken: Model {
    var id: Int
    var name: String
    var shout: String { name.uppercased() }
    static let schema = Schema<Broken>("broken", key: \.id) { Index(\.shout) }
  }
  struct Listed: Model {
    var values: [Int]
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      values = [try container.decode(Int.self)]
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(contentsOf: values)
    }
    static let schema = Schema<Listed>("listed", key: \.values)
  }
  struct Keyless: Model {
    var name: String
    static let schema = Schema<Keyless>("keyless")
  }
  struct NullableKey: Model {
    var name: String?
    static let schema = Schema<NullableKey>("nullable", key: \.name)
  }

  @Test func `A schema that makes no sense is an error, not a trap`() throws {
    for definition in [
      { try Broken.schema.definition }, { try Listed.schema.definition },
      { try Keyless.schema.definition }, { try NullableKey.schema.definition },
    ] {
      let error = #expect(throws: StorageError.self) { try definition() }
      #expect(error?.code == .invalidSchema)
    }
  }
}
