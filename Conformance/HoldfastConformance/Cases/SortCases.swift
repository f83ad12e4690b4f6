import Holdfast

/// Order, limit and offset.
enum SortCases {
  private static let records = QueryCases.records

  private static let orders: [[Sort]] = [
    [.ascending("rank")], [.descending("rank")], [.ascending("name")], [.descending("name")],
    [.ascending("score")], [.descending("score")], [.descending("id")],
    [.ascending("name"), .ascending("rank")], [.descending("name"), .descending("rank")],
    [.ascending("name"), .descending("rank")], [.descending("rank"), .ascending("name")],
    [.ascending("rank"), .descending("id")], [.ascending("rank"), .ascending("rank")],
    [.descending("name"), .ascending("score"), .descending("rank")],
  ]

  private static func expect(_ context: ConformanceContext, indexes: [IndexDefinition]) async throws
  {
    let store = try await QueryCases.open(context, indexes: indexes)
    for sort in orders {
      for filter in [
        Filter.all, .greater("rank", 0), .isIn("name", ["a", "b", .null]), .notEqual("score", 1.0),
      ] {
        let expected = Oracle.ids(records, filter, sort: sort)
        let whole = try await store.read { try $0.ids(Query("item", where: filter, sort: sort)) }
        context.expect(whole, expected, "\(sort), \(filter)")
        let part = try await store.read {
          try $0.ids(Query("item", where: filter, sort: sort, limit: 9, offset: 4))
        }
        context.expect(
          part,
          Array(expected.dropFirst(4).prefix(9)),
          "\(sort), \(filter), offset 4 limit 9"
        )
      }
      if !context.failures.isEmpty { return }
    }
  }

  static let rules: [ConformanceCase] = [
    ConformanceCase("sort.multiKey", "Every order over indexes is exact: nulls, ties, directions.")
    {
      try await expect($0, indexes: QueryCases.indexes)
    },
    ConformanceCase("sort.ordersUnindexed", "Every order without an index is the same.") {
      try await expect($0, indexes: [])
    },
    ConformanceCase("sort.descNull", "Null sorts first ascending and last descending.") { context in
      let store = try await context.open(
        creating: Shapes.single(.integer, "plain"),
        Shapes.single(.integer, "indexed", indexes: [IndexDefinition(["value"])])
      )
      for name in ["plain", "indexed"] {
        try await store.write { transaction in
          for (id, value) in ([3, .null, .integer(.min), .null, 0] as [Value]).enumerated() {
            try transaction.insert(["id": .integer(Int64(id)), "value": value], into: name)
          }
        }
        let up = try await store.read { try $0.ids(Query(name, sort: [.ascending("value")])) }
        context.expect(up, [1, 3, 2, 4, 0], "\(name), ascending")
        let down = try await store.read { try $0.ids(Query(name, sort: [.descending("value")])) }
        context.expect(down, [0, 4, 2, 1, 3], "\(name), descending")
      }
    },
    ConformanceCase("sort.tieByKey", "Ties are broken by the ascending key, in both directions.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { try $0.insertItems([40, 10, 30, 20, 11, 21]) }
      let up = try await store.read { try $0.ids(Query("item", sort: [.ascending("rank")])) }
      context.expect(up, [10, 20, 30, 40, 11, 21], "ascending")
      let down = try await store.read { try $0.ids(Query("item", sort: [.descending("rank")])) }
      context.expect(down, [11, 21, 10, 20, 30, 40], "descending")
    },
    ConformanceCase("sort.everyType", "Each type sorts by its own order, both ways.") { context in
      let store = try context.open()
      for type in [FieldType.integer, .real, .text, .blob, .bool, .date, .uuid] {
        for isIndexed in [false, true] {
          let name = "of_\(type.rawValue)_\(isIndexed)"
          let records = (Pools.values(of: type) + [.null]).reversed().enumerated().map {
            ["id": Value.integer(Int64($0.offset)), "value": $0.element]
          }
          try await store.write { transaction in
            try transaction.createCollection(
              Shapes.single(type, name, indexes: isIndexed ? [IndexDefinition(["value"])] : [])
            )
            for record in records { try transaction.insert(record, into: name) }
          }
          for sort in [Sort.ascending("value"), .descending("value")] {
            let got = try await store.read { try $0.ids(Query(name, sort: [sort])) }
            context.expect(got, Oracle.ids(records, sort: [sort]), "\(name), \(sort)")
          }
        }
      }
    },
    ConformanceCase("sort.sortThenLimit", "The limit takes the first of the sorted set.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        for id in 0..<100 {
          try transaction.insert(
            ["id": .integer(Int64(id)), "rank": .integer(Int64(id * 37 % 100))],
            into: "item"
          )
        }
      }
      let top = try await store.read {
        try $0.column("rank", Query("item", sort: [.descending("rank")], limit: 3))
      }
      context.expect(top, [99, 98, 97], "the three largest")
      let filtered = try await store.read {
        try $0.column(
          "rank",
          Query("item", where: .less("rank", 50), sort: [.descending("rank")], limit: 2)
        )
      }
      context.expect(filtered, [49, 48], "the two largest below 50")
    },
    ConformanceCase("sort.limit0", "Limit 0 is nothing, a limit beyond the end is everything.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...5) }
      let expected: [(Int?, Int, [Value])] = [
        (0, 0, []), (0, 3, []), (1, 0, [1]), (5, 0, [1, 2, 3, 4, 5]), (.max, 0, [1, 2, 3, 4, 5]),
        (nil, 3, [4, 5]), (nil, 5, []), (nil, .max, []), (2, 4, [5]), (.max, .max, []),
        (.max, 2, [3, 4, 5]),
      ]
      for (limit, offset, ids) in expected {
        let got = try await store.read {
          try $0.ids(Query("item", limit: limit, offset: offset))
        }
        context.expect(got, ids, "limit \(limit.exactText), offset \(offset)")
        let sorted = try await store.read {
          try $0.ids(Query("item", sort: [.ascending("name")], limit: limit, offset: offset))
        }
        context.expect(sorted, ids, "sorted, limit \(limit.exactText), offset \(offset)")
      }
    },
    ConformanceCase("sort.limitNegative", "A negative limit or offset is invalidQuery.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      for (limit, offset) in [(-1, 0), (Int.min, 0), (5, -1), (0, Int.min)] {
        await context.expectError(.invalidQuery, "limit \(limit), offset \(offset)") {
          _ = try await store.read {
            try $0.fetch(Query("item", limit: limit, offset: offset))
          }
        }
      }
    },
    ConformanceCase("sort.compositeKey", "Without an order records come by their composite key.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.integer, .text))
      try await store.write { transaction in
        for (number, text) in [(2, "a"), (1, "b"), (-1, "z"), (1, "a"), (2, "")]
          as [(Int64, String)]
        {
          try transaction.insert(
            ["k0": .integer(number), "k1": .text(text), "label": 1],
            into: "keyed"
          )
        }
      }
      let keys = try await store.read { try $0.fetch(Query("keyed")).map(\.key.values) }
      context.expect(keys, [[-1, "z"], [1, "a"], [1, "b"], [2, ""], [2, "a"]], "by key")
      let sorted = try await store.read {
        try $0.fetch(Query("keyed", sort: [.ascending("label"), .descending("k1")])).map(
          \.key.values
        )
      }
      context.expect(
        sorted,
        [[-1, "z"], [1, "b"], [1, "a"], [2, "a"], [2, ""]],
        "by label, k1 descending"
      )
    },
  ]

  static let all = rules + counts
}
