import Holdfast

/// Collections renamed and dropped, and what transactions see of changes.
extension MigrationCases {
  static let collections: [ConformanceCase] = [
    ConformanceCase("migration.renameCollection", "A renamed collection keeps records and indexes.")
    { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.renameCollection("person", to: "human")
        context.expect(try transaction.ids(Query("human")), [1, 2, 3], "in the transaction")
        context.expectError(.unknownCollection) { _ = try transaction.count("person") }
      }
      try await store.write { transaction in
        context.expect(try transaction.insert([:], into: "human").values, [4], "the next key")
        context.expect(try transaction.count("human", where: .equal("city", "?")), 1, "by index")
        try transaction.createCollection(person)
        context.expect(try transaction.count("person"), 0, "the name is free")
        context.expectError(.nameConflict) {
          try transaction.renameCollection("human", to: "Person")
        }
      }
      context.expect(try await names(store), ["human", "person"], "collections")
    },
    ConformanceCase("migration.dropCollection", "A dropped collection is gone with its records.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item())
        try transaction.insertItems(1...3)
        try transaction.dropCollection("person")
        context.expectError(.unknownCollection) { _ = try transaction.count("person") }
        context.expectError(.unknownCollection) { try transaction.dropCollection("person") }
      }
      context.expect(try await names(store), ["item"], "collections")
      context.expect(try await store.read { try $0.count("item") }, 3, "the other collection")
    },
    ConformanceCase("migration.dropAndCreate", "A name that was dropped begins empty.") { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.dropCollection("person")
        try transaction.createCollection(person)
        context.expect(try transaction.count("person"), 0, "records")
        context.expect(try transaction.insert(["name": "New"], into: "person").values, [1], "key")
      }
      context.expect(
        try await store.read { try $0.column("name", Query("person")) },
        ["New"],
        "names"
      )
      try await store.write { try $0.dropCollection("person") }
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item("person"))
        try transaction.insertItems(7...8, into: "person")
      }
      context.expect(try await store.read { try $0.ids(Query("person")) }, [7, 8], "another shape")
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase("migration.rollback", "A change of the schema is undone with its transaction.")
    {
      context in
      let store = try await open(context)
      try? await store.write { transaction in
        try transaction.alterCollection("person", .renameField("city", to: "town"))
        try transaction.createCollection(Shapes.item())
        try transaction.insertItems(1...3)
        throw Undone()
      }
      try await store.write { transaction in
        try? transaction.savepoint {
          try transaction.alterCollection(
            "person",
            .addField(FieldDefinition("rank", .integer, default: 1))
          )
          try transaction.insert(["name": "Dee"], into: "person")
          try transaction.renameCollection("person", to: "human")
          throw Undone()
        }
        context.expect(try transaction.collection("person").fields.count, 4, "fields")
        try transaction.insert(["name": "Eve", "city": "Rome"], into: "person")
      }
      context.expect(try await names(store), ["person"], "collections")
      let cities = try await store.read { try $0.column("city", Query("person")) }
      context.expect(cities, ["London", .null, "", "Rome"], "cities")
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase("migration.cursorsClose", "A change of the schema closes all scans.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("person"))
        _ = try cursor.next()
        let old = try transaction.collection("person")
        try transaction.alterCollection("person", .renameField("city", to: "town"))
        context.expectError(.transactionClosed) { _ = try cursor.next() }
        context.expectError(.unknownCollection, "the collection as it was") {
          _ = try transaction.get(1, in: old)
        }
      }
    },
    ConformanceCase(
      "migration.snapshotKeepsSchema",
      "A reader goes on with the schema it began with."
    ) { context in
      let store = try await open(context)
      try await store.read { transaction in
        try Blocking.onAnotherThread {
          try store.write { writer in
            try writer.alterCollection(
              "person",
              .renameField("city", to: "town"),
              .addField(FieldDefinition("rank", .integer, default: 1))
            )
            try writer.createCollection(Shapes.item())
          }
          try store.write { try $0.renameCollection("person", to: "human") }
        }
        context.expect(
          try transaction.column("city", Query("person")),
          ["London", .null, ""],
          "cities"
        )
        context.expect(
          try transaction.ids(Query("person", where: .equal("city", "London"))),
          [1],
          "by index"
        )
      }
      let towns = try await store.read { try $0.column("town", Query("human")) }
      context.expect(towns, ["London", .null, ""], "towns of the next reader")
    },
    ConformanceCase(
      "migration.droppedUnderSnapshot",
      "A reader keeps a collection that was dropped."
    ) {
      context in
      let store = try await open(context)
      try await store.read { transaction in
        try Blocking.onAnotherThread {
          try store.write { try $0.dropCollection("person") }
          try store.write { writer in
            try writer.createCollection(Shapes.item("other", indexes: [IndexDefinition(["rank"])]))
            try writer.insertItems(1...100, into: "other")
          }
        }
        context.expect(try transaction.ids(Query("person")), [1, 2, 3], "records")
        context.expect(try transaction.value("name", of: 2, in: "person"), "Bob", "get")
        context.expect(
          try transaction.ids(Query("person", where: .equal("city", "London"))),
          [1],
          "by index"
        )
      }
      context.expect(try await names(store), ["other"], "collections")
    },
  ]
}
