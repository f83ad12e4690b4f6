import Holdfast

/// What a deletion does with the records that refer to what it deletes.
extension ReferenceCases {
  static let cascades: [ConformanceCase] = [
    ConformanceCase("references.cascade", "Deleting a record deletes those that refer to it.") {
      context in
      let store = try await open(context, .cascade)
      try await store.write { transaction in
        context.expect(try transaction.delete(1, from: "user"), true, "deleted")
        context.expect(try transaction.ids(Query("status")), [20, 30], "in the transaction")
      }
      try await expect(context, store, users: [2, 3], statuses: [20, 30])
      let count = try await store.read { try $0.count("status", where: .equal("user", 1)) }
      context.expect(count, 0, "by index")
    },
    ConformanceCase("references.setNull", "Deleting a record makes references to it null.") {
      context in
      let store = try await open(context, .setNull)
      try await store.write { transaction in
        try transaction.update(10, set: ["text": "kept"], in: "status")
        context.expect(try transaction.delete(1, from: "user"), true, "deleted")
      }
      try await expect(context, store, users: [2, 3], statuses: [10, 11, 20, 30])
      let statuses = try await store.read { transaction in
        try transaction.ids(Query("status", where: .isNull("user")))
      }
      context.expect(statuses, [10, 11, 30], "with no user")
      let text = try await store.read { try $0.value("text", of: 10, in: "status") }
      context.expect(text, "kept", "other fields")
    },
    ConformanceCase("references.cascadeGrandchildren", "A cascade goes on through collections.") {
      context in
      let users = Shapes.automatic("user")
      let statuses = definitions(.cascade)[1]
      let likes = CollectionDefinition(
        "like",
        fields: [FieldDefinition("id", .integer), FieldDefinition("status", .integer)],
        key: ["id"],
        references: [ReferenceDefinition(["status"], to: "status", onDelete: .cascade)]
      )
      let store = try await context.open(creating: users, statuses, likes)
      try await store.write { transaction in
        for user in 1...2 as ClosedRange<Int64> {
          try transaction.insert(["name": "u"], into: "user")
          for status in 1...3 as ClosedRange<Int64> {
            let id = user * 10 + status
            try transaction.insert(["id": .integer(id), "user": .integer(user)], into: "status")
            for like in 1...3 as ClosedRange<Int64> {
              try transaction.insert(
                ["id": .integer(id * 10 + like), "status": .integer(id)],
                into: "like"
              )
            }
          }
        }
        try transaction.delete(1, from: "user")
      }
      let counts = try await store.read { transaction in
        [
          try transaction.count("user"), try transaction.count("status"),
          try transaction.count("like"),
        ]
      }
      context.expect(counts, [1, 3, 9], "users, statuses, likes")
    },
    ConformanceCase("references.cascadeCycle", "A cascade through a ring ends.") { context in
      let ring = { (name: String, other: String) in
        CollectionDefinition(
          name,
          fields: [
            FieldDefinition("id", .integer), FieldDefinition("next", .integer, optional: true),
          ],
          key: ["id"],
          references: [ReferenceDefinition(["next"], to: other, onDelete: .cascade)]
        )
      }
      let store = try context.open()
      try await store.write { transaction in
        try transaction.createCollection(ring("a", "b"))
        try transaction.createCollection(ring("b", "a"))
        for id in 1...4 as ClosedRange<Int64> {
          try transaction.insert(["id": .integer(id)], into: "a")
          try transaction.insert(["id": .integer(id), "next": .integer(id)], into: "b")
          try transaction.update(
            Key(.integer(id)),
            set: ["next": .integer(max(1, id - 1))],
            in: "a"
          )
        }
        // a1 → b1 → a1 is a ring; a2 → b1, a3 → b2, a4 → b3.
        try transaction.delete(1, from: "a")
        context.expect(try transaction.count("a"), 0, "a")
        context.expect(try transaction.count("b"), 0, "b")
      }
    },
    ConformanceCase("references.setNullKeepsOthers", "A cascade and a null are both done.") {
      context in
      let likes = CollectionDefinition(
        "like",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("user", .integer, optional: true),
          FieldDefinition("by", .integer, optional: true),
        ],
        key: ["id"],
        references: [
          ReferenceDefinition(["user"], to: "user", onDelete: .cascade),
          ReferenceDefinition(["by"], to: "user", onDelete: .setNull),
        ]
      )
      let store = try await context.open(creating: Shapes.automatic("user"), likes)
      try await store.write { transaction in
        for _ in 1...2 { try transaction.insert([:], into: "user") }
        try transaction.insert(["id": 1, "user": 1, "by": 2], into: "like")
        try transaction.insert(["id": 2, "user": 2, "by": 1], into: "like")
        try transaction.insert(["id": 3, "user": 1, "by": 1], into: "like")
        try transaction.delete(1, from: "user")
        context.expect(try transaction.ids(Query("like")), [2], "likes")
        context.expect(try transaction.value("by", of: 2, in: "like"), .null, "by")
      }
    },
    ConformanceCase(
      "references.restrictBehindCascade",
      "A record that goes in the same operation does not restrict."
    ) { context in
      let tags = CollectionDefinition(
        "tag",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("user", .integer),
          FieldDefinition("status", .integer),
        ],
        key: ["id"],
        references: [
          ReferenceDefinition(["user"], to: "user", onDelete: .cascade),
          ReferenceDefinition(["status"], to: "status", onDelete: .restrict),
        ]
      )
      let definitions = definitions(.cascade)
      let store = try await context.open(creating: definitions[0], definitions[1], tags)
      try await store.write { transaction in
        for _ in 1...2 { try transaction.insert([:], into: "user") }
        try transaction.insert(["id": 10, "user": 1], into: "status")
        try transaction.insert(["id": 1, "user": 1, "status": 10], into: "tag")
        try transaction.delete(1, from: "user")
        context.expect(try transaction.count("tag"), 0, "tags")
        try transaction.insert(["id": 20, "user": 2], into: "status")
        try transaction.insert([:], into: "user")
        try transaction.insert(["id": 2, "user": 3, "status": 20], into: "tag")
        context.expectError(.referenceViolation, "tag 2 stays, and restricts") {
          try transaction.delete(2, from: "user")
        }
        context.expect(try transaction.ids(Query("user")), [2, 3], "users")
        context.expect(try transaction.ids(Query("status")), [20], "statuses")
      }
    },
    ConformanceCase(
      "references.refusedHasNoEffect",
      "A deletion that is refused undoes what it had cascaded to."
    ) { context in
      let likes = CollectionDefinition(
        "like",
        fields: [FieldDefinition("id", .integer), FieldDefinition("status", .integer)],
        key: ["id"],
        references: [ReferenceDefinition(["status"], to: "status", onDelete: .restrict)]
      )
      let definitions = definitions(.cascade)
      let store = try await context.open(creating: definitions[0], definitions[1], likes)
      try await store.write { transaction in
        try transaction.insert([:], into: "user")
        for id in 10...12 as ClosedRange<Int64> {
          try transaction.insert(["id": .integer(id), "user": 1], into: "status")
        }
        try transaction.insert(["id": 1, "status": 12], into: "like")
        context.expectError(.referenceViolation) { try transaction.delete(1, from: "user") }
        context.expect(try transaction.ids(Query("status")), [10, 11, 12], "in the transaction")
        try transaction.insert(["name": "on it goes"], into: "user")
      }
      context.expect(try await store.read { try $0.count("status") }, 3, "committed")
      context.expect(try await store.read { try $0.count("user") }, 2, "users")
    },
    ConformanceCase("references.deleteMany", "A deletion of many is one operation.") { context in
      let store = try await context.open(creating: tree(.restrict))
      try await store.write { transaction in
        try transaction.insert(["id": 1], into: "node")
        for id in 2...20 as ClosedRange<Int64> {
          try transaction.insert(["id": .integer(id), "parent": .integer(id - 1)], into: "node")
        }
        context.expectError(.referenceViolation, "11 refers to 10") {
          try transaction.deleteAll(in: "node", where: .lessOrEqual("id", 10))
        }
        context.expect(try transaction.count("node"), 20, "after the refusal")
        context.expect(
          try transaction.deleteAll(in: "node", where: .greater("id", 10)),
          10,
          "the end of the chain"
        )
        context.expect(try transaction.deleteAll(in: "node"), 10, "all of the rest")
      }
    },
    ConformanceCase("references.deleteAllOfTarget", "Clearing a target follows its references.") {
      context in
      let store = try await open(context, .cascade)
      try await store.write { transaction in
        context.expect(try transaction.deleteAll(in: "user"), 3, "users")
      }
      try await expect(context, store, users: [], statuses: [30])
    },
    ConformanceCase("references.manyChildren", "A cascade over thousands of records is complete.") {
      context in
      let definitions = definitions(.cascade)
      let store = try await context.open(creating: definitions[0], definitions[1])
      try await store.write { transaction in
        try transaction.insert([:], into: "user")
        try transaction.insert([:], into: "user")
        for id in 1...3000 as ClosedRange<Int64> {
          try transaction.insert(
            ["id": .integer(id), "user": .integer(id % 3 == 0 ? 2 : 1)],
            into: "status"
          )
        }
        try transaction.delete(1, from: "user")
      }
      context.expect(try await store.read { try $0.count("status") }, 1000, "left")
    },
  ]
}
