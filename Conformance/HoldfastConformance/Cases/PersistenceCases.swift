import Holdfast

/// What reopening gives back.
///
/// A store in memory keeps its content by name, so it takes part.
enum PersistenceCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "persistence.records",
      "Every record is there after reopening, five times over."
    ) {
      context in
      var store = try await QueryCases.open(context)
      for round in 1...5 {
        store = try context.reopen(store)
        let ids = try await store.read { try $0.ids(Query("item", sort: [.descending("score")])) }
        context.expect(
          ids,
          Oracle.ids(QueryCases.records, sort: [.descending("score")]),
          "round \(round)"
        )
        let name = try await store.read { try $0.value("name", of: 7, in: "item") }
        context.expect(name, QueryCases.records[7]["name"], "name of 7, round \(round)")
      }
    },
    ConformanceCase("persistence.schema", "Definitions come back as they were declared.") {
      context in
      let definition = CollectionDefinition(
        "every thing",
        fields: FieldType.allCases.enumerated().map {
          FieldDefinition("f\($0.offset)", $0.element, optional: $0.offset > 1)
        } + [
          FieldDefinition("preset", .text, default: "a\u{0}\"é"),
          FieldDefinition("ratio", .real, optional: true, default: .real(0.1)),
        ],
        key: ["f1", "f0"],
        indexes: [
          IndexDefinition(["f2"], unique: true, name: "by f2"), IndexDefinition(["f3", "f0"]),
          IndexDefinition(["preset"], name: "p"),
        ]
      )
      var store = try await context.open(creating: definition, Shapes.automatic(), Shapes.item("B"))
      let before = try await store.read { try $0.catalog }
      store = try context.reopen(store)
      let after = try await store.read { try $0.catalog }
      context.expect(
        after.collections.map(\.name),
        ["every thing", "automatic", "B"],
        "collections"
      )
      context.expect(
        that: after.collection(named: "every thing")?.definition == definition,
        "the definition came back as \(String(describing: after.collection(named: "every thing")?.definition))"
      )
      context.expect(
        that: after.collection(named: "automatic")?.definition == Shapes.automatic(),
        "the definition of automatic changed"
      )
      context.expect(after.storeID, before.storeID, "store id")
      context.expect(after.schemaVersion, before.schemaVersion, "schema version")
      context.expect(after.collections.map(\.id), before.collections.map(\.id), "ids")
    },
    ConformanceCase(
      "persistence.schemaVersion",
      "Each schema change raises the version; data do not."
    ) { context in
      let store = try context.open()
      var last = try await store.read { try $0.catalog.schemaVersion }
      for round in 0..<3 {
        _ = try await store.write { try $0.createCollection(Shapes.item("c\(round)")) }
        let raised = try await store.read { try $0.catalog.schemaVersion }
        context.expect(that: raised > last, "creating a collection left the version at \(raised)")
        try await store.write { try $0.insertItems([1], into: "c\(round)") }
        last = try await store.read { try $0.catalog.schemaVersion }
        context.expect(last, raised, "after writing data")
      }
    },
    ConformanceCase("persistence.indexes", "Indexes find and refuse after reopening as before.") {
      context in
      var store = try await context.open(
        creating: Shapes.item(indexes: [
          IndexDefinition(["name"], unique: true), IndexDefinition(["rank", "name"]),
        ])
      )
      try await store.write { try $0.insertItems(0..<100) }
      store = try context.reopen(store)
      try await store.write { transaction in
        context.expect(
          try transaction.ids(
            Query("item", where: .equal("rank", 4) && .greater("name", "name 6"))
          ),
          [64, 74, 84, 94],
          "by the composite index"
        )
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 500, "name": "name 42"], into: "item")
        }
        try transaction.delete(42, from: "item")
        try transaction.insert(["id": 500, "name": "name 42", "rank": 4], into: "item")
      }
      store = try context.reopen(store)
      let found = try await store.read {
        try $0.ids(Query("item", where: .equal("name", "name 42")))
      }
      context.expect(found, [500], "after another reopening")
    },
    ConformanceCase("persistence.deleteAll", "What was cleared stays cleared.") { context in
      var store = try await context.open(creating: Shapes.item(), Shapes.automatic())
      try await store.write { transaction in
        try transaction.insertItems(0..<50)
        try transaction.insert(["name": "kept"], into: "automatic")
      }
      store = try context.reopen(store)
      try await store.write { _ = try $0.deleteAll(in: "item") }
      store = try context.reopen(store)
      context.expect(try await store.read { try $0.count("item") }, 0, "records")
      context.expect(try await store.read { try $0.count("automatic") }, 1, "of the other")
    },
    ConformanceCase("persistence.rollback", "What was rolled back is not there after reopening.") {
      context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      await TransactionCases.abandon(context, store) { try $0.insertItems(2...500) }
      store = try context.reopen(store)
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    ConformanceCase("persistence.fullDurability", "Commits at full and normal durability are kept.")
    {
      context in
      for durability in [StorageOptions.Durability.full, .normal] {
        var store = try context.open { $0.durability = durability }
        let name = "of_\(durability.rawValue)"
        _ = try await store.write { try $0.createCollection(Shapes.item(name)) }
        for id in 0..<20 { try await store.write { try $0.insertItems([id], into: name) } }
        store = try context.reopen(store)
        context.expect(try await store.read { try $0.count(name) }, 20, "records at \(durability)")
        try store.close()
      }
    },
    ConformanceCase("persistence.manyCommits", "Five hundred small commits and reopenings add up.")
    {
      context in
      var store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      for id in 0..<500 {
        try await store.write { transaction in
          try transaction.insertItems([id])
          if id % 5 == 4 { try transaction.delete(Key(.integer(Int64(id - 2))), from: "item") }
        }
        if id % 100 == 99 { store = try context.reopen(store) }
      }
      let expected = (0..<500).filter { $0 % 5 != 2 }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(ids, expected.map { .integer(Int64($0)) }, "ids")
      let ranked = try await store.read { try $0.count("item", where: .isIn("rank", [2, 7])) }
      context.expect(ranked, 0, "index entries of deleted records")
    },
    ConformanceCase(
      "persistence.droppedHandle",
      "A store dropped without closing keeps its commits."
    ) {
      context in
      do {
        let dropped = try context.tracing {
          try context.harness.open(.main, options: ConformanceContext.quick)
        }
        try await dropped.write { transaction in
          try transaction.createCollection(Shapes.item())
          try transaction.insertItems([1, 2])
        }
      }
      let store = try context.open()
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2], "ids")
    },
  ]
}
