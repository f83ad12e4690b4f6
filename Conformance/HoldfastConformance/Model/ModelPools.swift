import Holdfast

/// The few values, names and collections that one history is made of, so that they meet often.
struct ModelPools: Sendable {
  private var values: [FieldType: [Value]] = [:]

  static let collectionNames = [
    "item", "Item", "item2", "items", "a b", "\u{E9}t\u{E9}", "../x", "select", "sqlite_x", "\"q\"",
    "%", "x\u{0}", "",
  ]
  static let fieldNames = [
    "a", "b", "c", "d", "e", "order", "A b", "na\u{EF}ve", "\"", "rowid", "B", "x.y",
  ]

  /// Chooses the values of a history.
  init(_ generator: inout SeededGenerator) {
    for type in FieldType.allCases {
      let all = Self.all(of: type)
      let count = min(all.count, 4 + generator.below(8))
      values[type] = (0..<count).map { _ in all[generator.below(all.count)] }
    }
  }

  /// A value of a type.
  func value(_ type: FieldType, _ generator: inout SeededGenerator) -> Value {
    let values = values[type] ?? [.null]
    return values[generator.below(values.count)]
  }

  /// A value that most fields refuse.
  static func wrong(_ generator: inout SeededGenerator) -> Value {
    let all: [Value] = [
      .null, .real(.nan), .text("x"), .integer(7), .real(0.5), .blob([1, 2]),
      .integer((1 << 53) + 1), .text(String(repeating: "k", count: 479)),
    ]
    return all[generator.below(all.count)]
  }

  private static func all(of type: FieldType) -> [Value] {
    switch type {
    case .integer: Pools.integers + (-2...9).map { .integer($0) }
    case .real: Pools.reals + [-0.0, 0.5, 3.0]
    case .text: Pools.texts + longTexts
    case .blob: Pools.blobs + longBlobs
    case .any:
      [
        .integer(3), .integer(.max), .real(0.5), .real(-.infinity), .text(""), .text("3"),
        .text("\u{0}"), .blob([]), .blob([0x33]),
      ]
    case .bool, .date, .uuid, .decimal, .json: Pools.values(of: type)
    }
  }

  /// Around the longest key, and around the longest entry that LMDB takes as it is.
  private static let longTexts: [Value] = [
    text(477, "k"), text(478, "k"), text(239, "\u{0}"), text(511, "y"), text(512, "y"),
    text(600, "y"), text(600, "y", "a"), text(600, "y", "\u{0}"), text(480, "é"),
    text(120, "\u{10FFFF}"), text(5000, "z"), text(478, "y"), text(479, "y", "b"),
  ]
  private static let longBlobs: [Value] = [
    blob(478, 0x6B), blob(239, 0), blob(600, 0xFF), blob(600, 0xFF, [0]), blob(511, 0x79),
    blob(4096, 0), blob(470, 0xFF),
  ]

  private static func text(_ count: Int, _ unit: String, _ end: String = "") -> Value {
    .text(String(repeating: unit, count: count) + end)
  }

  private static func blob(_ count: Int, _ byte: UInt8, _ end: [UInt8] = []) -> Value {
    .blob([UInt8](repeating: byte, count: count) + end)
  }
}
