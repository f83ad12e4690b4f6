import Holdfast

/// Changes of the schema, and lists of migrations.
enum MigrationCases {
  private static let person = CollectionDefinition(
    "person",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text, optional: true),
      FieldDefinition("age", .integer, optional: true),
      FieldDefinition("city", .text, optional: true, default: "?"),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["city"])]
  )

  /// Persons 1 Ada 36 London, 2 Bob, 3 Cy 7 with an empty city.
  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: person)
    try await store.write { transaction in
      try transaction.insert(["name": "Ada", "age": 36, "city": "London"], into: "person")
      try transaction.insert(["name": "Bob", "age": .null, "city": .null], into: "person")
      try transaction.insert(["name": "Cy", "age": 7, "city": ""], into: "person")
    }
    return store
  }

  /// Alters the persons, and compares a field of all of them then and after reopening.
  private static func alter(
    _ context: ConformanceContext,
    _ changes: SchemaChange...,
    expecting field: String,
    _ values: [Value],
    in collection: String = "person"
  ) async throws {
    context.note("alter person: \(changes)")
    let store = try await open(context)
    try await store.write { transaction in
      let altered = try transaction.alterCollection("person", changes)
      context.expect(altered.fields.map(\.name).contains(field), true, "\(field) is a field")
      context.expect(try transaction.column(field, Query(collection)), values, "in the transaction")
    }
    try await check(context, store, field, values)
    if store.capabilities.isPersistent {
      try await check(context, try context.reopen(store), field, values)
    }
  }

  private static func check(
    _ context: ConformanceContext,
    _ store: Store,
    _ field: String,
    _ values: [Value]
  ) async throws {
    try await store.write { transaction in
      context.expect(try transaction.column(field, Query("person")), values, "values")
      context.expect(try transaction.ids(Query("person")), [1, 2, 3], "keys")
      context.expect(
        try transaction.ids(Query("person", sort: [.ascending("name")])),
        [1, 2, 3],
        "by name"
      )
      // The automatic keys go on, and the indexes are kept up to date.
      try? transaction.savepoint {
        let key = try transaction.insert(["name": "Dee"], into: "person")
        context.expect(key.values, [4], "the next key")
        throw Undone()
      }
    }
    let findings = try await verify(store)
    context.expect(findings, [], "verification")
  }

  private static func verify(_ store: Store) async throws -> [String] {
    try await store.verify().filter(\.isFault).map(\.message)
  }

  private struct Undone: Error {}

  private static func names(_ store: Store) async throws -> [String] {
    try await store.read { try $0.catalog.collections.map(\.name) }
  }

  private static func step(_ name: String, adds field: String) -> Migration {
    Migration(name) { transaction in
      try transaction.alterCollection(
        "person",
        .addField(FieldDefinition(field, .integer, optional: true))
      )
    }
  }

  private static let create = Migration("create") { try $0.createCollection(person) }

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
  ]

  static let structures: [ConformanceCase] = [
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

  static let lists: [ConformanceCase] = [
    ConformanceCase("migration.runs", "A list of migrations is applied in order, once.") {
      context in
      let store = try context.open()
      let list = [create, step("one", adds: "x"), step("two", adds: "y")]
      context.expect(try await store.migrate(list), ["create", "one", "two"], "applied")
      context.expect(try await store.migrate(list), [], "applied again")
      let fields = try await store.read { try $0.collection("person").fields.map(\.name) }
      context.expect(fields, ["id", "name", "age", "city", "x", "y"], "fields")
      let applied = try await store.read { try $0.catalog.migrations }
      context.expect(applied, ["create", "one", "two"], "in the catalog")
    },
    ConformanceCase("migration.rerun", "Only new steps run after reopening.", needs: [.persistence])
    {
      context in
      let store = try context.open()
      try await store.migrate([create, step("one", adds: "x")])
      let again = try context.reopen(store)
      let applied = try await again.migrate(
        [create, step("one", adds: "x"), step("two", adds: "y")]
      )
      context.expect(applied, ["two"], "applied")
    } otherwise: { context in
      let store = try context.open()
      try await store.migrate([create])
      context.expect(try await store.migrate([create, step("one", adds: "x")]), ["one"], "applied")
    },
    ConformanceCase("migration.failMidway", "A step that fails leaves the store as it was.") {
      context in
      let store = try context.open()
      try await store.migrate([create])
      try await store.write { try $0.insert(["name": "Ada"], into: "person") }
      let failing = Migration("fails") { transaction in
        try transaction.insert(["name": "Bob"], into: "person")
        throw Undone()
      }
      do {
        try await store.migrate([create, step("one", adds: "x"), failing])
        context.fail("the list was applied")
      } catch is Undone {}
      let catalog = try await store.read { try $0.catalog }
      context.expect(catalog.migrations, ["create"], "applied")
      context.expect(catalog.collection(named: "person")?.fields.count ?? 0, 4, "fields")
      context.expect(try await store.read { try $0.count("person") }, 1, "records")
    },
    ConformanceCase("migration.reordered", "A list that was edited is detected.") { context in
      let store = try context.open()
      let one = step("one", adds: "x")
      let two = step("two", adds: "y")
      try await store.migrate([create, one, two])
      for (what, list) in [
        ("reordered", [create, two, one]), ("removed", [create, two, step("three", adds: "z")]),
        ("renamed", [create, step("uno", adds: "x"), two]), ("twice", [create, one, two, two]),
      ] {
        await context.expectError(.migrationMismatch, what) { try await store.migrate(list) }
      }
      let applied = try await store.read { try $0.catalog.migrations }
      context.expect(applied, ["create", "one", "two"], "as before")
    },
    ConformanceCase("migration.newerRefused", "A store with later steps is refused.") { context in
      let store = try context.open()
      try await store.migrate([create, step("one", adds: "x")])
      await context.expectError(.newerSchema) { try await store.migrate([create]) }
      await context.expectError(.newerSchema, "no steps at all") { try await store.migrate([]) }
    },
    ConformanceCase("migration.dryRun", "A rehearsal says what would run, and changes nothing.") {
      context in
      let store = try context.open()
      try await store.migrate([create])
      let names = try await store.migrate([create, step("one", adds: "x")], isRehearsal: true)
      context.expect(names, ["one"], "would run")
      let catalog = try await store.read { try $0.catalog }
      context.expect(catalog.migrations, ["create"], "applied")
      context.expect(catalog.collection(named: "person")?.fields.count ?? 0, 4, "fields")
    },
    ConformanceCase("migration.dataThenSchema", "Steps work on records and schema in any order.") {
      context in
      let store = try context.open()
      try await store.migrate([
        create,
        Migration("fill") { transaction in
          for name in ["Ada Lovelace", "Bob", "Cy Young"] {
            try transaction.insert(["name": .text(name)], into: "person")
          }
        },
        Migration("split names") { transaction in
          try transaction.alterCollection(
            "person",
            .addField(FieldDefinition("last", .text, optional: true))
          )
          for record in try transaction.fetch(Query("person")) {
            guard case .text(let name)? = record["name"], case .integer(let id)? = record["id"]
            else { continue }
            let parts = name.split(separator: " ").map(String.init)
            if parts.count < 2 { continue }
            try transaction.update(
              Key(.integer(id)),
              set: ["name": .text(parts[0]), "last": .text(parts[1])],
              in: "person"
            )
          }
          try transaction.alterCollection(
            "person",
            .renameField("name", to: "first"),
            .setOptional("first", false),
            .addIndex(IndexDefinition(["last", "first"]))
          )
        },
      ])
      let last = try await store.read { try $0.column("last", Query("person")) }
      let first = try await store.read { try $0.column("first", Query("person")) }
      context.expect(last, ["Lovelace", .null, "Young"], "last names")
      context.expect(first, ["Ada", "Bob", "Cy"], "first names")
    },
    ConformanceCase("migration.twoAtOnce", "Of two that migrate at once, one does it.") { context in
      let first = try context.open()
      let second = try context.open()
      let list = [create, step("one", adds: "x"), step("two", adds: "y")]
      async let one = first.migrate(list)
      async let two = second.migrate(list)
      let applied = try await [one, two].map(\.count).sorted()
      context.expect(applied, [0, 3], "steps applied by each")
    },
    ConformanceCase("migration.progress", "Progress is told before each pending step.") { context in
      let store = try context.open()
      try await store.migrate([create])
      let log = Escaped<[String]>()
      log.handle = []
      try await store.migrate([create, step("one", adds: "x"), step("two", adds: "y")]) { step in
        log.handle?.append("\(step.position)/\(step.count) \(step.name)")
      }
      context.expect(log.handle ?? [], ["0/2 one", "1/2 two"], "progress")
    },
  ]

  static let all = fields + structures + lists
}
