import Holdfast

/// Fields that come, go, and get other names.
extension MigrationCases {
  static let fields: [ConformanceCase] = [
    ConformanceCase("migration.addNullable", "An added optional field is null in every record.") {
      try await alter(
        $0,
        .addField(FieldDefinition("note", .text, optional: true)),
        expecting: "note",
        [.null, .null, .null]
      )
    },
    ConformanceCase("migration.addWithDefault", "An added field takes its default everywhere.") {
      try await alter(
        $0,
        .addField(FieldDefinition("rank", .integer, default: 5)),
        expecting: "rank",
        [5, 5, 5]
      )
    },
    ConformanceCase(
      "migration.addRequiredWithoutDefault",
      "An added required field needs a default."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.invalidSchema) {
          try transaction.alterCollection("person", .addField(FieldDefinition("rank", .integer)))
        }
        context.expect(try transaction.collection("person").fields.count, 4, "fields")
      }
    },
    ConformanceCase("migration.drop", "A dropped field is gone, and the others stay.") { context in
      try await alter(
        context,
        .dropField("age"),
        expecting: "city",
        ["London", .null, ""]
      )
      let store = try context.open()
      await context.expectError(.unknownField) {
        _ = try await store.read { try $0.count("person", where: .equal("age", 7)) }
      }
    },
    ConformanceCase("migration.dropNeeded", "A field that key or index need cannot be dropped.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.invalidSchema, "in the key") {
          try transaction.alterCollection("person", .dropField("id"))
        }
        context.expectError(.invalidSchema, "in an index") {
          try transaction.alterCollection("person", .dropField("city"))
        }
        try transaction.alterCollection("person", .dropIndex("city"), .dropField("city"))
        context.expect(try transaction.collection("person").fields.count, 3, "fields")
      }
    },
    ConformanceCase("migration.renameField", "A renamed field keeps its values and indexes.") {
      context in
      try await alter(
        context,
        .renameField("city", to: "town"),
        expecting: "town",
        ["London", .null, ""]
      )
      let store = try context.open()
      let ids = try await store.read {
        try $0.ids(Query("person", where: .equal("town", "London")))
      }
      context.expect(ids, [1], "by the index")
    },
    ConformanceCase("migration.renameKeyField", "A field of the key may be renamed.") { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.alterCollection("person", .renameField("id", to: "number"))
        context.expect(try transaction.column("number", Query("person")), [1, 2, 3], "keys")
        context.expect(try transaction.insert([:], into: "person").values, [4], "the next key")
        context.expect(try transaction.value("name", of: 1, in: "person"), "Ada", "get")
      }
    },
    ConformanceCase("migration.renameSwap", "Two fields may swap their names in one step.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "n", "rank": 5, "score": 0.5], into: "item")
        try transaction.alterCollection(
          "item",
          .renameField("rank", to: "temporary"),
          .renameField("score", to: "rank"),
          .renameField("temporary", to: "score")
        )
        context.expect(try transaction.value("rank", of: 1, in: "item"), 0.5, "rank")
        context.expect(try transaction.value("score", of: 1, in: "item"), 5, "score")
      }
    },
    ConformanceCase(
      "migration.droppedFieldAddedAgain",
      "A field that is dropped and added again in one step holds its default."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1, 2]) }
      try await store.write { transaction in
        try transaction.alterCollection(
          "item",
          .dropField("score"),
          .addField(FieldDefinition("score", .real, optional: true))
        )
        try transaction.update(2, set: ["score": 2.5], in: "item")
        try transaction.alterCollection(
          "item",
          .dropField("score"),
          .addField(FieldDefinition("score", .real, optional: true))
        )
      }
      let scores = try await store.read { try $0.column("score", Query("item")) }
      context.expect(scores, [.null, .null], "scores")
    },
  ]
}
