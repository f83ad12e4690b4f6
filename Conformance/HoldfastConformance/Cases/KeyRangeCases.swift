import Holdfast

/// Ranges of keys and prefixes.
enum KeyRangeCases {
  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: Shapes.item())
    try await store.write { try $0.insertItems(stride(from: -20, through: 20, by: 2)) }
    return store
  }

  private static func expect(
    _ context: ConformanceContext,
    _ store: Store,
    _ filter: Filter,
    _ range: some Sequence<Int>,
    _ what: String
  ) async throws {
    let ids = range.map { Value.integer(Int64($0)) }
    context.expect(
      try await store.read { try $0.ids(Query("item", where: filter)) },
      ids,
      what
    )
    context.expect(
      try await store.read {
        try $0.ids(Query("item", where: filter, sort: [.descending("id")]))
      },
      ids.reversed(),
      "\(what), reversed"
    )
    context.expect(
      try await store.read { try $0.count("item", where: filter) },
      ids.count,
      "\(what), counted"
    )
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("keys.rangeBounds", "Closed and open ends of a key range are exact.") {
      context in
      let store = try await open(context)
      try await expect(
        context,
        store,
        .between("id", -4, 4),
        stride(from: -4, through: 4, by: 2),
        "closed"
      )
      try await expect(
        context,
        store,
        .greater("id", -4) && .less("id", 4),
        stride(from: -2, through: 2, by: 2),
        "open"
      )
      try await expect(
        context,
        store,
        .greater("id", 15),
        stride(from: 16, through: 20, by: 2),
        "to the end"
      )
      try await expect(
        context,
        store,
        .lessOrEqual("id", -17),
        stride(from: -20, through: -18, by: 2),
        "from the beginning"
      )
      try await expect(
        context,
        store,
        .between("id", -3, 3),
        stride(from: -2, through: 2, by: 2),
        "between keys"
      )
    },
    ConformanceCase("keys.rangeEmpty", "Empty and inverted ranges hold nothing.") { context in
      let store = try await open(context)
      try await expect(context, store, .between("id", 3, 3), [], "between two keys")
      try await expect(context, store, .between("id", 4, -4), [], "inverted")
      try await expect(context, store, .greater("id", 4) && .less("id", 4), [], "one point, open")
      try await expect(context, store, .greater("id", .integer(.max)), [], "above all")
      try await expect(context, store, .less("id", .integer(.min)), [], "below all")
      try await expect(context, store, .between("id", 4, 4), [4], "one point, closed")
    },
    ConformanceCase("keys.rangeOfTexts", "A prefix of text takes in exactly what begins with it.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.text))
      let keys: [Value] = [
        "", "a", "a\u{0}", "ab", "ab\u{10FFFF}", "ab\u{10FFFF}z", "abc", "ac", "b", "\u{10FFFF}",
        "\u{10FFFF}\u{10FFFF}", "\u{D7FF}", "\u{D7FF}x", "\u{E000}",
      ]
      try await store.write { transaction in
        for key in keys { try transaction.insert(["k0": key], into: "keyed") }
      }
      for prefix in ["", "a", "ab", "ab\u{10FFFF}", "\u{10FFFF}", "\u{D7FF}", "x"] {
        let filter = Filter.startsWith("k0", .text(prefix))
        let expected = keys.filter { Oracle.matches(filter, ["k0": $0]) }
          .sorted { Oracle.order($0, $1) < 0 }
        let got = try await store.read { try $0.column("k0", Query("keyed", where: filter)) }
        context.expect(got, expected, "prefix \(prefix.exactText)")
      }
    },
    ConformanceCase("keys.rangeOfBytes", "A prefix of FF bytes has no end but the end.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.blob))
      let keys: [[UInt8]] = [
        [], [0], [0xFE], [0xFE, 0xFF], [0xFF], [0xFF, 0], [0xFF, 0xFE], [0xFF, 0xFF],
        [0xFF, 0xFF, 1],
      ]
      try await store.write { transaction in
        for key in keys { try transaction.insert(["k0": .blob(key)], into: "keyed") }
      }
      for prefix in [[], [0xFE], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 0xFF]] as [[UInt8]] {
        let expected = keys.filter { $0.starts(with: prefix) }.map { Value.blob($0) }
        let got = try await store.read {
          try $0.column("k0", Query("keyed", where: .startsWith("k0", .blob(prefix))))
        }
        context.expect(got, expected, "prefix \(ExactText.hex(prefix))")
      }
    },
    ConformanceCase("keys.rangeOfComposite", "A range over the first parts of a composite key.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.text, .integer))
      try await store.write { transaction in
        for name in ["a", "ab", "b"] as [Value] {
          for number in 1...4 {
            try transaction.insert(
              ["k0": name, "k1": .integer(Int64(number)), "label": 0],
              into: "keyed"
            )
          }
        }
      }
      let filters: [(Filter, [[Value]])] = [
        (.equal("k0", "a"), [["a", 1], ["a", 2], ["a", 3], ["a", 4]]),
        (.equal("k0", "a") && .greater("k1", 2), [["a", 3], ["a", 4]]),
        (.equal("k0", "ab") && .less("k1", 2), [["ab", 1]]),
        (.greater("k0", "a") && .equal("k1", 1), [["ab", 1], ["b", 1]]),
        (.isIn("k0", ["b", "a", "x"]) && .equal("k1", 4), [["a", 4], ["b", 4]]),
        (.equal("k1", 3), [["a", 3], ["ab", 3], ["b", 3]]),
      ]
      for (filter, expected) in filters {
        let got = try await store.read {
          try $0.fetch(Query("keyed", where: filter)).map(\.key.values)
        }
        context.expect(got, expected, "\(filter)")
      }
    },
  ]
}
