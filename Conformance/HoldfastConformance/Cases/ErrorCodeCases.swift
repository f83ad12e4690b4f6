import Holdfast

/// Each code has a trigger, and the trigger gives the same code on every backend.
enum ErrorCodeCases {
  private typealias Trigger = @Sendable (WriteTransaction) throws -> Void

  /// What a transaction refuses, by the code that it gives.
  private static let triggers: [(StorageError.Code, Trigger)] = [
    (.notFound, { try $0.update(99, set: ["rank": 1], in: "item") }),
    (.duplicateKey, { try $0.insert(["id": 1], into: "item") }),
    (.uniqueViolation, { try $0.insert(["id": 2, "name": "name 1"], into: "item") }),
    (.invalidValue, { try $0.insert(["id": 2, "score": .real(.nan)], into: "item") }),
    (.typeMismatch, { try $0.insert(["id": 2, "rank": "one"], into: "item") }),
    (
      .keyTooLong,
      { try $0.insert(["k0": .text(String(repeating: "k", count: 500))], into: "keyed") }
    ),
    (
      .overflow,
      { transaction in
        try transaction.savepoint {
          try transaction.insert(["id": 2, "rank": .integer(.max)], into: "item")
          try transaction.insert(["id": 3, "rank": .integer(.max)], into: "item")
          _ = try transaction.aggregate("item", [.sum("rank")])
        }
      }
    ),
    (.invalidName, { try $0.createCollection(Shapes.item("a\u{0}")) }),
    (.nameConflict, { try $0.createCollection(Shapes.item("ITEM")) }),
    (.invalidSchema, { try $0.createCollection(CollectionDefinition("c", fields: [], key: [])) }),
    (.schemaMismatch, { try $0.ensureCollection(Shapes.single(.text, "item")) }),
    (.unknownCollection, { _ = try $0.count("nothing") }),
    (.unknownField, { _ = try $0.count("item", where: .equal("nothing", 1)) }),
    (.invalidQuery, { _ = try $0.fetch(Query("item", limit: -1)) }),
    (.invalidCursor, { _ = try $0.fetch(Query("item", after: PageToken("none"))) }),
  ]

  private static func prepare(_ store: Store) async throws {
    try await store.write { transaction in
      try transaction.createCollection(
        Shapes.item(indexes: [IndexDefinition(["name"], unique: true)])
      )
      try transaction.createCollection(Shapes.keyed(.text))
      try transaction.insertItems([1])
    }
  }

  /// The code that each trigger gives, all in one transaction, which goes on after each.
  private static func codes(_ store: Store) async throws -> [String] {
    try await store.write { transaction in
      try triggers.map { _, trigger in
        do {
          try trigger(transaction)
          return "none"
        } catch let error as StorageError {
          return error.code.rawValue
        }
      }
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("errors.eachCode", "Each refusal has its own code, and no effect.") { context in
      let store = try context.open()
      try await prepare(store)
      context.expect(try await codes(store), triggers.map(\.0.rawValue), "codes")
      let records = try await store.read { try $0.fetch(Query("item")) }
      context.expect(records.map(\.values), [[1, "name 1", 1, .null]], "records")
      context.expect(
        try await store.read { try $0.catalog.collections.map(\.name) },
        ["item", "keyed"],
        "collections"
      )
    },
    ConformanceCase(
      "errors.sameCodeEverywhere",
      "The same situation gives the same code as on the store in memory."
    ) { context in
      let store = try context.open()
      let reference = Store(try KeyValueStorage(MemoryEngine(), options: ConformanceContext.quick))
      for store in [store, reference] { try await prepare(store) }
      context.expect(try await codes(store), try await codes(reference), "codes")
      try reference.close()
    },
    ConformanceCase(
      "transaction.writeOnReader",
      "A write on a reader is a typed error: readOnly, or nestedTransaction inside a read."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.read { transaction in
        context.expectError(.nestedTransaction, "inside a read") {
          try store.write { try $0.insertItems([1]) }
        }
        context.expect(try transaction.count("item"), 0, "what the reader sees")
      }
      try store.close()
      let reader = try context.open { $0.isReadOnly = true }
      await context.expectError(.readOnly, "asynchronous") {
        try await reader.write { try $0.insertItems([1]) }
      }
      context.expectError(.readOnly, "synchronous") {
        try Blocking.write(reader) { try $0.insertItems([1]) }
      }
      context.expect(try await reader.read { try $0.count("item") }, 0, "records")
    },
    ConformanceCase(
      "transaction.throwRollsBack",
      "An error that leaves the body rolls everything back, and comes out as it was."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      context.expectError(.notFound, "synchronous, the store's own") {
        try Blocking.write(store) { transaction in
          try transaction.insertItems([2])
          try transaction.update(99, set: ["rank": 1], in: "item")
        }
      }
      await TransactionCases.abandon(context, store) { transaction in
        try transaction.insertItems([3])
        try transaction.savepoint { try transaction.insertItems([4]) }
      }
      await context.expectError(.invalidCursor, "asynchronous, made by the body") {
        try await store.write { transaction in
          try transaction.delete(1, from: "item")
          throw StorageError(.invalidCursor, "an error of the body's own")
        }
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    ConformanceCase(
      "lifecycle.cursorAfterClose",
      "Cursors and transactions kept past closing are transactionClosed."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...10) }
      let cursor = Escaped<RowCursor>()
      let reader = Escaped<ReadTransaction>()
      try Blocking.read(store) { transaction in
        reader.handle = transaction
        cursor.handle = try transaction.rows(Query("item"))
        _ = try cursor.handle?.next()
      }
      try store.close()
      context.expectError(.transactionClosed, "the cursor") { _ = try cursor.handle?.next() }
      context.expectError(.transactionClosed, "the reader") {
        _ = try reader.handle?.count("item")
      }
      cursor.handle?.close()
      let again = try context.open()
      context.expect(try await again.read { try $0.count("item") }, 10, "records")
    },
  ]
}
