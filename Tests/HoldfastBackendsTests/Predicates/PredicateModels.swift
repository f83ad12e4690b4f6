import Foundation
import Holdfast

/// A model with a property of every kind that predicates compare.
struct Item: Model, Equatable {
  enum Mood: String, Codable, CaseIterable { case calm, wild }
  struct Address: Codable, Hashable {
    var street: String
    var zip: String?
    var floor: Int
    var share: Double
  }

  var id: Int64
  var name: String
  var city: String?
  var price: Double
  var rank: Int
  var level: Int?
  var isNew: Bool
  var isOld: Bool?
  var mood: Mood
  var made: Date
  var gone: Date?
  var tags: [String]
  var scores: [Int]
  var address: Address
  var data: Data
  static let schema = Schema<Item>("item", key: \.id) {
    Index(\.city, \.rank)
    Index(\.price)
    Index(\.level)
    Index(\.name)
  }
}

/// SplitMix64 (Steele, Lea, Flood): reproducible from its seed.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  mutating func bool() -> Bool { next() & 1 == 0 }
  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
  mutating func optional<T>(_ value: T) -> T? { below(3) == 0 ? nil : value }

  /// Text in normal form C, each character one scalar, so that Swift and the store agree on it.
  mutating func text() -> String {
    let letters = Array("ab cñ北Zé0")
    return String((0..<below(4)).map { _ in pick(letters) })
  }
  mutating func real() -> Double {
    pick([0, 1, -1, 0.5, 2.25, 1e300, -1e-300, 7, 0.1, .infinity, -.infinity])
  }
  mutating func small() -> Int { below(13) - 6 }
  mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(below(9)) * 1e8 + 9e6)
  }
  mutating func data() -> Data { Data((0..<below(3)).map { _ in UInt8(below(3)) }) }
  mutating func address() -> Item.Address {
    Item.Address(street: text(), zip: optional(text()), floor: small(), share: real())
  }

  mutating func item(_ id: Int64) -> Item {
    Item(
      id: id,
      name: text(),
      city: optional(text()),
      price: real(),
      rank: small(),
      level: optional(small()),
      isNew: bool(),
      isOld: optional(bool()),
      mood: pick(Item.Mood.allCases),
      made: date(),
      gone: optional(date()),
      tags: (0..<below(3)).map { _ in text() },
      scores: (0..<below(3)).map { _ in small() },
      address: address(),
      data: data()
    )
  }
}
