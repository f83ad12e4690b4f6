import Holdfast

/// Fields of another type, another default, optional or required.
extension MigrationCases {
  static let types: [ConformanceCase] = [
    ConformanceCase("migration.makeOptional", "A field that became optional takes null.") {
      context in
      var definition = person
      definition.fields[1].isOptional = false
      let store = try await context.open(creating: definition)
      try await store.write { transaction in
        try transaction.insert(["name": "Ada"], into: "person")
        context.expectError(.invalidValue) { try transaction.insert([:], into: "person") }
        try transaction.alterCollection("person", .setOptional("name", true))
        try transaction.insert([:], into: "person")
        context.expect(try transaction.column("name", Query("person")), ["Ada", .null], "names")
      }
    },
    ConformanceCase("migration.makeRequired", "A field that became required refuses null.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.invalidValue, "there is a null") {
          try transaction.alterCollection("person", .setOptional("age", false))
        }
        context.expect(try transaction.collection("person").fields[2].isOptional, true, "as it was")
        try transaction.alterCollection("person", .setOptional("name", false))
        context.expectError(.invalidValue, "null in a required field") {
          try transaction.insert(["age": 1], into: "person")
        }
        context.expect(
          try transaction.column("name", Query("person")),
          ["Ada", "Bob", "Cy"],
          "names"
        )
      }
    },
    ConformanceCase("migration.changeType", "A changed type converts every value, or none.") {
      try await alter(
        $0,
        .changeType("age", to: .text),
        expecting: "age",
        ["36", .null, "7"]
      )
    },
    ConformanceCase(
      "migration.changeTypeLossy",
      "A value that does not convert refuses the change."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.invalidValue) {
          try transaction.alterCollection("person", .changeType("name", to: .integer))
        }
        context.expect(
          try transaction.column("name", Query("person")),
          ["Ada", "Bob", "Cy"],
          "names"
        )
        try transaction.alterCollection("person", .changeType("age", to: .real))
        context.expect(try transaction.column("age", Query("person")), [36.0, .null, 7.0], "ages")
        try transaction.update(1, set: ["age": 36.5], in: "person")
        context.expectError(.invalidValue, "36.5 is no integer") {
          try transaction.alterCollection("person", .changeType("age", to: .integer))
        }
        context.expect(try transaction.column("age", Query("person")), [36.5, .null, 7.0], "ages")
      }
    },
    ConformanceCase("migration.changeIndexedType", "An index follows its field's new type.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        for id in [1, 2, 10] as [Int64] {
          try transaction.insert(["id": .integer(id), "rank": .integer(id)], into: "item")
        }
        try transaction.alterCollection("item", .changeType("rank", to: .text))
        let sorted = Query("item", where: .greater("rank", ""), sort: [.ascending("rank")])
        context.expect(try transaction.ids(sorted), [1, 10, 2], "as texts")
      }
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase("migration.setDefault", "A new default is for records to come.") { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.alterCollection("person", .setDefault("age", 18))
        try transaction.insert(["name": "Dee"], into: "person")
        try transaction.alterCollection("person", .setDefault("city", nil))
        try transaction.insert(["name": "Eve"], into: "person")
        context.expect(
          try transaction.column("age", Query("person")),
          [36, .null, 7, 18, 18],
          "ages"
        )
        context.expect(
          try transaction.column("city", Query("person")),
          ["London", .null, "", "?", .null],
          "cities"
        )
      }
    },
    ConformanceCase("migration.manyInOne", "Several changes are one step, made in their order.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.alterCollection(
          "person",
          .renameField("name", to: "title"),
          .addField(FieldDefinition("rank", .integer, default: 1)),
          .changeType("rank", to: .text),
          .addIndex(IndexDefinition(["rank"])),
          .dropIndex("city"),
          .dropField("city"),
          .setOptional("title", false)
        )
        context.expect(
          try transaction.collection("person").fields.map(\.name),
          ["id", "title", "age", "rank"],
          "fields"
        )
        context.expect(try transaction.column("rank", Query("person")), ["1", "1", "1"], "ranks")
        context.expect(try transaction.count("person", where: .equal("rank", "1")), 3, "by index")
      }
      context.expect(try await verify(store), [], "verification")
    },
    ConformanceCase(
      "migration.textIsNoBlob",
      "Text has no counterpart as a blob: such a change of type is refused and loses nothing."
    ) { context in
      let store = try await context.open(creating: Shapes.single(.text))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": "kept"], into: "single")
        try transaction.insert(["id": 2], into: "single")
        context.expectError(.invalidValue, "with text") {
          try transaction.alterCollection("single", .changeType("value", to: .blob))
        }
        try transaction.update(1, set: ["value": .null], in: "single")
        try transaction.alterCollection("single", .changeType("value", to: .blob))
        try transaction.update(2, set: ["value": .blob([1])], in: "single")
      }
      let values = try await store.read { try $0.column("value", Query("single")) }
      context.expect(values, [.null, .blob([1])], "values")
    },
  ]
}
