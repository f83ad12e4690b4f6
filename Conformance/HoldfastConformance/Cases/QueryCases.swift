import Holdfast

/// Filters in combination, literals of other kinds, and what is refused.
enum QueryCases {
  /// Two hundred records with nulls, duplicates and every field in play.
  static let records: [[String: Value]] = {
    var generator = SeededGenerator(seed: 7)
    return (0..<200).map { id in
      [
        "id": .integer(Int64(id)),
        "name": generator.below(6) == 0 ? .null : .text(["a", "ab", "b", "é", "", "ba"][id % 6]),
        "rank": generator.below(5) == 0 ? .null : .integer(Int64(generator.below(12) - 4)),
        "score": generator.below(7) == 0 ? .null : .real(Double(generator.below(40)) / 8 - 1),
      ]
    }
  }()

  static let indexes = [
    IndexDefinition(["rank"]), IndexDefinition(["name", "rank"]), IndexDefinition(["score"]),
  ]

  static func open(_ context: ConformanceContext, indexes: [IndexDefinition] = indexes)
    async throws -> Store
  {
    let store = try await context.open(creating: Shapes.item(indexes: indexes))
    try await store.write { transaction in
      for record in records { try transaction.insert(record, into: "item") }
    }
    return store
  }

  /// A random filter over the fields of an item.
  static func randomFilter(_ generator: inout SeededGenerator, depth: Int) -> Filter {
    if depth > 0, generator.below(3) > 0 {
      let parts = (0..<(1 + generator.below(3))).map { _ in
        randomFilter(&generator, depth: depth - 1)
      }
      switch generator.below(3) {
      case 0: return .and(parts)
      case 1: return .or(parts)
      default: return .not(parts[0])
      }
    }
    let field = ["id", "name", "rank", "score"][generator.below(4)]
    func literal() -> Value {
      if generator.below(8) == 0 { return .null }
      switch field {
      case "id": return .integer(Int64(generator.below(210) - 5))
      case "name": return .text(["a", "ab", "b", "é", "", "ba", "x"][generator.below(7)])
      case "rank":
        return generator.below(4) == 0
          ? .real(Double(generator.below(20)) / 2 - 5) : .integer(Int64(generator.below(14) - 5))
      default:
        return generator.below(4) == 0
          ? .integer(Int64(generator.below(6) - 1)) : .real(Double(generator.below(48)) / 8 - 2)
      }
    }
    switch generator.below(9) {
    case 0: return .isIn(field, (0..<generator.below(5)).map { _ in literal() })
    case 1: return .between(field, literal(), literal())
    case 2 where field == "name": return .startsWith(field, literal())
    case 3 where field == "name": return .contains(field, literal())
    case 4: return .isNull(field)
    default:
      let comparisons: [Comparison] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ]
      return .compare(field, comparisons[generator.below(6)], literal())
    }
  }

  /// Expects filters to find what the oracle finds.
  static func expect(_ context: ConformanceContext, _ store: Store, _ filters: [Filter])
    async throws
  {
    for filter in filters {
      let got = try await store.read { transaction in
        [
          try transaction.ids(Query("item", where: filter)),
          [.integer(Int64(try transaction.count("item", where: filter)))],
        ]
      }
      let expected = Oracle.ids(records, filter)
      context.expect(got[0], expected, "\(filter)")
      context.expect(got[1], [.integer(Int64(expected.count))], "count \(filter)")
      if !context.failures.isEmpty { return }
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("query.emptyOr", "An empty AND matches all, an empty OR nothing.") {
      try await expect(
        $0,
        try await open($0),
        [
          .all, .and([]), .or([]), .not(.all), .not(.and([])), .not(.or([])),
          .and([.or([]), .all]), .or([.and([]), .equal("id", 1)]), .not(.not(.equal("rank", 1))),
        ]
      )
    },
    ConformanceCase("query.emptyIn", "An empty IN matches nothing, and NOT IN all, nulls included.")
    {
      try await expect(
        $0,
        try await open($0),
        [
          .isIn("rank", []), .not(.isIn("rank", [])), .isIn("id", []), .isIn("rank", [.null]),
          .not(.isIn("rank", [.null])), .isIn("rank", [1, .null]), .not(.isIn("rank", [1, .null])),
        ]
      )
    },
    ConformanceCase("query.hugeIn", "An IN of a hundred thousand values works.") { context in
      let store = try await open(context)
      let many = (100..<100_100).map { Value.integer(Int64($0)) }
      // Each with a short filter that means the same.
      let equals: [(Filter, Filter)] = [
        (.isIn("id", many), .greaterOrEqual("id", 100)),
        (.not(.isIn("id", many)), .less("id", 100)),
        (.isIn("rank", many + [3, .null]), .isIn("rank", [3, .null])),
        (.isIn("score", many), .or([])),
      ]
      for (long, short) in equals {
        let got = try await store.read { try $0.ids(Query("item", where: long)) }
        context.expect(got, Oracle.ids(records, short), "the long list of \(short)")
      }
    },
    ConformanceCase("query.wideOr", "An OR of five thousand parts works.") { context in
      let store = try await open(context)
      let parts = (0..<5000).map { Filter.equal("id", .integer(Int64($0 * 3))) }
      let mixed = (0..<2000).map { index in
        Filter.and([.equal("rank", .integer(Int64(index % 30))), .less("score", 1.5)])
      }
      try await expect(context, store, [.or(parts), .not(.or(parts)), .or(mixed)])
    },
    ConformanceCase("query.deepNesting", "A filter nested too deep is an error, never a crash.") {
      context in
      let store = try await open(context)
      var deep = Filter.equal("rank", 1)
      for level in 0..<100 { deep = level % 2 == 0 ? .or([deep, .equal("id", 3)]) : .and([deep]) }
      try await expect(context, store, [deep])
      for level in 0..<5000 { deep = level % 2 == 0 ? .or([deep, .equal("id", 3)]) : .not(deep) }
      let tooDeep = deep
      await context.expectError(.invalidQuery) {
        _ = try await store.read { try $0.count("item", where: tooDeep) }
      }
    },
    ConformanceCase("query.unknownField", "A field that is not there is unknownField.") { context in
      let store = try await open(context)
      for filter in [
        Filter.equal("Rank", 1), .isIn("rnk", [1]), .startsWith("", "a"), .isNull("item.rank"),
        .not(.equal("nothing", .null)), .or([.all, .equal("nothing", 1)]),
      ] {
        await context.expectError(.unknownField, "\(filter)") {
          _ = try await store.read { try $0.fetch(Query("item", where: filter)) }
        }
      }
      await context.expectError(.unknownField, "sort") {
        _ = try await store.read { try $0.fetch(Query("item", sort: [.ascending("nothing")])) }
      }
      await context.expectError(.unknownField, "aggregate") {
        _ = try await store.read { try $0.aggregate("item", [.sum("nothing")]) }
      }
      await context.expectError(.unknownField, "group by") {
        _ = try await store.read { try $0.aggregate("item", [.count], groupBy: ["nothing"]) }
      }
    },
    ConformanceCase("query.typeMismatch", "A literal of another type is typeMismatch.") { context in
      let store = try await open(context)
      for filter in [
        Filter.equal("name", 1), .less("rank", "1"), .greater("score", .blob([1])),
        .isIn("name", ["a", 1]), .startsWith("rank", "1"), .contains("name", .blob([97])),
        .startsWith("name", 1), .and([.equal("id", 1), .equal("name", 1.5)]),
      ] {
        await context.expectError(.typeMismatch, "\(filter)") {
          _ = try await store.read { try $0.count("item", where: filter) }
        }
      }
    },
    ConformanceCase("query.equalityOnly", "Decimals and JSON have equality, and no order.") {
      context in
      let store = try await context.open(
        creating: Shapes.single(.decimal, "priced"),
        Shapes.single(.json, "nested")
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": "1.50"], into: "priced")
        try transaction.insert(["id": 2, "value": "10"], into: "priced")
        try transaction.insert(["id": 1, "value": "[1]"], into: "nested")
        context.expect(
          try transaction.ids(Query("priced", where: .equal("value", "1.5000"))),
          [1],
          "= 1.5000"
        )
        context.expect(
          try transaction.ids(Query("priced", where: .notEqual("value", "1.5"))),
          [2],
          "!= 1.5"
        )
        for name in ["priced", "nested"] {
          context.expectError(.typeMismatch, "\(name) <") {
            _ = try transaction.count(name, where: .less("value", "2"))
          }
          context.expectError(.typeMismatch, "sort by \(name)") {
            _ = try transaction.fetch(Query(name, sort: [.ascending("value")]))
          }
          context.expectError(.typeMismatch, "minimum of \(name)") {
            _ = try transaction.aggregate(name, [.minimum("value")])
          }
        }
      }
    },
    ConformanceCase("query.nanLiteral", "Comparing with NaN is invalidValue.") { context in
      let store = try await open(context)
      for filter in [
        Filter.equal("score", .real(.nan)), .less("rank", .real(.nan)),
        .isIn("score", [1.0, .real(.nan)]),
      ] {
        await context.expectError(.invalidValue, "\(filter)") {
          _ = try await store.read { try $0.count("item", where: filter) }
        }
      }
    },
    ConformanceCase("query.compositeIndex", "A composite index serves equality and ranges alike.") {
      context in
      let store = try await open(context)
      var filters: [Filter] = []
      for name in ["a", "b", "é", .null] as [Value] {
        for rank in [-4, 0, 3, .null] as [Value] {
          filters.append(.equal("name", name) && .equal("rank", rank))
          filters.append(.equal("name", name) && .less("rank", rank))
          filters.append(.equal("name", name) && .greaterOrEqual("rank", rank))
          filters.append(.isIn("name", [name, "ab"]) && .notEqual("rank", rank))
          filters.append(.equal("name", name) && .isIn("rank", [rank, 1, 2]))
          filters.append(.startsWith("name", name) && .greater("rank", rank))
        }
      }
      try await expect(context, store, filters)
    },
    ConformanceCase("query.indexAfterChanges", "Indexes follow every update and delete.") {
      context in
      let store = try await open(context)
      var generator = context.generator()
      var current = Dictionary(
        uniqueKeysWithValues: records.enumerated().map { ($0.offset, $0.element) }
      )
      for _ in 0..<30 {
        var changes: [(Int, [String: Value]?)] = []
        for _ in 0..<20 {
          let id = generator.below(200)
          if generator.below(4) == 0 {
            current[id] = nil
            changes.append((id, nil))
          } else {
            let record: [String: Value] = [
              "id": .integer(Int64(id)),
              "name": generator.below(5) == 0 ? .null : .text("n\(generator.below(4))"),
              "rank": .integer(Int64(generator.below(6))),
              "score": .real(Double(generator.below(6))),
            ]
            current[id] = record
            changes.append((id, record))
          }
        }
        let batch = changes
        try await store.write { transaction in
          for (id, record) in batch {
            if let record {
              try transaction.put(record, in: "item")
            } else {
              try transaction.delete(Key(.integer(Int64(id))), from: "item")
            }
          }
        }
        let filter = randomFilter(&generator, depth: 1)
        let got = try await store.read { try $0.ids(Query("item", where: filter)) }
        context.expect(got, Oracle.ids(Array(current.values), filter), "\(filter)")
        if !context.failures.isEmpty { return }
      }
    },
  ]
}
