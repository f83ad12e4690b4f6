import Foundation
import Holdfast
import Testing

/// Models that are read and written in memory, against the same ones through their own coding.
@Suite struct SynthesizedCodingTests {
  enum Level: Int, Codable {
    case low = 1
    case high = 9
  }

  struct Part: Codable, Equatable {
    var name: String
    var sizes: [Int]
  }

  /// Properties of every kind, small ones between large ones, so that there is padding.
  struct Thing: Model, Equatable {
    var id: Int64?
    var flag: Bool
    var tiny: Int8
    var wide: UInt64
    var narrow: UInt16?
    var isSet: Bool?
    var ratio: Double
    var share: Float?
    var name: String
    var note: String?
    var at: Date
    var until: Date?
    var data: Data
    var bytes: [UInt8]?
    var uuid: UUID
    var url: URL?
    var price: Decimal
    var level: Level
    var other: Level?
    var part: Part
    var parts: [Part]?
    var tags: [String: Int]

    enum CodingKeys: String, CodingKey {
      case id, flag, tiny, wide, narrow, isSet, ratio, share
      case name = "title"
      case note, at, until, data, bytes, uuid, url, price, level, other, part, parts, tags
    }

    static let schema = Schema<Thing>("things", key: \.id, coding: .synthesized)
  }

  struct Direct: Model {
    var id: Int64?
    var flag: Bool
    var name: String
    var note: String?
    static let schema = Schema<Direct>("thing", key: \.id, coding: .synthesized)
  }

  private func thing(_ number: Int) -> Thing {
    let isOdd = number % 2 == 1
    return Thing(
      id: Int64(number),
      flag: isOdd,
      tiny: Int8(number - 5),
      wide: UInt64(number) << 40,
      narrow: isOdd ? nil : UInt16(number),
      isSet: number % 3 == 0 ? nil : isOdd,
      ratio: Double(number) / 3,
      share: isOdd ? Float(number) / 4 : nil,
      name: String(repeating: "é", count: number * 7),
      note: isOdd ? nil : "",
      at: Date(timeIntervalSinceReferenceDate: 1e8 + Double(number) / 7),
      until: isOdd ? Date(timeIntervalSinceReferenceDate: Double(number) * 1e7 + 1e8) : nil,
      data: Data(repeating: UInt8(number), count: number * 3),
      bytes: isOdd ? [] : nil,
      uuid: UUID(),
      url: isOdd ? URL(string: "https://example.org/\(number)") : nil,
      price: Decimal(number) / 8,
      level: isOdd ? .low : .high,
      other: isOdd ? nil : .low,
      part: Part(name: "p", sizes: Array(0..<number)),
      parts: isOdd ? [Part(name: "", sizes: [])] : nil,
      tags: ["a": number]
    )
  }

  /// The same records through a coding that the compiler did not write.
  struct Coded: Model {
    var thing: Thing
    init(_ thing: Thing) { self.thing = thing }
    init(from decoder: any Decoder) throws { thing = try Thing(from: decoder) }
    func encode(to encoder: any Encoder) throws { try thing.encode(to: encoder) }
    static let schema = Schema<Coded>("things", key: \.thing.id)
  }

  @Test func `records are the same both ways, whatever the types`() throws {
    let store = try memoryStore()
    let direct = Repository<Thing>(store)
    let coded = Repository<Coded>(store)
    let things = (0...9).map(thing)
    try store.write { transaction in
      for (index, thing) in things.enumerated() {
        if index % 2 == 0 {
          try direct.insert(thing, in: transaction)
        } else {
          try coded.insert(Coded(thing), in: transaction)
        }
      }
    }
    #expect(try direct.fetch() == things)
    #expect(try coded.fetch().map(\.thing) == things)
  }

  @Test func `an error in a record leaves nothing behind`() throws {
    struct Wide: Model {
      var id: Int64?
      var flag: Bool
      var name: String
      var note: String
      static let schema = Schema<Wide>("thing", key: \.id, coding: .synthesized)
    }
    let store = try memoryStore()
    let direct = Repository<Direct>(store)
    try direct.insert(Direct(flag: true, name: String(repeating: "long", count: 20)))
    let wide = Repository<Wide>(store)
    for _ in 0..<100 {
      let error = #expect(throws: StorageError.self) { try wide.fetch() }
      #expect(error?.code == .typeMismatch && error?.message.contains("note") == true)
    }
    let tooLate = Date(timeIntervalSince1970: 1e15)
    struct Dated: Model {
      var id: Int64?
      var name: String
      var at: Date
      static let schema = Schema<Dated>("dated", key: \.id, coding: .synthesized)
    }
    let dated = Repository<Dated>(store)
    let error = #expect(throws: StorageError.self) {
      try dated.insert(Dated(name: "x", at: tooLate))
    }
    #expect(error?.code == .invalidValue)
  }

  @Test func `a coding that does more is refused, and says what to do`() {
    struct Folding: Model {
      var id: Int64?
      var name: String
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(Int64.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name).lowercased() + "!"
      }
      static let schema = Schema<Folding>("folding", key: \.id, coding: .synthesized)
    }
    struct Computed: Model {
      var id: Int64?
      var cache = 7
      var name: String
      enum CodingKeys: String, CodingKey { case id, name }
      static let schema = Schema<Computed>("computed", key: \.id, coding: .synthesized)
    }
    struct Posing: Model, CustomReflectable {
      var id: Int64?
      var customMirror: Mirror { Mirror(self, children: ["id": 3]) }
      static let schema = Schema<Posing>("posing", key: \.id, coding: .synthesized)
    }
    final class Box: Codable, Sendable {
      let value: Int
      init(value: Int) { self.value = value }
    }
    struct Boxed: Model {
      var id: Int64?
      var box: Box
      static let schema = Schema<Boxed>("boxed", key: \.id, coding: .synthesized)
    }
    for definition in [
      { try Folding.schema.definition }, { try Computed.schema.definition },
      { try Posing.schema.definition }, { try Boxed.schema.definition },
    ] as [() throws -> CollectionDefinition] {
      let error = #expect(throws: StorageError.self) { _ = try definition() }
      #expect(error?.code == .invalidSchema)
      #expect(error?.message.contains("leave out coding: .synthesized") == true)
    }
  }

  @Test func `two properties that look alike keep their names`() throws {
    struct Twins: Model, Equatable {
      var id: Int64?
      var b: Int
      var a: Int
      var d: Int?
      var c: Int?
      static let schema = Schema<Twins>("twins", key: \.id, coding: .synthesized)
    }
    let twins = Repository<Twins>(try memoryStore())
    let record = Twins(id: 1, b: 1, a: 2, d: 3, c: nil)
    try twins.insert(record)
    #expect(try twins.fetch() == [record])
    #expect(try twins.fetch(where: .equal("a", 2)) == [record])
  }
}
