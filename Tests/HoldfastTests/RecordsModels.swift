import Foundation
import Holdfast

enum Mood: String, Codable, CaseIterable { case calm, wild }
enum Level: Int, Codable { case low = 3, high = 9 }
enum Shape: Codable, Hashable {
  case circle(radius: Double)
  case square(Double)
}
struct UserID: RawRepresentable, Codable, Hashable, KeyConvertible {
  var rawValue: Int64
}
struct Address: Codable, Hashable {
  var street: String
  var lines: [String]
  var since: Date?
}

/// One field of every kind.
struct Everything: Model, Equatable {
  var id: Int64?
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var double: Double
  var float: Float
  var bool: Bool
  var string: String
  var date: Date
  var data: Data
  var bytes: [UInt8]
  var uuid: UUID
  var decimal: Decimal
  var url: URL
  var duration: Duration
  var mood: Mood
  var level: Level
  var wrapped: UserID
  var shape: Shape
  var address: Address
  var tags: [String]
  var scores: [String: Int]
  var maybeInt: Int?
  var maybeText: String?
  var maybeDate: Date?
  var maybeMood: Mood?
  var maybeAddress: Address?
  var maybeData: Data?
  var maybeUUID: UUID?

  static let schema = Schema<Everything>("everything", key: \.id) {
    Index(\.date, \.string)
    Unique(\.uuid)
    Index(\.maybeMood, name: "moods")
  }
}

struct Renamed: Model, Equatable {
  var key: String
  var createdAt: Date
  var label: String { key.trimmingCharacters(in: .whitespaces) }
  var alias: String { key }
  enum CodingKeys: String, CodingKey {
    case key = "名字"
    case createdAt = "created_at"
  }
  static let schema = Schema<Renamed>("renamed", key: \.key) { Index(\.createdAt) }
}

struct Person: Model, Equatable {
  var id: Int64?
  var name: String
  var city: String?
  var age: Int
  var joined: Date?
  static let schema = Schema<Person>("person", key: \.id) {
    Index(\.city, \.age)
    Unique(\.name)
  }
}

struct Seat: Model, Equatable {
  var hall: String
  var number: Int
  var taken: Bool
  static let schema = Schema<Seat>("seat", key: \.hall, \.number)
}
