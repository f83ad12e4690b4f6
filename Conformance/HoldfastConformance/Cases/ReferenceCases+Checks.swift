import Holdfast

/// What references allow and refuse.
extension ReferenceCases {
  static let checks: [ConformanceCase] = [
    ConformanceCase("references.insertOrphan", "A record that refers to none is refused.") {
      context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.referenceViolation, "insert") {
          try transaction.insert(["id": 40, "user": 9], into: "status")
        }
        context.expectError(.referenceViolation, "update") {
          try transaction.update(10, set: ["user": 9], in: "status")
        }
        context.expectError(.referenceViolation, "put") {
          try transaction.put(["id": 10, "user": 9], in: "status")
        }
        context.expect(try transaction.value("user", of: 10, in: "status"), 1, "as before")
        try transaction.insert(["id": 41, "user": 3], into: "status")
      }
      try await expect(context, store, users: [1, 2, 3], statuses: [10, 11, 20, 30, 41])
    },
    ConformanceCase("references.nullRefersToNothing", "A null reference is always allowed.") {
      context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        try transaction.update(10, set: ["user": .null], in: "status")
        try transaction.delete(11, from: "status")
        context.expect(try transaction.delete(1, from: "user"), true, "nobody refers any more")
      }
      try await expect(context, store, users: [2, 3], statuses: [10, 20, 30])
    },
    ConformanceCase(
      "references.updateMissingOrphan",
      "An update of a missing record is notFound, even if it would refer to nothing."
    ) { context in
      var definition = Shapes.item()
      definition.references = [ReferenceDefinition(["rank"], to: "item")]
      let store = try await context.open(creating: definition)
      try await store.write { transaction in
        let collection = try transaction.collection("item")
        let row = RowBuffer(count: collection.fields.count)
        row.set(try collection.position(of: "id"), 1)
        row.set(try collection.position(of: "rank"), 7)
        context.expectError(.notFound, "missing") {
          try transaction.update(row.view, in: collection)
        }
        try transaction.insert(["id": 1], into: "item")
        context.expectError(.referenceViolation, "there") {
          try transaction.update(row.view, in: collection)
        }
      }
    },
    ConformanceCase("references.restrict", "Deleting a record that is referred to is refused.") {
      context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.referenceViolation) { try transaction.delete(1, from: "user") }
        context.expect(try transaction.delete(3, from: "user"), true, "user 3 has no statuses")
      }
      try await expect(context, store, users: [1, 2], statuses: [10, 11, 20, 30])
    },
    ConformanceCase("references.selfReference", "A record may refer to itself and to its kind.") {
      context in
      let store = try await context.open(creating: tree(.cascade))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "parent": 1], into: "node")
        try transaction.insert(["id": 2, "parent": 1], into: "node")
        try transaction.insert(["id": 3, "parent": 2], into: "node")
        try transaction.insert(["id": 4], into: "node")
        context.expectError(.referenceViolation) {
          try transaction.insert(["id": 5, "parent": 6], into: "node")
        }
        try transaction.delete(1, from: "node")
        context.expect(try transaction.ids(Query("node")), [4], "left")
      }
    },
    ConformanceCase(
      "references.selfRestrict",
      "A record that only itself refers to may be deleted."
    ) { context in
      let store = try await context.open(creating: tree(.restrict))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "parent": 1], into: "node")
        try transaction.insert(["id": 2, "parent": 1], into: "node")
        context.expectError(.referenceViolation, "2 refers to 1") {
          try transaction.delete(1, from: "node")
        }
        context.expect(try transaction.delete(2, from: "node"), true, "2")
        context.expect(try transaction.delete(1, from: "node"), true, "1")
      }
    },
    ConformanceCase("references.clearRestricted", "Clearing a target that is needed is refused.") {
      context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.referenceViolation) { try transaction.deleteAll(in: "user") }
        context.expect(try transaction.count("user"), 3, "users")
        context.expect(try transaction.deleteAll(in: "status"), 4, "statuses")
        context.expect(try transaction.deleteAll(in: "user"), 3, "users, not needed now")
      }
    },
    ConformanceCase("references.keyAndIndexFirst", "Key and unique index are reported first.") {
      context in
      var definitions = definitions(.restrict)
      definitions[1].indexes = [IndexDefinition(["text"], unique: true)]
      let store = try await context.open(creating: definitions[0], definitions[1])
      try await store.write { transaction in
        try transaction.insert(["id": 1, "text": "t"], into: "status")
        context.expectError(.duplicateKey) {
          try transaction.insert(["id": 1, "user": 9, "text": "t"], into: "status")
        }
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 2, "user": 9, "text": "t"], into: "status")
        }
        context.expectError(.referenceViolation) {
          try transaction.insert(["id": 2, "user": 9, "text": "u"], into: "status")
        }
        context.expectError(.notFound, "no record to update") {
          try transaction.update(2, set: ["user": 9], in: "status")
        }
        context.expect(try transaction.count("status"), 1, "statuses")
      }
    },
    ConformanceCase("references.composite", "A reference may be to a composite key.") { context in
      let place = Shapes.keyed(.text, .integer, name: "place")
      let visit = CollectionDefinition(
        "visit",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("town", .text, optional: true),
          FieldDefinition("number", .integer, optional: true),
        ],
        key: ["id"],
        references: [ReferenceDefinition(["town", "number"], to: "place", onDelete: .cascade)]
      )
      let store = try await context.open(creating: place, visit)
      try await store.write { transaction in
        try transaction.insert(["k0": "x", "k1": 1], into: "place")
        try transaction.insert(["k0": "x", "k1": 2], into: "place")
        try transaction.insert(["id": 1, "town": "x", "number": 1], into: "visit")
        try transaction.insert(["id": 2, "town": "x", "number": 2], into: "visit")
        try transaction.insert(["id": 3, "town": "y"], into: "visit")
        context.expectError(.referenceViolation) {
          try transaction.insert(["id": 4, "town": "y", "number": 1], into: "visit")
        }
        try transaction.delete(["x", 1], from: "place")
        context.expect(try transaction.ids(Query("visit")), [2, 3], "visits")
      }
    },
    ConformanceCase("references.rollback", "What a cascade did is undone by a rollback.") {
      context in
      let store = try await open(context, .cascade)
      struct Stop: Error {}
      do {
        try await store.write { transaction in
          try transaction.delete(1, from: "user")
          throw Stop()
        }
      } catch is Stop {}
      try await store.write { transaction in
        do {
          try transaction.savepoint {
            try transaction.delete(2, from: "user")
            throw Stop()
          }
        } catch is Stop {}
      }
      try await expect(context, store, users: [1, 2, 3], statuses: [10, 11, 20, 30])
    },
    ConformanceCase("references.brokenSchema", "A reference must lead to a key of its types.") {
      context in
      let store = try context.open()
      context.note("a reference to no collection")
      await context.expectError(.invalidSchema, "the target never comes") {
        try await store.write { transaction in
          _ = try transaction.createCollection(definitions(.restrict)[1])
        }
      }
      try await store.write { transaction in
        try transaction.createCollection(Shapes.keyed(.text, name: "user"))
        context.expectError(.invalidSchema, "text against integer") {
          try transaction.createCollection(definitions(.restrict)[1])
        }
        var required = tree(.setNull)
        required.fields[1].isOptional = false
        context.expectError(.invalidSchema, "null in a required field") {
          try transaction.createCollection(required)
        }
        context.expect(try transaction.catalog.collections.map(\.name), ["user"], "collections")
      }
    },
    ConformanceCase("references.persist", "References hold after reopening.", needs: [.persistence])
    { context in
      let store = try context.reopen(try await open(context, .cascade))
      try await store.write { transaction in
        context.expectError(.referenceViolation) {
          try transaction.insert(["id": 40, "user": 9], into: "status")
        }
        try transaction.delete(1, from: "user")
      }
      try await expect(context, store, users: [2, 3], statuses: [20, 30])
    } otherwise: { context in
      let store = try await open(context, .cascade)
      try await store.write { transaction in try transaction.delete(1, from: "user") }
      try await expect(context, store, users: [2, 3], statuses: [20, 30])
    },
  ]
}
