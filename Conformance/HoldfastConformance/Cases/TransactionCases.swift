import Holdfast

/// An error of a case's own, to leave a body with.
struct Abandoned: Error {}

/// Commit, rollback, scope.
enum TransactionCases {
  /// Runs a write that ends by throwing, and expects that very error back.
  static func abandon(
    _ context: ConformanceContext,
    _ store: Store,
    _ body: sending @escaping (WriteTransaction) throws -> Void
  ) async {
    do {
      try await store.write { transaction in
        try body(transaction)
        throw Abandoned()
      }
      context.fail("the body's error did not come out of write")
    } catch is Abandoned {
      return
    } catch {
      context.fail("expected the body's own error, got \(error)")
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("transaction.commitVisible", "What a write committed, the next read sees.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      let result = try await store.write { transaction -> String in
        try transaction.insertItems([1, 2])
        return "the body's result"
      }
      context.expect(result, "the body's result", "what write returned")
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2], "ids")
      try Blocking.write(store) { try $0.insertItems([3]) }
      context.expect(try Blocking.read(store) { try $0.ids(Query("item")) }, [1, 2, 3], "ids")
    },
    ConformanceCase(
      "transaction.rollbackDiscardsWrites",
      "An error that leaves the body undoes all."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...3) }
      await abandon(context, store) { transaction in
        try transaction.insertItems([4])
        try transaction.update(1, set: ["name": "changed"], in: "item")
        try transaction.delete(2, from: "item")
        try transaction.put(["id": 3, "name": "put"], in: "item")
      }
      let names = try await store.read { try $0.column("name", Query("item")) }
      context.expect(names, ["name 1", "name 2", "name 3"], "names")
    },
    ConformanceCase("transaction.rollbackRestoresIndexes", "A rollback restores every index.") {
      context in
      let store = try await QueryCases.open(context)
      await abandon(context, store) { transaction in
        try transaction.deleteAll(in: "item", where: .less("id", 50))
        for id in 50..<100 {
          try transaction.update(
            Key(.integer(Int64(id))),
            set: ["rank": 99, "name": "zzz", "score": .null],
            in: "item"
          )
        }
        try transaction.deleteAll(in: "item")
        try transaction.insertItems(0..<20)
      }
      for sort in [Sort.ascending("rank"), .descending("name"), .ascending("score")] {
        let got = try await store.read { try $0.ids(Query("item", sort: [sort])) }
        context.expect(got, Oracle.ids(QueryCases.records, sort: [sort]), "\(sort)")
      }
      try await QueryCases.expect(
        context,
        store,
        [.equal("rank", 99), .equal("name", "zzz"), .less("rank", 3), .isNull("score")]
      )
    },
    ConformanceCase("transaction.rollbackRestoresSchema", "A rollback undoes created collections.")
    {
      context in
      let store = try await context.open(creating: Shapes.item())
      let before = try await store.read { try $0.catalog.schemaVersion }
      await abandon(context, store) { transaction in
        try transaction.createCollection(Shapes.item("extra", indexes: [IndexDefinition(["rank"])]))
        try transaction.insertItems(1...5, into: "extra")
      }
      await context.expectError(.unknownCollection) {
        _ = try await store.read { try $0.count("extra") }
      }
      context.expect(try await store.read { try $0.catalog.schemaVersion }, before, "version")
      try await store.write { transaction in
        try transaction.createCollection(Shapes.automatic("extra"))
        try transaction.insert(["name": "x"], into: "extra")
      }
      context.expect(try await store.read { try $0.count("extra") }, 1, "of another definition")
    },
    ConformanceCase(
      "transaction.readYourWrites",
      "A body gets its own inserts, updates and deletes."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...3) }
      try await store.write { transaction in
        try transaction.insert(["id": 4, "name": "new"], into: "item")
        context.expect(try transaction.value("name", of: 4, in: "item"), "new", "inserted")
        try transaction.update(1, set: ["name": "changed"], in: "item")
        context.expect(try transaction.value("name", of: 1, in: "item"), "changed", "updated")
        try transaction.delete(2, from: "item")
        context.expect(try transaction.get(2, in: "item"), nil, "deleted")
        try transaction.put(["id": 3, "name": "put"], in: "item")
        context.expect(try transaction.value("name", of: 3, in: "item"), "put", "put")
      }
    },
    ConformanceCase(
      "transaction.queryYourWrites",
      "A body's queries and figures see its own writes."
    ) { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { try $0.insertItems(0..<20) }
      try await store.write { transaction in
        try transaction.insert(["id": 100, "rank": 5], into: "item")
        try transaction.update(5, set: ["rank": 50], in: "item")
        try transaction.delete(15, from: "item")
        context.expect(
          try transaction.ids(Query("item", where: .equal("rank", 5))),
          [100],
          "rank = 5"
        )
        context.expect(
          try transaction.ids(Query("item", sort: [.descending("rank")], limit: 1)),
          [5],
          "largest"
        )
        context.expect(try transaction.count("item"), 20, "count")
        context.expect(
          try transaction.aggregate("item", [.maximum("rank")]),
          [[50]],
          "maximum"
        )
        try transaction.createCollection(Shapes.item("fresh"))
        try transaction.insertItems([7], into: "fresh")
        context.expect(try transaction.ids(Query("fresh")), [7], "a collection just created")
        context.expect(
          try transaction.catalog.collections.map(\.name),
          ["item", "fresh"],
          "the catalog"
        )
      }
    },
    ConformanceCase(
      "transaction.caughtErrorLeavesRest",
      "After a caught violation the rest commits."
    ) { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"], unique: true)])
      )
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.duplicateKey) { try transaction.insertItems([1]) }
        try transaction.insertItems([2])
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 9, "name": "name 1"], into: "item")
        }
        context.expectError(.keyTooLong) {
          try transaction.createCollection(Shapes.keyed(.text))
          try transaction.insert(
            ["k0": .text(String(repeating: "x", count: 600))],
            into: "keyed"
          )
        }
        context.expectError(.notFound) { try transaction.update(77, set: [:], in: "item") }
        context.expectError(.typeMismatch) {
          try transaction.insert(["id": "x"], into: "item")
        }
        try transaction.insertItems([3])
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2, 3], "ids")
    },
    ConformanceCase("transaction.escapedHandle", "A transaction kept past its body is closed.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      let reader = Escaped<ReadTransaction>()
      let writer = Escaped<WriteTransaction>()
      try Blocking.read(store) { reader.handle = $0 }
      try Blocking.write(store) { writer.handle = $0 }
      for handle in [reader.handle, writer.handle] {
        context.expectError(.transactionClosed, "get") {
          _ = try handle?.get(1, in: "item")
        }
        context.expectError(.transactionClosed, "fetch") {
          _ = try handle?.fetch(Query("item"))
        }
        context.expectError(.transactionClosed, "catalog") { _ = try handle?.catalog }
      }
      context.expectError(.transactionClosed, "insert") {
        try writer.handle?.insertItems([1])
      }
      context.expectError(.transactionClosed, "delete") {
        _ = try writer.handle?.delete(1, from: "item")
      }
      context.expectError(.transactionClosed, "savepoint") {
        try writer.handle?.savepoint {}
      }
      context.expect(try await store.read { try $0.count("item") }, 0, "records")
    },
    ConformanceCase("transaction.escapedCursor", "A cursor kept past its body is closed.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...10) }
      let kept = Escaped<RowCursor>()
      try Blocking.read(store) { transaction in
        let cursor = try transaction.rows(Query("item"))
        _ = try cursor.next()
        kept.handle = cursor
      }
      context.expectError(.transactionClosed) { _ = try kept.handle?.next() }
      kept.handle?.close()
    },
    ConformanceCase("transaction.nestedWriteRefused", "A write inside a body is nestedTransaction.")
    {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        context.expectError(.nestedTransaction, "inside a write") {
          try store.write { try $0.insertItems([9]) }
        }
        try transaction.insertItems([1])
      }
      try await store.read { _ in
        context.expectError(.nestedTransaction, "inside a read") {
          try store.write { try $0.insertItems([9]) }
        }
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    ConformanceCase("transaction.readInsideBodyJoins", "A read inside a body joins it.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        let count = try store.read { try $0.count("item") }
        context.expect(count, 1, "what the inner read sees")
        try transaction.insertItems([2])
      }
      try await store.read { transaction in
        let count = try store.read { inner in try store.read { _ in try inner.count("item") } }
        context.expect(count, 2, "three reads deep")
        context.expect(try transaction.count("item"), 2, "the outer read afterwards")
      }
    },
    ConformanceCase("transaction.closeInsideRefused", "Closing inside a body is refused.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        context.expectError(.nestedTransaction, "inside a write") { try store.close() }
        try transaction.insertItems([1])
      }
      try await store.read { _ in
        context.expectError(.nestedTransaction, "inside a read") { try store.close() }
      }
      context.expect(try await store.read { try $0.count("item") }, 1, "records")
    },
    ConformanceCase("transaction.twoStores", "A body may use another store.") { context in
      let main = try await context.open(creating: Shapes.item())
      let second = try context.open(.second)
      try await main.write { outer in
        try outer.insertItems([1])
        try second.write { inner in
          try inner.createCollection(Shapes.item())
          try inner.insertItems(try outer.count("item") == 1 ? [5] : [6])
        }
      }
      context.expect(try await second.read { try $0.ids(Query("item")) }, [5], "of the second")
      context.expect(try await main.read { try $0.ids(Query("item")) }, [1], "of the first")
    },
    ConformanceCase(
      "transaction.cancelBeforeBody",
      "A task cancelled before its body ran leaves no trace."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        try await store.write { try $0.insertItems([1]) }
      }
      task.cancel()
      let result = await task.result
      if case .failure(let error) = result, error is CancellationError {
      } else {
        context.fail("expected CancellationError, got \(result)")
      }
      context.expect(try await store.read { try $0.count("item") }, 0, "records")
      try await store.write { try $0.insertItems([2]) }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [2], "ids afterwards")
    },
  ]
}
