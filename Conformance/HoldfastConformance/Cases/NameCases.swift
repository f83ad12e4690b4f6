import Holdfast

/// Names that break paths, statements and files.
enum NameCases {
  private static let hostile: [String] = [
    "../x", "..", ".", "/", "/etc/passwd", "a/b", "a\\b", "C:\\x", "~", "-", "--", "-rf", "a b",
    " ",
    "'", "\"", "`", "[a]", "a'; DROP TABLE item; --", "sqlite_master", "sqlite_x", "catalog",
    "catalog.json", "journal", "journal.jsonl", "lock", "data.mdb", "lock.mdb", "main", "temp",
    "select", "table", "index", "rowid", "_rowid_", "oid", "c1", "i1", "CON", "nul", "é",
    "中文", "😀", "\u{202E}abc", "\u{FEFF}", "%00", "%2e%2e", "*", "?", "#", "&", "=", ":", "@", "$x",
    "1",
    "0", "holdfast", "holdfast_catalog", "item.json", "a.plist", "null", "true",
    String(repeating: "n", count: 128), String(repeating: "😀", count: 32),
  ]

  static let all: [ConformanceCase] = [
    ConformanceCase("names.hostileCollections", "Any name works for a collection, each apart.") {
      context in
      var store = try context.open()
      try await store.write { transaction in
        for (number, name) in hostile.enumerated() {
          try transaction.createCollection(Shapes.item(name, indexes: [IndexDefinition(["rank"])]))
          try transaction.insertItems([number], into: name)
        }
      }
      store = try context.reopen(store)
      let names = try await store.read { try $0.catalog.collections.map(\.name) }
      context.expect(names, hostile, "collections after reopening")
      for (number, name) in hostile.enumerated() {
        let ids = try await store.read {
          try $0.ids(Query(name, where: .equal("rank", .integer(Int64(number % 10)))))
        }
        context.expect(ids, [.integer(Int64(number))], "records of \(name.exactText)")
      }
      try await store.write { transaction in
        for name in hostile.dropFirst(20) { try transaction.deleteAll(in: name) }
      }
      for (number, name) in hostile.enumerated() {
        let count = try await store.read { try $0.count(name) }
        context.expect(count, number < 20 ? 1 : 0, "records of \(name.exactText) after clearing")
      }
    },
    ConformanceCase("names.hostileFields", "Any name works for a field and an index.") { context in
      let names = hostile.filter { $0 != "id" }
      let definition = CollectionDefinition(
        "hostile",
        fields: [FieldDefinition("id", .integer)]
          + names.map { FieldDefinition($0, .integer, optional: true) },
        key: ["id"],
        indexes: names.prefix(40).map { IndexDefinition([$0], name: $0) }
      )
      var store = try await context.open(creating: definition)
      try await store.write { transaction in
        var values: [Value] = [1]
        for number in names.indices { values.append(.integer(Int64(number))) }
        try transaction.insert(Record(try transaction.collection("hostile"), values: values))
      }
      store = try context.reopen(store)
      let record = try await store.read { try $0.get(1, in: "hostile") }
      context.expect(
        record?.values,
        [1] + names.indices.map { .integer(Int64($0)) },
        "the record"
      )
      for (number, name) in names.enumerated() {
        let value = Value.integer(Int64(number))
        let found = try await store.read {
          try $0.ids(Query("hostile", where: .equal(name, value), sort: [.descending(name)]))
        }
        context.expect(found, [1], "by the field \(name.exactText)")
        let sum = try await store.read {
          try $0.aggregate("hostile", [.sum(name)], groupBy: [name])
        }
        context.expect(sum, [[value, value]], "the sum of \(name.exactText)")
      }
    },
    ConformanceCase("names.invalid", "Empty, overlong and control-character names are invalidName.")
    {
      context in
      let store = try context.open()
      let invalid = [
        "", "\u{0}", "a\u{0}b", "\n", "a\tb", "\u{7F}", "\u{85}",
        String(repeating: "n", count: 129),
        String(repeating: "é", count: 65),
      ]
      try await store.write { transaction in
        for name in invalid {
          context.expectError(.invalidName, "collection \(name.exactText)") {
            try transaction.createCollection(Shapes.item(name))
          }
          context.expectError(.invalidName, "field \(name.exactText)") {
            try transaction.createCollection(
              CollectionDefinition(
                "fields",
                fields: [FieldDefinition("id", .integer), FieldDefinition(name, .text)],
                key: ["id"]
              )
            )
          }
          context.expectError(.invalidName, "index \(name.exactText)") {
            try transaction.createCollection(
              Shapes.item("indexes", indexes: [IndexDefinition(["rank"], name: name)])
            )
          }
        }
        context.expect(try transaction.catalog.collections.count, 0, "collections")
      }
    },
    ConformanceCase("names.caseCollision", "Names that differ only in ASCII case are nameConflict.")
    {
      context in
      let store = try await context.open(creating: Shapes.item("Item"))
      try await store.write { transaction in
        for name in ["item", "ITEM", "iTem"] {
          context.expectError(.nameConflict, name) {
            try transaction.createCollection(Shapes.item(name))
          }
        }
        context.expectError(.nameConflict, "fields") {
          try transaction.createCollection(
            CollectionDefinition(
              "fields",
              fields: [FieldDefinition("id", .integer), FieldDefinition("ID", .integer)],
              key: ["id"]
            )
          )
        }
        context.expectError(.nameConflict, "indexes") {
          try transaction.createCollection(
            Shapes.item(
              "indexes",
              indexes: [
                IndexDefinition(["rank"], name: "x"), IndexDefinition(["name"], name: "X"),
              ]
            )
          )
        }
        try transaction.createCollection(Shapes.item("ÉCOLE"))
        try transaction.createCollection(Shapes.item("école"))
        context.expectError(.unknownCollection, "lookups do not fold") {
          _ = try transaction.count("item")
        }
      }
    },
    ConformanceCase(
      "names.normalForms",
      "Names that differ only in Unicode normal form are nameConflict."
    ) { context in
      let store = try await context.open(creating: Shapes.item("\u{E9}t\u{E9}"))
      try await store.write { transaction in
        context.expectError(.nameConflict, "collections") {
          try transaction.createCollection(Shapes.item("e\u{301}te\u{301}"))
        }
        context.expectError(.nameConflict, "fields") {
          try transaction.createCollection(
            CollectionDefinition(
              "fields",
              fields: [FieldDefinition("\u{E9}", .integer), FieldDefinition("e\u{301}", .integer)],
              key: ["\u{E9}"]
            )
          )
        }
        let names = try transaction.catalog.collections.map(\.name)
        context.expect(names, ["\u{E9}t\u{E9}"], "collections")
      }
    },
    ConformanceCase("names.sameIndexNames", "Collections may have indexes of the same name.") {
      context in
      let store = try context.open()
      try await store.write { transaction in
        for name in ["a", "b", "a_rank"] {
          try transaction.createCollection(
            Shapes.item(
              name,
              indexes: [
                IndexDefinition(["rank"], name: "rank"), IndexDefinition(["name"], name: "a"),
              ]
            )
          )
          try transaction.insertItems(0..<5, into: name)
        }
        for name in ["a", "b", "a_rank"] {
          context.expect(
            try transaction.ids(Query(name, where: .equal("rank", 3))),
            [3],
            "of \(name)"
          )
        }
      }
    },
    ConformanceCase("names.manyCollections", "A store holds two hundred collections.") { context in
      var store = try context.open()
      try await store.write { transaction in
        for number in 0..<200 {
          try transaction.createCollection(
            Shapes.item("collection \(number)", indexes: [IndexDefinition(["rank"])])
          )
          try transaction.insertItems([number], into: "collection \(number)")
        }
      }
      store = try context.reopen(store)
      for number in stride(from: 0, to: 200, by: 7) {
        let ids = try await store.read { try $0.ids(Query("collection \(number)")) }
        context.expect(ids, [.integer(Int64(number))], "collection \(number)")
      }
    },
  ]
}
