import Holdfast

/// Changes of collections in one step, where several changes or references meet.
enum AlterCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "records.droppedFieldAddedAgain",
      "A field that is dropped and added again in one step holds its default."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1, 2]) }
      try await store.write { transaction in
        try transaction.alterCollection(
          "item",
          .dropField("score"),
          .addField(FieldDefinition("score", .real, optional: true))
        )
        try transaction.update(2, set: ["score": 2.5], in: "item")
        try transaction.alterCollection(
          "item",
          .dropField("score"),
          .addField(FieldDefinition("score", .real, optional: true))
        )
      }
      let scores = try await store.read { try $0.column("score", Query("item")) }
      context.expect(scores, [.null, .null], "scores")
    },
    ConformanceCase(
      "records.textIsNoBlob",
      "Text has no counterpart as a blob: such a change of type is refused and loses nothing."
    ) { context in
      let store = try await context.open(creating: Shapes.single(.text))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": "kept"], into: "single")
        try transaction.insert(["id": 2], into: "single")
        context.expectError(.invalidValue, "with text") {
          try transaction.alterCollection("single", .changeType("value", to: .blob))
        }
        try transaction.update(1, set: ["value": .null], in: "single")
        try transaction.alterCollection("single", .changeType("value", to: .blob))
        try transaction.update(2, set: ["value": .blob([1])], in: "single")
      }
      let values = try await store.read { try $0.column("value", Query("single")) }
      context.expect(values, [.null, .blob([1])], "values")
    },
    ConformanceCase(
      "records.updateMissingOrphan",
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
  ]
}
