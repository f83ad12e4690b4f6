import Holdfast

extension MigrationCases {
  private static let thing = CollectionDefinition(
    "thing",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("flag", .bool, optional: true),
      FieldDefinition("code", .text, optional: true),
      FieldDefinition("size", .integer, optional: true),
    ],
    key: ["id"]
  )

  /// Things 1 and 2 with equal codes, and 3 with no flag, no size, and a code that is no number.
  private static func openThings(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: thing, Shapes.item("other"))
    try await store.write { transaction in
      for id in 1...2 as ClosedRange<Int64> {
        try transaction.insert(
          ["id": .integer(id), "flag": 1, "code": "007", "size": .integer(id)],
          into: "thing"
        )
      }
      try transaction.insert(["id": 3, "code": "x7"], into: "thing")
    }
    return store
  }

  /// Two faults in one step, and the code of the one that is reported.
  private static let faults: [(String, [SchemaChange], StorageError.Code)] = [
    (
      "a null and equal values",
      [
        .addIndex(IndexDefinition(["code"], unique: true)), .setOptional("size", false),
      ],
      .invalidValue
    ),
    (
      "a conversion and equal values",
      [
        .addIndex(IndexDefinition(["flag"], unique: true)), .changeType("code", to: .integer),
      ],
      .invalidValue
    ),
    (
      "a conversion and values that it makes equal",
      [
        .addIndex(IndexDefinition(["size"], unique: true)), .changeType("size", to: .bool),
      ],
      .invalidValue
    ),
    (
      "a null and a reference to no record",
      [
        .addReference(ReferenceDefinition(["size"], to: "other")), .setOptional("flag", false),
      ],
      .invalidValue
    ),
    (
      "a null and a reference of another type",
      [
        .addReference(ReferenceDefinition(["code"], to: "other")), .setOptional("flag", false),
      ],
      .invalidValue
    ),
    (
      "equal values and a reference to no record",
      [
        .addReference(ReferenceDefinition(["size"], to: "other")),
        .addIndex(IndexDefinition(["code"], unique: true)),
      ],
      .uniqueViolation
    ),
    (
      "a conversion, and a field that is not there",
      [.changeType("code", to: .integer), .dropField("nothing")],
      .unknownField
    ),
    (
      "a null in a field added to an index, and a name that is taken",
      [
        .setOptional("size", false), .addIndex(IndexDefinition(["code"], name: "twice")),
        .addIndex(IndexDefinition(["flag"], name: "twice")),
      ],
      .nameConflict
    ),
  ]

  static let order: [ConformanceCase] = [
    ConformanceCase(
      "migration.changeTypeTwice",
      "Several conversions of one field in one step are made in their order."
    ) { context in
      let store = try await openThings(context)
      try await store.write { transaction in
        try transaction.delete(3, from: "thing")
        try transaction.alterCollection(
          "thing",
          .changeType("flag", to: .integer),
          .changeType("flag", to: .text),
          .changeType("code", to: .integer),
          .renameField("code", to: "number"),
          .changeType("number", to: .text),
          .changeType("size", to: .real),
          .changeType("size", to: .integer)
        )
        // A truth value as text would be true, and 007 would have stayed as it was.
        context.expect(try transaction.column("flag", Query("thing")), ["1", "1"], "flags")
        context.expect(try transaction.column("number", Query("thing")), ["7", "7"], "codes")
        context.expect(try transaction.column("size", Query("thing")), [1, 2], "sizes")
        context.expectError(.invalidValue, "the second conversion") {
          try transaction.alterCollection(
            "thing",
            .changeType("size", to: .text),
            .changeType("size", to: .date)
          )
        }
        context.expect(try transaction.column("size", Query("thing")), [1, 2], "as it was")
        context.expect(
          try transaction.collection("thing").fields.map(\.type.rawValue),
          ["integer", "text", "text", "integer"],
          "types"
        )
      }
      let findings = try await store.verify().filter(\.isFault).map(\.message)
      context.expect(findings, [], "verification")
    },
    ConformanceCase(
      "migration.twoFaults",
      "Of two faults in one step the same one is reported everywhere, and neither is done."
    ) { context in
      let store = try await openThings(context)
      try await store.write { transaction in
        for (what, changes, code) in faults {
          context.expectError(code, what) { try transaction.alterCollection("thing", changes) }
          let now = try transaction.collection("thing").definition
          context.expect(now == thing, true, "the definition after \(what)")
        }
        context.expect(
          try transaction.column("code", Query("thing")),
          ["007", "007", "x7"],
          "codes"
        )
      }
    },
  ]
}
