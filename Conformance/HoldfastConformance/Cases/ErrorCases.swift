import Holdfast

/// Errors: one code for one situation, messages without stored values.
enum ErrorCases {
  private static let secret = "s3cr3t-4711"

  /// Everything that refuses a write, each with the code it must give.
  private static let triggers:
    [(StorageError.Code, @Sendable (WriteTransaction) throws(StorageError) -> Void)] = [
      (
        .duplicateKey,
        { (t) throws(StorageError) in try t.insert(["id": 1, "name": .text(secret)], into: "item") }
      ),
      (
        .uniqueViolation,
        { (t) throws(StorageError) in try t.insert(["id": 2, "name": .text(secret)], into: "item") }
      ),
      (
        .uniqueViolation,
        { (t) throws(StorageError) in try t.put(["id": 2, "name": .text(secret)], in: "item") }
      ),
      (
        .typeMismatch,
        { (t) throws(StorageError) in try t.insert(["id": 2, "rank": .text(secret)], into: "item") }
      ),
      (
        .invalidValue,
        { (t) throws(StorageError) in try t.insert(["name": .text(secret)], into: "item") }
      ),
      (
        .invalidValue,
        { (t) throws(StorageError) in try t.insert(["id": 2, "score": .real(.nan)], into: "item") }
      ),
      (
        .notFound,
        { (t) throws(StorageError) in
          try t.update(47_114_711, set: ["name": .text(secret)], in: "item")
        }
      ),
      (
        .typeMismatch,
        { (t) throws(StorageError) in _ = try t.count("item", where: .equal("rank", .text(secret)))
        }
      ),
      (
        .typeMismatch, { (t) throws(StorageError) in _ = try t.get(Key(.text(secret)), in: "item") }
      ),
      (
        .keyTooLong,
        { (t) throws(StorageError) in
          try t.insert(["k0": .text(String(repeating: secret, count: 99))], into: "keyed")
        }
      ),
      (
        .invalidCursor,
        { (t) throws(StorageError) in
          _ = try t.fetch(Query("item", after: PageToken(secret)))
        }
      ),
    ]

  static let rules: [ConformanceCase] = [
    ConformanceCase("errors.noStoredValues", "No message holds a stored or given value.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"], unique: true)]),
        Shapes.keyed(.text)
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": .text(secret)], into: "item")
        for (number, (code, trigger)) in triggers.enumerated() {
          do throws(StorageError) {
            try trigger(transaction)
            context.fail("trigger \(number) for \(code) threw nothing")
          } catch {
            context.expect(error.code.rawValue, code.rawValue, "trigger \(number)")
            let text = error.description + String(describing: error.underlying)
            context.expect(
              that: !text.contains(secret) && !text.contains("47114711"),
              "the message of \(code) holds a value: \(error.message)"
            )
            context.expect(
              that: !error.message.isEmpty && !error.description.contains(where: \.isNewline),
              "the message of \(code) must be one line"
            )
          }
        }
        context.expect(try transaction.count("item"), 1, "records")
      }
    },
    ConformanceCase(
      "errors.nameThePlace",
      "A message names the collection, and the field or index."
    ) {
      context in
      let store = try await context.open(
        creating: Shapes.item(
          "vegetable",
          indexes: [
            IndexDefinition(["name"], unique: true, name: "one name each")
          ]
        )
      )
      try await store.write { transaction in
        try transaction.insertItems([1], into: "vegetable")
        let expected: [([String: Value], [String])] = [
          (["id": 1], ["vegetable"]),
          (["id": 2, "name": "name 1"], ["vegetable", "one name each"]),
          (["id": 2, "rank": "x"], ["vegetable", "rank"]),
          (["id": 2, "score": .real(.nan)], ["vegetable", "score"]),
          (["id": 2, "weight": 1], ["vegetable", "weight"]),
        ]
        for (fields, words) in expected {
          do throws(StorageError) {
            try transaction.insert(fields, into: "vegetable")
            context.fail("the insert that should name \(words) was not refused")
          } catch {
            for word in words where !error.message.contains(word) {
              context.fail("the message does not name \(word): \(error.message)")
            }
          }
        }
      }
    },
    ConformanceCase("errors.invalidSchema", "A definition that makes no sense is invalidSchema.") {
      context in
      let store = try context.open()
      let id = FieldDefinition("id", .integer)
      let text = FieldDefinition("text", .text)
      let wrong: [(String, CollectionDefinition)] = [
        ("no field", CollectionDefinition("c", fields: [], key: [])),
        ("no key", CollectionDefinition("c", fields: [id], key: [])),
        ("a key that is no field", CollectionDefinition("c", fields: [id], key: ["other"])),
        ("a key twice", CollectionDefinition("c", fields: [id], key: ["id", "id"])),
        (
          "an optional key",
          CollectionDefinition(
            "c",
            fields: [FieldDefinition("id", .integer, optional: true)],
            key: ["id"]
          )
        ),
        (
          "an automatic text key",
          CollectionDefinition("c", fields: [text], key: ["text"], automaticKey: true)
        ),
        (
          "an index over nothing",
          CollectionDefinition(
            "c",
            fields: [id],
            key: ["id"],
            indexes: [IndexDefinition([], name: "i")]
          )
        ),
        (
          "an index over no field",
          CollectionDefinition("c", fields: [id], key: ["id"], indexes: [IndexDefinition(["x"])])
        ),
        (
          "a key of mixed type",
          CollectionDefinition("c", fields: [FieldDefinition("a", .any)], key: ["a"])
        ),
      ]
      try await store.write { transaction in
        for (what, definition) in wrong {
          context.expectError(.invalidSchema, what) {
            try transaction.createCollection(definition)
          }
        }
        context.expectError(.typeMismatch, "a default of another type") {
          try transaction.createCollection(
            CollectionDefinition(
              "c",
              fields: [id, FieldDefinition("n", .integer, default: "x")],
              key: ["id"]
            )
          )
        }
        context.expect(try transaction.catalog.collections.count, 0, "collections")
        try transaction.createCollection(Shapes.item("c"))
      }
    },
    ConformanceCase(
      "errors.existingCollection",
      "Creating a collection that exists is nameConflict."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.nameConflict) { try transaction.createCollection(Shapes.item()) }
        try transaction.ensureCollection(Shapes.item())
        context.expectError(.schemaMismatch) {
          try transaction.ensureCollection(Shapes.single(.text, "item"))
        }
        context.expect(try transaction.count("item"), 1, "records")
      }
    },
  ]

  static let all = rules + engine
}
