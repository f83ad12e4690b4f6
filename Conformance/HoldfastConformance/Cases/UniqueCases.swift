import Holdfast

/// Unique indexes.
enum UniqueCases {
  private static let definition = Shapes.item(indexes: [IndexDefinition(["name"], unique: true)])

  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: definition)
    try await store.write { transaction in
      try transaction.insert(["id": 1, "name": "a", "rank": 1], into: "item")
      try transaction.insert(["id": 2, "name": "b", "rank": 2], into: "item")
    }
    return store
  }

  private static func expect(
    _ context: ConformanceContext,
    _ store: Store,
    names: [Value],
    _ what: String = "names"
  ) async throws {
    context.expect(try await store.read { try $0.column("name", Query("item")) }, names, what)
    for name in names {
      if case .null = name { continue }
      let count = try await store.read { try $0.count("item", where: .equal("name", name)) }
      let expected = names.filter { $0.exactText == name.exactText }.count
      context.expect(count, expected, "\(what): found by index, \(name.exactText)")
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("unique.insert", "Inserting a second equal value is uniqueViolation.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 3, "name": "a"], into: "item")
        }
        context.expect(try transaction.get(3, in: "item"), nil, "the refused record")
      }
      try await expect(context, store, names: ["a", "b"])
    },
    ConformanceCase("unique.update", "Updating into an existing value is uniqueViolation.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.uniqueViolation) {
          try transaction.update(2, set: ["name": "a", "rank": 9], in: "item")
        }
        context.expect(try transaction.value("rank", of: 2, in: "item"), 2, "rank as before")
      }
      try await expect(context, store, names: ["a", "b"])
    },
    ConformanceCase("unique.put", "Putting into an existing value is refused, deleting no record.")
    {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expectError(.uniqueViolation, "a new key") {
          try transaction.put(["id": 3, "name": "a"], in: "item")
        }
        context.expectError(.uniqueViolation, "an existing key") {
          try transaction.put(["id": 2, "name": "a"], in: "item")
        }
      }
      try await expect(context, store, names: ["a", "b"])
    },
    ConformanceCase("unique.ownValue", "A record may be written again with its own value.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.update(1, set: ["name": "a", "rank": 5], in: "item")
        try transaction.put(["id": 2, "name": "b", "rank": 6], in: "item")
      }
      try await expect(context, store, names: ["a", "b"])
      let ranks = try await store.read { try $0.column("rank", Query("item")) }
      context.expect(ranks, [5, 6], "ranks")
    },
    ConformanceCase(
      "unique.swapTwoDirectlyRefused",
      "Swapping two values directly is refused at once."
    ) {
      context in
      let store = try await open(context)
      await context.expectError(.uniqueViolation) {
        try await store.write { transaction in
          try transaction.update(1, set: ["name": "b"], in: "item")
          try transaction.update(2, set: ["name": "a"], in: "item")
        }
      }
      try await expect(context, store, names: ["a", "b"])
    },
    ConformanceCase("unique.swapThroughThird", "Swapping through a third value works.") { context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.update(1, set: ["name": "c"], in: "item")
        try transaction.update(2, set: ["name": "a"], in: "item")
        try transaction.update(1, set: ["name": "b"], in: "item")
      }
      try await expect(context, store, names: ["b", "a"])
    },
    ConformanceCase(
      "unique.severalViolationsOrder",
      "The key comes first, then indexes as declared."
    ) {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [
          IndexDefinition(["rank"], unique: true, name: "zeta"),
          IndexDefinition(["name"], unique: true, name: "alpha"),
        ])
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a", "rank": 1], into: "item")
        context.expectError(.duplicateKey, "key and both indexes") {
          try transaction.insert(["id": 1, "name": "a", "rank": 1], into: "item")
        }
        for (fields, index) in [
          (["id": 2, "name": "a", "rank": 1], "zeta"),
          (["id": 2, "name": "a", "rank": 2], "alpha"),
        ] as [([String: Value], String)] {
          do throws(StorageError) {
            try transaction.insert(fields, into: "item")
            context.fail("the violation of \(index) was not refused")
          } catch {
            context.expect(error.code.rawValue, "uniqueViolation", "the code")
            context.expect(
              that: error.message.contains(index),
              "the message must name the index \(index): \(error.message)"
            )
          }
        }
      }
    },
    ConformanceCase("unique.manyNulls", "Any number of nulls never collide.") { context in
      let store = try await open(context)
      try await store.write { transaction in
        for id in 3...6 {
          try transaction.insert(["id": .integer(Int64(id))], into: "item")
        }
        try transaction.update(1, set: ["name": .null], in: "item")
      }
      try await expect(context, store, names: [.null, "b", .null, .null, .null, .null])
      let nulls = try await store.read { try $0.ids(Query("item", where: .isNull("name"))) }
      context.expect(nulls, [1, 3, 4, 5, 6], "null names by index")
    },
    ConformanceCase("unique.composite", "A composite unique index compares all its fields.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name", "rank"], unique: true)])
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a", "rank": 1], into: "item")
        try transaction.insert(["id": 2, "name": "a", "rank": 2], into: "item")
        try transaction.insert(["id": 3, "name": "b", "rank": 1], into: "item")
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 4, "name": "a", "rank": 1], into: "item")
        }
        for id in 5...6 {
          try transaction.insert(["id": .integer(Int64(id)), "name": "a"], into: "item")
          try transaction.insert(["id": .integer(Int64(id + 2)), "rank": 1], into: "item")
        }
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(ids, [1, 2, 3, 5, 6, 7, 8], "ids, a null in any field never colliding")
    },
    ConformanceCase("unique.inBatch", "Values written by the same transaction count.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.insert(["id": 3, "name": "c"], into: "item")
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 4, "name": "c"], into: "item")
        }
      }
      try await expect(context, store, names: ["a", "b", "c"])
    },
    ConformanceCase("unique.afterDelete", "A deleted or changed value is free at once.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        try transaction.delete(1, from: "item")
        try transaction.insert(["id": 3, "name": "a"], into: "item")
        try transaction.update(2, set: ["name": "z"], in: "item")
        try transaction.insert(["id": 4, "name": "b"], into: "item")
        try transaction.deleteAll(in: "item", where: .equal("id", 4))
        try transaction.insert(["id": 5, "name": "b"], into: "item")
      }
      try await expect(context, store, names: ["z", "a", "b"])
    },
    ConformanceCase("unique.afterRollback", "A rolled-back value is free.") { context in
      let store = try await open(context)
      await context.expectError(.duplicateKey) {
        try await store.write { transaction in
          try transaction.insert(["id": 3, "name": "c"], into: "item")
          try transaction.update(1, set: ["name": "d"], in: "item")
          try transaction.insert(["id": 3], into: "item")
        }
      }
      try await store.write { transaction in
        try transaction.insert(["id": 4, "name": "c"], into: "item")
        context.expectError(.uniqueViolation, "the value that the rollback restored") {
          try transaction.insert(["id": 5, "name": "a"], into: "item")
        }
      }
      try await expect(context, store, names: ["a", "b", "c"])
    },
    ConformanceCase("unique.caseVariants", "Values that differ in case or normal form differ.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        for (id, name) in ["A", "a ", "\u{E9}", "e\u{301}", "a\u{0}", ""].enumerated() {
          try transaction.insert(
            ["id": .integer(Int64(id + 10)), "name": .text(name)],
            into: "item"
          )
        }
      }
      try await expect(
        context,
        store,
        names: ["a", "b", "A", "a ", "\u{E9}", "e\u{301}", "a\u{0}", ""]
      )
    },
    ConformanceCase("unique.negativeZero", "−0.0 and +0.0 are one value.") { context in
      let store = try await context.open(
        creating: Shapes.single(.real, indexes: [IndexDefinition(["value"], unique: true)])
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": .real(-0.0)], into: "single")
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 2, "value": 0.0], into: "single")
        }
      }
      let found = try await store.read {
        try $0.ids(Query("single", where: .equal("value", .real(-0.0))))
      }
      context.expect(found, [1], "found by −0.0")
    },
    ConformanceCase("unique.everyType", "Unique indexes hold values of every type apart.") {
      context in
      let store = try context.open()
      try await store.write { transaction in
        for type in [FieldType.integer, .real, .text, .blob, .bool, .date, .uuid, .decimal, .json] {
          let name = "of_\(type.rawValue)"
          try transaction.createCollection(
            Shapes.single(type, name, indexes: [IndexDefinition(["value"], unique: true)])
          )
          for (id, value) in Pools.values(of: type).enumerated() {
            try transaction.insert(["id": .integer(Int64(id)), "value": value], into: name)
          }
          for value in Pools.values(of: type) {
            context.expectError(.uniqueViolation, "\(type) \(value.exactText)") {
              try transaction.insert(["id": 1000, "value": value], into: name)
            }
          }
          context.expect(
            try transaction.count(name),
            Pools.values(of: type).count,
            "records of \(type)"
          )
        }
      }
    },
    ConformanceCase("unique.afterReopen", "A unique index is enforced after reopening.") {
      context in
      var store = try await open(context)
      store = try context.reopen(store)
      try await store.write { transaction in
        context.expectError(.uniqueViolation) {
          try transaction.insert(["id": 3, "name": "a"], into: "item")
        }
        try transaction.insert(["id": 3, "name": "c"], into: "item")
      }
      try await expect(context, store, names: ["a", "b", "c"])
    },
  ]
}
