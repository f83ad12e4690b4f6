import Holdfast

/// Savepoints: inner parts that are undone alone.
enum SavepointCases {
  /// A savepoint that is undone.
  private static func undone(_ transaction: WriteTransaction, _ body: () throws -> Void) throws {
    do {
      try transaction.savepoint {
        try body()
        throw Abandoned()
      }
    } catch is Abandoned {}
  }

  private static func names(_ store: Store) async throws -> [Value] {
    try await store.read { try $0.column("name", Query("item")) }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("transaction.savepointCommit", "A finished savepoint keeps its changes.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        let result = try transaction.savepoint {
          try transaction.insertItems([2])
          return 42
        }
        context.expect(result, 42, "what the savepoint returned")
        try transaction.insertItems([3])
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2, 3], "ids")
    },
    ConformanceCase("transaction.nestedRollback", "An undone savepoint takes only its part.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems(1...3)
        try undone(transaction) {
          try transaction.insertItems([4])
          try transaction.update(1, set: ["name": "changed"], in: "item")
          try transaction.delete(2, from: "item")
          context.expect(try transaction.ids(Query("item")), [1, 3, 4], "ids inside")
        }
        context.expect(try transaction.ids(Query("item")), [1, 2, 3], "ids after it")
        context.expect(try transaction.value("name", of: 1, in: "item"), "name 1", "name after it")
        try transaction.insertItems([5])
      }
      context.expect(
        try await names(store),
        ["name 1", "name 2", "name 3", "name 5"],
        "names"
      )
    },
    ConformanceCase(
      "transaction.nestedThenOuterCommitThenReopen",
      "After an inner rollback the outer commit lasts."
    ) { context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        try undone(transaction) { try transaction.insertItems([2]) }
        try transaction.insertItems([3])
      }
      try await store.write { try $0.insertItems([4]) }
      store = try context.reopen(store)
      context.expect(
        try await names(store),
        ["name 1", "name 3", "name 4"],
        "names after reopening"
      )
    },
    ConformanceCase(
      "transaction.nestedThenOuterRollback",
      "An outer rollback undoes finished savepoints."
    ) { context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      await TransactionCases.abandon(context, store) { transaction in
        try transaction.savepoint { try transaction.insertItems([2]) }
        _ = try transaction.savepoint { try transaction.delete(1, from: "item") }
        try undone(transaction) { try transaction.insertItems([3]) }
      }
      context.expect(try await names(store), ["name 1"], "names")
      store = try context.reopen(store)
      context.expect(try await names(store), ["name 1"], "names after reopening")
    },
    ConformanceCase(
      "transaction.savepointsDeep",
      "Twenty savepoints nest, each undone or kept alone."
    ) { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        func descend(_ level: Int) throws {
          if level == 20 { return }
          let isKept = level % 3 != 2
          let body = {
            try transaction.insert(
              ["id": .integer(Int64(level)), "rank": 1],
              into: "item"
            )
            try descend(level + 1)
            try transaction.insert(
              ["id": .integer(Int64(100 + level)), "rank": 1],
              into: "item"
            )
          }
          if isKept { try transaction.savepoint(body) } else { try undone(transaction, body) }
        }
        try descend(0)
        context.expect(
          try transaction.ids(Query("item", where: .equal("rank", 1))),
          [0, 1, 100, 101],
          "inside"
        )
      }
      let ids = try await store.read { try $0.ids(Query("item", where: .equal("rank", 1))) }
      context.expect(ids, [0, 1, 100, 101], "what was outside the first undone level")
    },
    ConformanceCase("transaction.savepointIndexes", "An undone savepoint restores every index.") {
      context in
      let store = try await QueryCases.open(context)
      try await store.write { transaction in
        try undone(transaction) {
          try transaction.deleteAll(in: "item", where: .less("rank", 2))
          for id in 190..<200 {
            try transaction.put(["id": .integer(Int64(id)), "name": "q", "rank": 2], in: "item")
          }
        }
        for filter in [Filter.less("rank", 2), .equal("rank", 2), .equal("name", "q")] {
          context.expect(
            try transaction.ids(Query("item", where: filter)),
            Oracle.ids(QueryCases.records, filter),
            "inside, \(filter)"
          )
        }
      }
      try await QueryCases.expect(
        context,
        store,
        [.less("rank", 2), .equal("rank", 2), .equal("name", "q"), .all]
      )
    },
    ConformanceCase(
      "unique.afterSavepoint",
      "A value undone by a savepoint is free, one restored not."
    ) { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"], unique: true)])
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a"], into: "item")
        try undone(transaction) {
          try transaction.delete(1, from: "item")
          try transaction.insert(["id": 2, "name": "b"], into: "item")
        }
        try transaction.insert(["id": 3, "name": "b"], into: "item")
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 4, "name": "a"], into: "item")
        }
      }
      context.expect(try await names(store), ["a", "b"], "names")
    },
    ConformanceCase(
      "transaction.savepointSchema",
      "An undone savepoint undoes created collections."
    ) {
      context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try undone(transaction) {
          try transaction.createCollection(Shapes.item("gone"))
          try transaction.insertItems([1], into: "gone")
        }
        context.expectError(.unknownCollection) { _ = try transaction.count("gone") }
        try transaction.createCollection(Shapes.automatic("kept"))
        try transaction.insert(["name": "x"], into: "kept")
      }
      store = try context.reopen(store)
      let collections = try await store.read { try $0.catalog.collections.map(\.name) }
      context.expect(collections, ["item", "kept"], "collections")
      context.expect(try await store.read { try $0.count("kept") }, 1, "records")
    },
    ConformanceCase("transaction.savepointsMany", "A thousand savepoints one after another work.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        for id in 0..<1000 {
          if id % 2 == 0 {
            try transaction.savepoint { try transaction.insertItems([id]) }
          } else {
            try undone(transaction) { try transaction.insertItems([id]) }
          }
        }
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(
        ids,
        stride(from: 0, to: 1000, by: 2).map { .integer(Int64($0)) },
        "ids"
      )
    },
    ConformanceCase(
      "transaction.savepointError",
      "A violation that leaves a savepoint undoes it whole."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.duplicateKey) {
          try transaction.savepoint {
            try transaction.insertItems([2])
            try transaction.insertItems([1])
          }
        }
        try transaction.insertItems([3])
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 3], "ids")
    },
  ]
}
