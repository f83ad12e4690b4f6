import Holdfast

/// Figures: counts, sums, averages, extremes, groups.
enum AggregateCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("query.aggregateEmpty", "Over nothing every figure is null, and the count 0.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      let figures: [Aggregate] = [
        .count, .sum("rank"), .average("rank"), .minimum("name"), .maximum("score"), .sum("score"),
      ]
      let none: [[Value]] = [[0, .null, .null, .null, .null, .null]]
      context.expect(try await store.read { try $0.aggregate("item", figures) }, none, "no record")
      try await store.write { try $0.insertItems([1]) }
      context.expect(
        try await store.read { try $0.aggregate("item", figures, where: .equal("id", 2)) },
        none,
        "no match"
      )
      context.expect(
        try await store.read {
          try $0.aggregate("item", [.count], groupBy: ["rank"], where: .or([]))
        },
        [],
        "groups of no match"
      )
    },
    ConformanceCase("query.aggregateNulls", "Figures leave nulls out; only nulls give null.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "rank": 4, "score": 1.5], into: "item")
        try transaction.insert(["id": 2], into: "item")
        try transaction.insert(["id": 3, "rank": -1], into: "item")
      }
      let figures: [Aggregate] = [
        .count, .sum("rank"), .average("rank"), .minimum("rank"), .maximum("rank"),
        .average("score"), .minimum("name"),
      ]
      context.expect(
        try await store.read { try $0.aggregate("item", figures) },
        [[3, 3, 1.5, -1, 4, 1.5, .null]],
        "figures"
      )
    },
    ConformanceCase(
      "query.sumOverflow",
      "An integer sum beyond 64 bits is overflow, never wrapped."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "rank": .integer(.max)], into: "item")
        try transaction.insert(["id": 2, "rank": 1], into: "item")
      }
      await context.expectError(.overflow) {
        _ = try await store.read { try $0.aggregate("item", [.sum("rank")]) }
      }
      let mean = try await store.read { try $0.aggregate("item", [.average("rank")]) }
      context.expect(mean, [[.real(0x1p62)]], "the average")
      _ = try await store.write { try $0.insert(["id": 3, "rank": -1], into: "item") }
      let sum = try await store.read { try $0.aggregate("item", [.sum("rank")]) }
      context.expect(sum, [[.integer(.max)]], "a total that fits, whatever the order")
    },
    ConformanceCase("query.sumExact", "Sums of reals are of the exact total, in any order.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      let reals = [1e16, 1.0, -1e16, 0.1, 1e300, -1e300, 0.2, 1e-300]
      try await store.write { transaction in
        for (id, real) in reals.enumerated() {
          try transaction.insert(["id": .integer(Int64(id)), "score": .real(real)], into: "item")
          try transaction.insert(
            ["id": .integer(Int64(100 - id)), "score": .real(real)],
            into: "item"
          )
        }
      }
      // 2 × (1 + 0.1 + 0.2 as doubles, exactly, + 1e-300), rounded once.
      let figures = try await store.read {
        try $0.aggregate("item", [.sum("score"), .average("score")])
      }
      context.expect(figures, [[2.6, 0.1625]], "sum and average")
      let small = try await store.read {
        try $0.aggregate(
          "item",
          [.sum("score")],
          where: .less("score", 1e-200) && .greater("score", 0)
        )
      }
      context.expect(small, [[2e-300]], "the sum of the smallest")
    },
    ConformanceCase("query.averageSmallest", "An average below the smallest real is rounded to it.")
    {
      context in
      let store = try await context.open(creating: Shapes.item())
      let smallest = Double.leastNonzeroMagnitude
      try await store.write { transaction in
        for (id, score) in [smallest, smallest, smallest, 0].enumerated() {
          try transaction.insert(
            ["id": .integer(Int64(id)), "score": .real(score)],
            into: "item"
          )
        }
      }
      // Three quarters of the smallest; then half of it, a tie, which goes to the even zero; then zero.
      for (filter, mean) in [
        (Filter.all, smallest), (.greaterOrEqual("id", 2), 0), (.greaterOrEqual("id", 3), 0),
      ] {
        let got = try await store.read {
          try $0.aggregate("item", [.average("score")], where: filter)
        }
        context.expect(got, [[.real(mean)]], "\(filter)")
      }
    },
    ConformanceCase("query.sumKinds", "Sums keep the field's kind; averages are real.") { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        for id in 1...4 {
          let value = Value.integer(Int64(id))
          try transaction.insert(
            ["id": value, "rank": value, "score": .real(Double(id))],
            into: "item"
          )
        }
      }
      let got = try await store.read {
        try $0.aggregate(
          "item",
          [.sum("rank"), .sum("score"), .average("rank"), .average("score")]
        )
      }
      context.expect(got, [[10, 10.0, 2.5, 2.5]], "figures")
    },
    ConformanceCase("query.sumInfinity", "Infinities add up as in arithmetic, and never to NaN.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "score": .real(.infinity)], into: "item")
        try transaction.insert(["id": 2, "score": 1.0], into: "item")
      }
      let one = try await store.read { try $0.aggregate("item", [.sum("score")]) }
      context.expect(one, [[.real(.infinity)]], "with one infinity")
      _ = try await store.write {
        try $0.insert(["id": 3, "score": .real(-.infinity)], into: "item")
      }
      let both = try await store.read { try $0.aggregate("item", [.sum("score")]) }
      context.expect(both, [[.null]], "with opposite infinities")
    },
    ConformanceCase("query.extremes", "Minimum and maximum follow the order of each type.") {
      context in
      let store = try context.open()
      for type in [FieldType.integer, .real, .text, .blob, .bool, .date, .uuid] {
        let name = "of_\(type.rawValue)"
        let pool = Pools.values(of: type)
        try await store.write { transaction in
          try transaction.createCollection(Shapes.single(type, name))
          for (id, value) in (pool + [.null]).enumerated() {
            try transaction.insert(["id": .integer(Int64(id)), "value": value], into: name)
          }
        }
        let sorted = pool.sorted { Oracle.order($0, $1) < 0 }
        let got = try await store.read {
          try $0.aggregate(name, [.minimum("value"), .maximum("value")])
        }
        context.expect(got, [[sorted[0], sorted[sorted.count - 1]]], "\(type)")
      }
    },
    ConformanceCase(
      "query.groupBy",
      "Groups come in ascending order, null first, each figure right."
    ) { context in
      let store = try await QueryCases.open(context)
      let records = QueryCases.records
      for filter in [Filter.all, .greater("id", 100), .notEqual("rank", 2)] {
        let got = try await store.read {
          try $0.aggregate(
            "item",
            [.count, .sum("rank"), .minimum("id"), .maximum("score")],
            groupBy: ["name", "rank"],
            where: filter
          )
        }
        var groups: [[Value]] = []
        for record in records where Oracle.matches(filter, record) {
          let key = [record["name"] ?? .null, record["rank"] ?? .null]
          if !groups.contains(where: { Oracle.order($0, key) == 0 }) { groups.append(key) }
        }
        groups.sort { Oracle.order($0, $1) < 0 }
        let expected = groups.map { key -> [Value] in
          let members = records.filter {
            Oracle.matches(filter, $0)
              && Oracle.matches(.equal("name", key[0]) && .equal("rank", key[1]), $0)
          }
          var sum: Int64?
          for member in members {
            if case .integer(let rank) = member["rank"] ?? .null { sum = (sum ?? 0) + rank }
          }
          let scores = members.map { $0["score"] ?? .null }.sorted { Oracle.order($0, $1) < 0 }
          let ids = Oracle.ids(members)
          return key + [
            .integer(Int64(members.count)), sum.map { .integer($0) } ?? .null, ids[0],
            scores[scores.count - 1],
          ]
        }
        context.expect(got, expected, "\(filter)")
      }
    },
    ConformanceCase("query.groupsByText", "Text groups are told apart by bytes.") { context in
      let store = try await context.open(creating: Shapes.item())
      let names = ["a", "A", "\u{E9}", "e\u{301}", "a\u{0}", "a", "", "\u{E9}"]
      try await store.write { transaction in
        for (id, name) in names.enumerated() {
          try transaction.insert(["id": .integer(Int64(id)), "name": .text(name)], into: "item")
        }
      }
      let groups = try await store.read { try $0.aggregate("item", [.count], groupBy: ["name"]) }
      context.expect(
        groups,
        [
          ["", 1], ["A", 1], ["a", 2], ["a\u{0}", 1], ["e\u{301}", 1], ["\u{E9}", 2],
        ],
        "groups"
      )
    },
    ConformanceCase("query.sumOfText", "A sum over text is typeMismatch.") { context in
      let store = try await context.open(creating: Shapes.item())
      for figure in [Aggregate.sum("name"), .average("name")] {
        await context.expectError(.typeMismatch, "\(figure)") {
          _ = try await store.read { try $0.aggregate("item", [figure]) }
        }
      }
    },
  ]
}
