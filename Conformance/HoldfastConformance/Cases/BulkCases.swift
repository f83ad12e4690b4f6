import Holdfast

/// Updates and deletions by query, increments, reads of many keys.
enum BulkCases {
  /// Items 1 to 30 with ranks 0 to 9, an index on the rank and a unique one on the name.
  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(
      creating: Shapes.item(
        indexes: [IndexDefinition(["rank"]), IndexDefinition(["name"], unique: true)]
      )
    )
    try await store.write { try $0.insertItems(1...30) }
    return store
  }

  private static func ranks(_ store: Store) async throws -> [Value] {
    try await store.read { try $0.column("rank", Query("item")) }
  }

  /// The ranks that the items begin with, changed.
  private static func expected(_ change: (Int) -> Int = { $0 }) -> [Value] {
    (1...30).map { .integer(Int64(change($0 % 10))) }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "batch.updateOnce",
      "An update by query meets each record once, even if it moves it in the index walked."
    ) { context in
      let store = try await open(context)
      let count = try await store.write {
        try $0.update(
          Query("item", where: .greaterOrEqual("rank", 3)),
          set: [.increment("rank", by: 5), .value("score", 0.5)]
        )
      }
      context.expect(count, 21, "records")
      context.expect(try await ranks(store), expected { $0 < 3 ? $0 : $0 + 5 }, "ranks")
      let moved = try await store.read { try $0.count("item", where: .greater("rank", 9)) }
      context.expect(moved, 15, "by the index")
      let scored = try await store.read { try $0.count("item", where: .equal("score", 0.5)) }
      context.expect(scored, 21, "scores")
    },
    ConformanceCase(
      "batch.updatePart",
      "Order, limit and offset say which records an update or a deletion by query takes."
    ) { context in
      let store = try await open(context)
      let part = Query("item", sort: [.descending("rank"), .ascending("id")], limit: 2, offset: 1)
      let updated = try await store.write { try $0.update(part, set: [.value("rank", .null)]) }
      context.expect(updated, 2, "updated")
      let ids = try await store.read { try $0.ids(Query("item", where: .isNull("rank"))) }
      context.expect(ids, [19, 29], "the updated")
      let deleted = try await store.write { try $0.delete(part) }
      context.expect(deleted, 2, "deleted")
      let left = try await store.read { try $0.count("item", where: .equal("rank", 8)) }
      context.expect(left, 1, "what is left of rank 8")
      let none = try await store.write {
        try $0.update(Query("item", limit: 0), set: [.value("rank", 1)])
      }
      context.expect(none, 0, "updated with limit 0")
    },
    ConformanceCase(
      "batch.updateUndone",
      "An update by query that a record refuses changes nothing, and the transaction goes on."
    ) { context in
      let store = try await open(context)
      let refused: [(FieldAssignment, StorageError.Code)] = [
        (.value("name", "one"), .uniqueViolation), (.value("id", 7), .invalidValue),
        (.value("rank", "x"), .typeMismatch), (.increment("rank", by: .integer(.max)), .overflow),
        (.increment("rank", by: 1, within: 0...9), .overflow),
        (.increment("name", by: 1), .typeMismatch),
        (.increment("id", by: 1), .invalidValue), (.value("nothing", 1), .unknownField),
        (.increment("rank", by: .null), .typeMismatch),
      ]
      try await store.write { transaction in
        try transaction.insert(["id": 99], into: "item")
        for (assignment, code) in refused {
          context.expectError(code, "\(assignment)") {
            try transaction.update(Query("item"), set: [.value("score", 1.5), assignment])
          }
        }
        try transaction.insert(["id": 100], into: "item")
      }
      context.expect(try await ranks(store), expected() + [.null, .null], "ranks")
      let scored = try await store.read { try $0.count("item", where: .equal("score", 1.5)) }
      context.expect(scored, 0, "scores")
      let named = try await store.read { try $0.count("item", where: .equal("name", "one")) }
      context.expect(named, 0, "index entries")
    },
    ConformanceCase(
      "references.updateByQuery",
      "An update by query checks references at each record, and is undone by the first orphan."
    ) { context in
      let store = try await ReferenceCases.open(context, .cascade)
      context.expect(
        try await store.write {
          try $0.update(Query("status", where: .equal("user", 1)), set: [.value("user", 2)])
        },
        2,
        "records"
      )
      await context.expectError(.referenceViolation) {
        try await store.write { try $0.update(Query("status"), set: [.increment("user", by: 1)]) }
        try await store.write { try $0.update(Query("status"), set: [.increment("user", by: 1)]) }
      }
      let users = try await store.read { try $0.column("user", Query("status")) }
      context.expect(users, [3, 3, 3, .null], "users")
      let deleted = try await store.write {
        try $0.delete(Query("user", sort: [.descending("id")], limit: 1))
      }
      context.expect(deleted, 1, "deleted users")
      context.expect(
        try await store.read { try $0.ids(Query("status")) },
        [30],
        "after the cascade"
      )
    },
    ConformanceCase(
      "observation.updateByQuery",
      "An update by query is told record by record, one that was undone not at all."
    ) { context in
      let store = try await open(context)
      var changes = store.changes().makeAsyncIterator()
      await context.expectError(.overflow) {
        _ = try await store.write {
          try $0.update(Query("item"), set: [.increment("rank", by: 1, within: 0...9)])
        }
      }
      try await store.write {
        try $0.update(Query("item", where: .equal("rank", 4)), set: [.increment("rank", by: 1)])
      }
      let event = try await changes.next()
      context.expect(
        event?.collections["item"]?.updated.map(\.values) ?? [],
        [[4], [14], [24]],
        "updated"
      )
    },
    ConformanceCase("records.increment", "An increment adds to a number and gives the new value.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.insert(["id": 50, "score": 1.5], into: "item")
        let figures = [
          try transaction.increment("rank", of: 9, in: "item"),
          try transaction.increment("rank", by: -20, of: 9, in: "item"),
          try transaction.increment("score", by: 0.25, of: 50, in: "item"),
          try transaction.increment("score", by: 2, of: 50, in: "item"),
          try transaction.increment("rank", of: 50, in: "item"),
        ]
        context.expect(figures, [10, -10, 1.75, 3.75, .null], "new values")
      }
      let found = try await store.read { try $0.ids(Query("item", where: .equal("rank", -10))) }
      context.expect(found, [9], "by the index")
    },
    ConformanceCase(
      "records.incrementRefused",
      "An increment that does not fit, or is of no number, changes nothing."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.insert(["id": 50, "rank": .integer(.max), "score": 1.5], into: "item")
        let refused: [(String, Value, Key, StorageError.Code)] = [
          ("rank", 1, 50, .overflow), ("name", 1, 50, .typeMismatch), ("id", 1, 50, .invalidValue),
          ("rank", 1.5, 50, .typeMismatch), ("rank", 1, 999, .notFound),
          ("nothing", 1, 50, .unknownField), ("score", .real(.nan), 50, .invalidValue),
        ]
        for (field, amount, key, code) in refused {
          context.expectError(code, "\(field) by \(amount)") {
            try transaction.increment(field, by: amount, of: key, in: "item")
          }
        }
      }
      let record = try await store.read { try $0.get(50, in: "item") }
      context.expect(record?.values ?? [], [50, .null, .integer(.max), 1.5], "the record")
    },
    ConformanceCase("concurrency.increments", "Increments from many tasks all count.") { context in
      let store = try await open(context)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask {
            _ = try await store.write { try $0.increment("rank", by: 3, of: 10, in: "item") }
          }
        }
        try await group.waitForAll()
      }
      let rank = try await store.read { try $0.value("rank", of: 10, in: "item") }
      context.expect(rank, 600, "the total")
    },
    ConformanceCase(
      "records.getMany",
      "Reading many keys gives their records in the order of the keys, nil where there is none."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.insertItems(31...1200)
        try transaction.createCollection(Shapes.keyed(.text, .integer))
        try transaction.insert(["k0": "a", "k1": 1, "label": 7], into: "keyed")
      }
      try await store.read { transaction in
        let some: [Key] = [3, 99_999, 1, 3, -5, 1200, 2]
        let ranks = try transaction.get(some, in: "item").map { $0?["id"] ?? .null }
        context.expect(ranks, [3, .null, 1, 3, .null, 1200, 2], "some keys")
        let all = (1...1300).reversed().map { Key(.integer(Int64($0))) }
        let found = try transaction.get(all, in: "item").map { $0?["id"] ?? .null }
        let expected = (1...1300).reversed().map { $0 > 1200 ? .null : Value.integer(Int64($0)) }
        context.expect(found, expected, "many keys")
        context.expect(try transaction.get([], in: "item").count, 0, "no key")
        let keyed = try transaction.get([["a", 1], ["a", 2], ["a", 1]], in: "keyed")
        context.expect(keyed.map { $0?["label"] ?? .null }, [7, .null, 7], "composite keys")
        context.expectError(.typeMismatch, "a key of another type") {
          _ = try transaction.get([1, "x"], in: "item")
        }
      }
    },
  ]
}
