import Holdfast

/// Pages and their tokens.
enum PagingCases {
  private static let orders: [[Sort]] = [
    [], [.descending("id")], [.ascending("rank")], [.descending("rank")], [.descending("name")],
    [.ascending("name"), .descending("score")], [.descending("score"), .ascending("rank")],
  ]

  private static func token(
    _ store: Store,
    _ query: Query,
    _ context: ConformanceContext
  ) async throws -> PageToken {
    let page = try await store.read { try $0.page(query) as Page<Record> }
    guard let next = page.next else {
      throw StorageError(.invalidCursor, "the first page of the case has no token")
    }
    return next
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "paging.pagesEqualWhole",
      "All pages together are the whole, nulls and ties too."
    ) { context in
      let store = try await QueryCases.open(context)
      for sort in orders {
        for filter in [Filter.all, .greater("id", 60), .notEqual("name", "a")] {
          for limit in [1, 7, 50, 1000] {
            let ids = try await Paging.whole(
              store,
              Query("item", where: filter, sort: sort, limit: limit)
            )
            context.expect(
              ids,
              Oracle.ids(QueryCases.records, filter, sort: sort),
              "\(sort), \(filter), \(limit) a page"
            )
          }
          if !context.failures.isEmpty { return }
        }
      }
    },
    ConformanceCase("paging.unindexed", "Pages without an index are the same.") { context in
      let store = try await QueryCases.open(context, indexes: [])
      for sort in orders {
        let ids = try await Paging.whole(store, Query("item", sort: sort, limit: 13))
        context.expect(ids, Oracle.ids(QueryCases.records, sort: sort), "\(sort)")
      }
    },
    ConformanceCase("paging.lastPage", "A page that is not full has no token.") { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...10) }
      let short = try await store.read { try $0.page(Query("item", limit: 11)) as Page<Record> }
      context.expect(short.next?.text, nil, "the token of a page with everything")
      let unlimited = try await store.read { try $0.page(Query("item")) as Page<Record> }
      context.expect(unlimited.next?.text, nil, "the token of a page without limit")
      let none = try await store.read {
        try $0.page(Query("item", where: .or([]), limit: 3)) as Page<Record>
      }
      context.expect(none.next?.text, nil, "the token of an empty page")
    },
    ConformanceCase(
      "paging.cursorUnderInsertAndDelete",
      "Inserts and deletes between pages shift nothing."
    ) {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        for id in 0..<60 {
          try transaction.insert(
            ["id": .integer(Int64(id)), "rank": .integer(Int64(id / 3 * 10))],
            into: "item"
          )
        }
      }
      let query = Query("item", sort: [.ascending("rank")], limit: 10)
      let ids = try await Paging.whole(store, query) { number in
        try await store.write { transaction in
          // Before the place reached, on it, and after it.
          try transaction.insert(
            ["id": .integer(Int64(1000 + number)), "rank": -1],
            into: "item"
          )
          try transaction.insert(
            ["id": .integer(Int64(2000 + number)), "rank": 100_000],
            into: "item"
          )
          try transaction.delete(Key(.integer(Int64(number * 10 - 1))), from: "item")
          try transaction.delete(Key(.integer(Int64(number * 10 + 5))), from: "item")
        }
        if number == 6 {
          try await store.write {
            _ = try $0.deleteAll(in: "item", where: .greater("rank", 50_000))
          }
        }
      }
      let expected = (0..<60).filter { $0 < 10 || $0 % 10 != 5 }.map { Value.integer(Int64($0)) }
      let originals = ids.filter { Oracle.order($0, 1000) < 0 }
      context.expect(
        originals,
        expected,
        "each record once, but those deleted ahead of the pages"
      )
    },
    ConformanceCase("paging.afterDeletedRow", "A page goes on where its last record was deleted.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...10) }
      var query = Query("item", limit: 4)
      query.after = try await token(store, query, context)
      try await store.write { _ = try $0.delete(4, from: "item") }
      let next = query
      context.expect(try await store.read { try $0.ids(next) }, [5, 6, 7, 8], "the second page")
    },
    ConformanceCase("paging.forgedCursor", "A damaged or invented token is invalidCursor.") {
      context in
      let store = try await QueryCases.open(context)
      let query = Query("item", sort: [.ascending("name")], limit: 5)
      let good = try await token(store, query, context).text
      var forged = [
        "", "A", "====", "not a token", "\u{0}", "é", String(good.dropLast()), good + "A",
        good + good, String(good.dropFirst()), String(repeating: "A", count: 10_000),
      ]
      for position in stride(from: 0, to: good.count, by: 5) {
        var changed = Array(good)
        changed[position] = changed[position] == "B" ? "C" : "B"
        forged.append(String(changed))
      }
      for text in forged {
        var damaged = query
        damaged.after = PageToken(text)
        let next = damaged
        await context.expectError(.invalidCursor, "the token \(text.prefix(80).description)") {
          _ = try await store.read { try $0.fetch(next) }
        }
      }
    },
    ConformanceCase("paging.otherQuery", "A token of another query or collection is invalidCursor.")
    { context in
      let store = try await QueryCases.open(context)
      _ = try await store.write { try $0.createCollection(Shapes.item("other")) }
      let query = Query("item", where: .greater("id", 3), sort: [.ascending("name")], limit: 5)
      let token = try await token(store, query, context)
      let others = [
        Query("item", where: .greater("id", 4), sort: [.ascending("name")], limit: 5, after: token),
        Query("item", sort: [.ascending("name")], limit: 5, after: token),
        Query("item", where: .greater("id", 3), sort: [.descending("name")], after: token),
        Query("item", where: .greater("id", 3), sort: [.ascending("rank")], after: token),
        Query("item", where: .greater("id", 3), after: token),
        Query("other", where: .greater("id", 3), sort: [.ascending("name")], after: token),
      ]
      for other in others {
        await context.expectError(.invalidCursor, "\(other.collection), \(other.sort)") {
          _ = try await store.read { try $0.fetch(other) }
        }
      }
      let same = Query(
        "item",
        where: .greater("id", 3),
        sort: [.ascending("name")],
        limit: 2,
        after: token
      )
      let count = try await store.read { try $0.fetch(same).count }
      context.expect(count, 2, "records of the same query with another limit")
    },
    ConformanceCase(
      "paging.cursorAcrossReopen",
      "A token works after reopening, from its text alone."
    ) {
      context in
      var store = try await QueryCases.open(context)
      var query = Query("item", sort: [.descending("score")], limit: 20)
      let text = try await token(store, query, context).text
      store = try context.reopen(store)
      query.after = PageToken(text)
      let next = query
      let expected = Oracle.ids(QueryCases.records, sort: query.sort)
      context.expect(
        try await store.read { try $0.ids(next) },
        Array(expected[20..<40]),
        "the second page"
      )
    },
    ConformanceCase("paging.onAnotherStore", "A token works on another store with the same schema.")
    { context in
      let store = try await QueryCases.open(context)
      let second = try context.open(.second)
      try await second.write { transaction in
        try transaction.createCollection(Shapes.item())
        for record in QueryCases.records.reversed() { try transaction.insert(record, into: "item") }
      }
      var query = Query("item", sort: [.ascending("rank")], limit: 25)
      query.after = try await token(store, query, context)
      let next = query
      let expected = Oracle.ids(QueryCases.records, sort: query.sort)
      context.expect(
        try await second.read { try $0.ids(next) },
        Array(expected[25..<50]),
        "the second page"
      )
    },
    ConformanceCase("paging.awkwardValues", "Pages pass over every awkward value, both ways.") {
      context in
      let store = try context.open()
      for type in [FieldType.integer, .real, .text, .blob, .date] {
        let name = "of_\(type.rawValue)"
        let records = (Pools.values(of: type) + [.null] + Pools.values(of: type)).enumerated().map {
          ["id": Value.integer(Int64($0.offset)), "value": $0.element]
        }
        try await store.write { transaction in
          try transaction.createCollection(
            Shapes.single(type, name, indexes: [IndexDefinition(["value"])])
          )
          for record in records { try transaction.insert(record, into: name) }
        }
        for sort in [Sort.ascending("value"), .descending("value")] {
          let ids = try await Paging.whole(store, Query(name, sort: [sort], limit: 3))
          context.expect(ids, Oracle.ids(records, sort: [sort]), "\(type), \(sort)")
        }
      }
    },
    ConformanceCase("paging.compositeKey", "Pages pass over composite keys.") { context in
      let store = try await context.open(creating: Shapes.keyed(.text, .integer))
      try await store.write { transaction in
        for name in ["a", "a\u{0}", "b"] as [Value] {
          for number in -3...3 {
            try transaction.insert(
              [
                "k0": name, "k1": .integer(Int64(number)),
                "label": .integer(Int64(number * number)),
              ],
              into: "keyed"
            )
          }
        }
      }
      for sort in [[], [Sort.descending("label")], [.descending("k1")], [.descending("k0")]] {
        let whole = try await store.read {
          try $0.fetch(Query("keyed", sort: sort)).map(\.key.values)
        }
        context.expect(whole.count, 21, "records, \(sort)")
        var pages: [[Value]] = []
        var query = Query("keyed", sort: sort, limit: 4)
        repeat {
          let current = query
          let page = try await store.read { try $0.page(current) as Page<Record> }
          pages += page.elements.map(\.key.values)
          query.after = page.next
        } while query.after != nil && pages.count < 100
        context.expect(pages, whole, "pages, \(sort)")
      }
    },
  ]
}
