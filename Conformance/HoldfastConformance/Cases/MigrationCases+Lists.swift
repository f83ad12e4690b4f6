import Holdfast

/// Lists of migrations.
extension MigrationCases {
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
}
