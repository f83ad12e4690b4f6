import Holdfast

/// Many writes in one transaction.
enum BatchCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("batch.empty", "A transaction without writes commits, and changes nothing.") {
      context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      for _ in 0..<5 { try await store.write { _ in } }
      store = try context.reopen(store)
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    ConformanceCase(
      "batch.duplicateKeyInside",
      "A key that the batch itself holds is duplicateKey."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      await context.expectError(.duplicateKey) {
        try await store.write { try $0.insertItems([1, 2, 3, 2, 4]) }
      }
      context.expect(try await store.read { try $0.count("item") }, 0, "records")
    },
    ConformanceCase("batch.failureAtNth", "An error at the nth record leaves nothing of the batch.")
    { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"], unique: true)])
      )
      try await store.write { try $0.insertItems([500]) }
      await context.expectError(.duplicateKey) {
        try await store.write { try $0.insertItems(1...1000) }
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [500], "ids")
      let indexed = try await store.read { try $0.count("item", where: .equal("name", "name 3")) }
      context.expect(indexed, 0, "index entries of the batch")
      try await store.write { try $0.insertItems(1...499) }
      context.expect(try await store.read { try $0.count("item") }, 500, "records afterwards")
    },
    ConformanceCase(
      "batch.100kRecords",
      "A hundred thousand records in one transaction are all there."
    ) {
      context in
      var store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { try $0.insertItems(0..<100_000) }
      store = try context.reopen(store)
      context.expect(try await store.read { try $0.count("item") }, 100_000, "records")
      let ranked = try await store.read { try $0.count("item", where: .equal("rank", 7)) }
      context.expect(ranked, 10_000, "records of one rank")
      let last = try await store.read { try $0.value("name", of: 99_999, in: "item") }
      context.expect(last, "name 99999", "the last record")
      let deleted = try await store.write { try $0.deleteAll(in: "item") }
      context.expect(deleted, 100_000, "deleted")
      context.expect(
        try await store.read { try $0.count("item", where: .equal("rank", 7)) },
        0,
        "afterwards"
      )
    },
    ConformanceCase("batch.mixedCollections", "One transaction over several collections is whole.")
    { context in
      let store = try await context.open(
        creating: Shapes.item("a"),
        Shapes.automatic("b"),
        Shapes.single(.blob, "c")
      )
      try await store.write { transaction in
        for id in 1...50 {
          let value = Value.integer(Int64(id))
          try transaction.insert(["id": value], into: "a")
          try transaction.insert(["name": .text("\(id)")], into: "b")
          try transaction.put(["id": value, "value": .blob([UInt8(id)])], in: "c")
          if id > 25 { try transaction.delete(Key(.integer(Int64(id - 25))), from: "a") }
        }
      }
      let counts = try await store.read { transaction in
        try ["a", "b", "c"].map { try transaction.count($0) }
      }
      context.expect(counts, [25, 50, 50], "records of a, b, c")
    },
    ConformanceCase("batch.sameRecordOften", "The last of many writes to one record stays.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        try transaction.insertItems([1])
        for rank in 1...300 {
          try transaction.update(1, set: ["rank": .integer(Int64(rank))], in: "item")
        }
      }
      let ranks = try await store.read {
        try $0.column("rank", Query("item", where: .greaterOrEqual("rank", 0)))
      }
      context.expect(ranks, [300], "ranks by index")
    },
  ]
}
