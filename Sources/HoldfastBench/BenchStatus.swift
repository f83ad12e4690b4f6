import Foundation
import Holdfast

/// The record of all workloads: a short status message, as `docs/Performance.md` describes it.
struct BenchStatus: Model, Equatable {
  var id: Int64
  var user: Int64
  var source: String
  var createdAt: Date
  var text: String

  static let schema = Schema<BenchStatus>("status", key: \.id, coding: .synthesized) {
    Index(\.user, \.id)
  }

  /// How many users the records spread over.
  static let userCount: Int64 = 500

  /// The record number `id`, the same at every call: about 110 bytes of text, some not ASCII.
  static func sample(_ id: Int64) -> BenchStatus {
    let mixed = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
    return BenchStatus(
      id: id,
      user: Int64(mixed >> 40) % userCount,
      source: sources[Int(mixed >> 20 & 3)],
      createdAt: Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(id) * 1.5),
      text: "\(texts[Int(mixed >> 10 & 3)]) \(id)"
    )
  }

  private static let sources = ["web page", "iPhone 9", "terminal", "API v2.1"]
  private static let texts = [
    "The harbour was quiet this morning; three boats left before the fog came in and nobody saw them go",
    "今天的市场很热闹，蔬菜比上周便宜了一点 and the queue for tomatoes went round",
    "Merci à toutes celles et à tous ceux qui sont venus hier soir: la salle était pleine à craquer",
    "Reading about write-ahead logs again, and drinking far too much coffee while the tests are running…",
  ]
}

/// A fixed pseudo-random sequence (SplitMix64), so that ours and the floor do the same work.
struct BenchRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
