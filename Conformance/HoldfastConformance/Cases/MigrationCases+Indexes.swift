import Holdfast

/// Indexes and references that come and go.
extension MigrationCases {
  static let indexes: [ConformanceCase] = [
    ConformanceCase("migration.addIndex", "An added index finds the records that were there.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...50) }
      try await store.write { transaction in
        try transaction.alterCollection("item", .addIndex(IndexDefinition(["rank", "name"])))
        context.expect(
          try transaction.ids(Query("item", where: .equal("rank", 3))),
          [3, 13, 23, 33, 43],
          "by the index"
        )
        try transaction.delete(13, from: "item")
      }
      let ids = try await store.read { try $0.ids(Query("item", where: .equal("rank", 3))) }
      context.expect(ids, [3, 23, 33, 43], "after a deletion")
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase("migration.dropIndex", "Without an index the same records are found.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.alterCollection("person", .dropIndex("city"))
        context.expect(
          try transaction.ids(Query("person", where: .equal("city", "London"))),
          [1],
          "found"
        )
        context.expectError(.invalidSchema, "there is none") {
          try transaction.alterCollection("person", .dropIndex("city"))
        }
      }
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase(
      "migration.uniqueOverDuplicates",
      "A unique index over equal values is refused."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.insert(["name": "Ada", "city": "Paris"], into: "person")
        do {
          try transaction.alterCollection(
            "person",
            .addIndex(IndexDefinition(["name"], unique: true))
          )
          context.fail("the index was made")
        } catch let error as StorageError {
          context.expect(error.code.rawValue, "uniqueViolation", "code")
          context.expect(error.keys.map(\.values), [[1], [4]], "the keys of the duplicates")
          context.expect(error.message.contains("Ada"), false, "a stored value is in the message")
        }
        context.expect(try transaction.collection("person").indexes.count, 1, "indexes")
        try transaction.insert(["name": "Ada"], into: "person")
        try transaction.deleteAll(in: "person", where: .greater("id", 3))
        try transaction.alterCollection(
          "person",
          .addIndex(IndexDefinition(["name"], unique: true))
        )
        context.expectError(.uniqueViolation, "from now on") {
          try transaction.insert(["name": "Ada"], into: "person")
        }
      }
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase(
      "migration.uniqueOverNulls",
      "Nulls do not keep a unique index from being made."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        for id in 1...5 as ClosedRange<Int64> {
          try transaction.insert(["id": .integer(id)], into: "item")
        }
        try transaction.alterCollection("item", .addIndex(IndexDefinition(["name"], unique: true)))
        context.expect(try transaction.count("item", where: .isNull("name")), 5, "by the index")
      }
    },
    ConformanceCase("migration.addReference", "An added reference checks the records there are.") {
      context in
      let definitions = ReferenceCases.definitions(.cascade)
      var plain = definitions[1]
      plain.references = []
      let store = try await context.open(creating: definitions[0], plain)
      try await store.write { transaction in
        try transaction.insert([:], into: "user")
        try transaction.insert(["id": 10, "user": 1], into: "status")
        try transaction.insert(["id": 11, "user": 7], into: "status")
        context.expectError(.referenceViolation, "status 11 refers to none") {
          try transaction.alterCollection("status", .addReference(definitions[1].references[0]))
        }
        context.expect(try transaction.collection("status").references.count, 0, "references")
        try transaction.update(11, set: ["user": .null], in: "status")
        try transaction.alterCollection("status", .addReference(definitions[1].references[0]))
        try transaction.delete(1, from: "user")
        context.expect(try transaction.ids(Query("status")), [11], "left by the cascade")
      }
    },
    ConformanceCase("migration.dropReference", "Without its reference a target may go.") {
      context in
      let store = try await ReferenceCases.open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.referenceViolation, "needed") {
          try transaction.dropCollection("user")
        }
        try transaction.alterCollection("status", .dropReference(["user"]))
        try transaction.insert(["id": 40, "user": 77], into: "status")
        context.expect(try transaction.delete(1, from: "user"), true, "deleted")
        context.expect(try transaction.ids(Query("status")), [10, 11, 20, 30, 40], "statuses")
        try transaction.dropCollection("user")
      }
      context.expect(try await names(store), ["status"], "collections")
    },
    ConformanceCase("migration.dropNeededIndex", "The index that a reference needs stays.") {
      context in
      let store = try await ReferenceCases.open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.invalidSchema) {
          try transaction.alterCollection("status", .dropIndex("user"))
        }
        context.expect(try transaction.collection("status").indexes.count, 1, "indexes")
      }
    },
    ConformanceCase(
      "migration.parentChangedKeepsChildren",
      "No change of a target fires its references."
    ) { context in
      let store = try await ReferenceCases.open(context, .cascade)
      try await store.write { transaction in
        try transaction.alterCollection(
          "user",
          .addField(FieldDefinition("rank", .integer, default: 1)),
          .changeType("rank", to: .real)
        )
        try transaction.alterCollection("user", .setOptional("rank", true), .dropField("name"))
        context.expect(try transaction.ids(Query("status")), [10, 11, 20, 30], "statuses")
        try transaction.renameCollection("user", to: "person")
        context.expect(try transaction.ids(Query("status")), [10, 11, 20, 30], "after renaming")
        context.expect(
          try transaction.collection("status").references.map(\.definition.target),
          ["person"],
          "the target"
        )
        context.expectError(.referenceViolation, "still enforced") {
          try transaction.insert(["id": 40, "user": 9], into: "status")
        }
        try transaction.delete(1, from: "person")
        context.expect(try transaction.ids(Query("status")), [20, 30], "after a deletion")
      }
      context.expect(try await verify(store), [], "verification")
    },
  ]
}
