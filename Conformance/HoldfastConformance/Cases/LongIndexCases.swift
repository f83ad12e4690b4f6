import Holdfast

/// Indexes over values longer than any engine's key.
enum LongIndexCases {
  /// Texts that agree in their first 600 bytes, and shorter ones around the limits.
  private static let texts: [String] = {
    let common = String(repeating: "p", count: 600)
    var texts = ["", "a", "z", common]
    for tail in ["a", "b", "ab", "", "\u{0}", "z", "\u{10FFFF}"] {
      texts.append(common + "q" + tail)
    }
    for length in [470, 478, 480, 500, 508, 509, 510, 511, 512, 513, 1024, 5000] {
      texts.append(String(repeating: "x", count: length))
      texts.append(String(repeating: "x", count: length) + "y")
    }
    return texts
  }()

  private static func open(_ context: ConformanceContext, unique: Bool) async throws -> Store {
    let store = try await context.open(
      creating: Shapes.item(indexes: [IndexDefinition(["name"], unique: unique)])
    )
    var generator = context.generator()
    let shuffled = Array(texts.enumerated()).shuffled(using: &generator)
    try await store.write { transaction in
      for (id, text) in shuffled {
        try transaction.insert(["id": .integer(Int64(id)), "name": .text(text)], into: "item")
      }
    }
    return store
  }

  private static let records: [[String: Value]] = texts.enumerated().map {
    ["id": .integer(Int64($0.offset)), "name": .text($0.element)]
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "unique.longTextIndexed",
      "Long texts that differ only at their end do not collide."
    ) {
      context in
      let store = try await open(context, unique: true)
      context.expect(try await store.read { try $0.count("item") }, texts.count, "records")
      try await store.write { transaction in
        for (id, text) in texts.enumerated() {
          context.expectError(.uniqueViolation, "text \(id)") {
            try transaction.insert(["id": 999, "name": .text(text)], into: "item")
          }
        }
      }
    },
    ConformanceCase("unique.longTextChanges", "Long indexed texts are updated and deleted whole.") {
      context in
      let store = try await open(context, unique: true)
      try await store.write { transaction in
        for (id, text) in texts.enumerated() {
          let key = Key(.integer(Int64(id)))
          try transaction.update(key, set: ["name": .text(text + "!")], in: "item")
        }
        for (id, text) in texts.enumerated() {
          try transaction.insert(
            ["id": .integer(Int64(id + 500)), "name": .text(text)],
            into: "item"
          )
        }
      }
      let deleted = try await store.write { transaction in
        try transaction.deleteAll(in: "item", where: .less("id", 500))
      }
      context.expect(deleted, texts.count, "deleted")
      for (id, text) in texts.enumerated() {
        let found = try await store.read {
          try $0.ids(Query("item", where: .isIn("name", [.text(text), .text(text + "!")])))
        }
        context.expect(found, [.integer(Int64(id + 500))], "text \(id)")
      }
    },
    ConformanceCase("query.longTextIndex", "An index over long text finds and orders fully.") {
      context in
      let store = try await open(context, unique: false)
      for (id, text) in texts.enumerated() {
        for filter in [
          Filter.equal("name", .text(text)), .less("name", .text(text)),
          .greaterOrEqual("name", .text(text)),
          .startsWith("name", .text(String(text.prefix(601)))),
        ] {
          let got = try await store.read {
            try $0.ids(Query("item", where: filter, sort: [.ascending("name")]))
          }
          context.expect(
            got,
            Oracle.ids(records, filter, sort: [.ascending("name")]),
            "text \(id), \(filter)"
          )
        }
      }
    },
    ConformanceCase("sort.longTextIndex", "Long texts sort fully both ways, ties by key.") {
      context in
      let store = try await open(context, unique: false)
      let doubled =
        records
        + records.map { record in
          var copy = record
          if case .integer(let id) = record["id"] ?? .null { copy["id"] = .integer(1000 - id) }
          return copy
        }
      try await store.write { transaction in
        for record in doubled.dropFirst(records.count) {
          try transaction.insert(record, into: "item")
        }
      }
      for sort in [Sort.ascending("name"), .descending("name")] {
        let got = try await store.read { try $0.ids(Query("item", sort: [sort])) }
        context.expect(got, Oracle.ids(doubled, sort: [sort]), "\(sort)")
        let pages = try await Paging.whole(store, Query("item", sort: [sort], limit: 7))
        context.expect(pages, Oracle.ids(doubled, sort: [sort]), "\(sort), by pages")
      }
    },
    ConformanceCase("query.longCompositeIndex", "A long text leads or ends a composite index.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [
          IndexDefinition(["name", "rank"]), IndexDefinition(["rank", "name"]),
        ])
      )
      let records = (0..<60).map { id -> [String: Value] in
        let rank: Value = id % 5 == 0 ? .null : .integer(Int64(id % 5))
        return ["id": .integer(Int64(id)), "name": .text(texts[id % 7 + 4]), "rank": rank]
      }
      try await store.write { transaction in
        for record in records { try transaction.insert(record, into: "item") }
      }
      for text in texts[4...10] {
        for filter in [
          Filter.equal("name", .text(text)) && .greater("rank", 2),
          Filter.equal("rank", 3) && .lessOrEqual("name", .text(text)),
          Filter.isNull("rank") && .equal("name", .text(text)),
        ] {
          let sort = [Sort.ascending("rank"), .ascending("name")]
          let got = try await store.read {
            try $0.ids(Query("item", where: filter, sort: sort))
          }
          context.expect(got, Oracle.ids(records, filter, sort: sort), "\(filter)")
        }
      }
    },
  ]
}
