import Holdfast

/// Whole records: many fields, defaults, required fields, wrong types.
extension ValueCases {
  static let shapes: [ConformanceCase] = [
    ConformanceCase("values.nilVersusEmpty", "Null, empty text and empty blob are three values.") {
      context in
      let definition = CollectionDefinition(
        "three",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("text", .text, optional: true),
          FieldDefinition("blob", .blob, optional: true),
        ],
        key: ["id"]
      )
      let store = try await context.open(creating: definition)
      try await store.write { transaction in
        try transaction.insert(["id": 1, "text": "", "blob": .blob([])], into: "three")
        try transaction.insert(["id": 2], into: "three")
      }
      let records = try await store.read { try $0.fetch(Query("three")) }
      context.expect(
        records.map(\.values),
        [[1, "", .blob([])], [2, .null, .null]],
        "records"
      )
      let empty = try await store.read { try $0.ids(Query("three", where: .equal("text", ""))) }
      context.expect(empty, [1], "text = ''")
      let null = try await store.read { try $0.ids(Query("three", where: .isNull("blob"))) }
      context.expect(null, [2], "blob = null")
    },
    ConformanceCase("values.200Fields", "A record of 200 fields comes back whole.") { context in
      let types: [FieldType] = [.integer, .real, .text, .blob, .bool]
      let fields = (0..<200).map {
        FieldDefinition("f\($0)", types[$0 % 5], optional: $0 > 0)
      }
      let store = try await context.open(
        creating: CollectionDefinition("wide", fields: fields, key: ["f0"])
      )
      let values = (0..<200).map { index -> Value in
        switch index % 5 {
        case 0: .integer(Int64(index))
        case 1: .real(Double(index) / 7)
        case 2: .text("field \(index)")
        case 3: .blob([UInt8(index)])
        default: .integer(Int64(index / 5 % 2))
        }
      }
      try await store.write { transaction in
        let wide = try transaction.collection("wide")
        try transaction.insert(Record(wide, values: values))
        try transaction.update(0, set: ["f199": .null], in: "wide")
      }
      let got = try await store.read { try $0.get(0, in: "wide") }
      context.expect(got?.values, Array(values.dropLast()) + [.null], "the record")
    },
    ConformanceCase("values.wrongStoredTypeIsError", "A value of another type is typeMismatch.") {
      context in
      let wrong: [(FieldType, [Value])] = [
        (.integer, [1.5, "1", .blob([1])]), (.real, ["1.5", .blob([1])]),
        (.text, [1, 1.5, .blob([65])]), (.blob, [1, 1.5, "a"]), (.bool, ["true", 1.0, .blob([1])]),
        (.date, [1, 1.5, .blob([1])]), (.uuid, [1, 1.5]),
      ]
      let store = try context.open()
      try await store.write { transaction in
        for (type, values) in wrong {
          try transaction.createCollection(Shapes.single(type, "of_\(type.rawValue)"))
          for value in values {
            context.expectError(.typeMismatch, "\(value.exactText) into \(type)") {
              try transaction.insert(["id": 1, "value": value], into: "of_\(type.rawValue)")
            }
          }
          context.expect(try transaction.count("of_\(type.rawValue)"), 0, "records of \(type)")
        }
      }
    },
    ConformanceCase("values.requiredNull", "Null in a required field is invalidValue.") { context in
      let definition = CollectionDefinition(
        "strict",
        fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text)],
        key: ["id"]
      )
      let store = try await context.open(creating: definition)
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a"], into: "strict")
        context.expectError(.invalidValue, "left out") {
          try transaction.insert(["id": 2], into: "strict")
        }
        context.expectError(.invalidValue, "set to null") {
          try transaction.update(1, set: ["name": .null], in: "strict")
        }
      }
      let names = try await store.read { try $0.column("name", Query("strict")) }
      context.expect(names, ["a"], "names")
    },
    ConformanceCase("values.defaults", "A field that is not given takes its default.") { context in
      let definition = CollectionDefinition(
        "preset",
        fields: [
          FieldDefinition("id", .integer), FieldDefinition("count", .integer, default: 7),
          FieldDefinition("label", .text, optional: true, default: "none"),
          FieldDefinition("ratio", .real, default: 0.5),
        ],
        key: ["id"]
      )
      var store = try await context.open(creating: definition)
      _ = try await store.write { try $0.insert(["id": 1], into: "preset") }
      store = try context.reopen(store)
      _ = try await store.write { transaction in
        try transaction.insert(["id": 2, "label": .null, "count": 1], into: "preset")
      }
      let records = try await store.read { try $0.fetch(Query("preset")) }
      context.expect(
        records.map(\.values),
        [[1, 7, "none", 0.5], [2, 1, .null, 0.5]],
        "records"
      )
    },
  ]
}
