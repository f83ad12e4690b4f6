import Holdfast

/// References and what deleting their targets does.
enum ReferenceCases {
  /// `user` and `status`, whose `user` refers to it.
  static func definitions(_ rule: DeleteRule) -> [CollectionDefinition] {
    [
      Shapes.automatic("user"),
      CollectionDefinition(
        "status",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("user", .integer, optional: true),
          FieldDefinition("text", .text, optional: true),
        ],
        key: ["id"],
        references: [ReferenceDefinition(["user"], to: "user", onDelete: rule)]
      ),
    ]
  }

  /// `node` records that refer to one another by `parent`.
  static func tree(_ rule: DeleteRule) -> CollectionDefinition {
    CollectionDefinition(
      "node",
      fields: [
        FieldDefinition("id", .integer), FieldDefinition("parent", .integer, optional: true),
      ],
      key: ["id"],
      references: [ReferenceDefinition(["parent"], to: "node", onDelete: rule)]
    )
  }

  /// Three users; statuses 10 and 11 of user 1, 20 of user 2, 30 of nobody.
  static func open(_ context: ConformanceContext, _ rule: DeleteRule) async throws -> Store {
    let definitions = definitions(rule)
    let store = try await context.open(creating: definitions[0], definitions[1])
    try await store.write { transaction in
      for name in ["a", "b", "c"] { try transaction.insert(["name": .text(name)], into: "user") }
      for (id, user) in [(10, 1), (11, 1), (20, 2)] as [(Int64, Int64)] {
        try transaction.insert(["id": .integer(id), "user": .integer(user)], into: "status")
      }
      try transaction.insert(["id": 30], into: "status")
    }
    return store
  }

  static func expect(
    _ context: ConformanceContext,
    _ store: Store,
    users: [Value],
    statuses: [Value],
    _ what: String = "after"
  ) async throws {
    context.expect(try await store.read { try $0.ids(Query("user")) }, users, "\(what): users")
    context.expect(
      try await store.read { try $0.ids(Query("status")) },
      statuses,
      "\(what): statuses"
    )
  }

  static let all = checks + deferred + cascades
}
