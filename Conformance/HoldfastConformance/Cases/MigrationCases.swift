import Holdfast

/// Changes of the schema, and lists of migrations.
enum MigrationCases {
  static let person = CollectionDefinition(
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
  static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: person)
    try await store.write { transaction in
      try transaction.insert(["name": "Ada", "age": 36, "city": "London"], into: "person")
      try transaction.insert(["name": "Bob", "age": .null, "city": .null], into: "person")
      try transaction.insert(["name": "Cy", "age": 7, "city": ""], into: "person")
    }
    return store
  }

  /// Alters the persons, and compares a field of all of them then and after reopening.
  static func alter(
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

  static func check(
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

  static func verify(_ store: Store) async throws -> [String] {
    try await store.verify().filter(\.isFault).map(\.message)
  }

  struct Undone: Error {}

  static func names(_ store: Store) async throws -> [String] {
    try await store.read { try $0.catalog.collections.map(\.name) }
  }

  static func step(_ name: String, adds field: String) -> Migration {
    Migration(name) { transaction in
      try transaction.alterCollection(
        "person",
        .addField(FieldDefinition(field, .integer, optional: true))
      )
    }
  }

  static let create = Migration("create") { try $0.createCollection(person) }

  static let all = fields + types + order + collections + indexes + lists + processes
}
