import Holdfast

/// Single records: insert, get, update, put, delete, clear.
enum RecordCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("records.insertGet", "An inserted record is got by its key, field by field.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      let key = try await store.write {
        try $0.insert(["id": 5, "name": "five", "rank": 50, "score": 0.5], into: "item")
      }
      context.expect(key, 5, "the key that insert gave")
      let record = try await store.read { try $0.get(5, in: "item") }
      context.expect(record?.values, [5, "five", 50, 0.5], "the record")
      context.expect(record?.key, 5, "its key")
    },
    ConformanceCase("records.getMissing", "Reading a record that is not there gives nil.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1, 3]) }
      for id in [0, 2, 4] as [Value] {
        let got = try await store.read { try $0.get(Key(id), in: "item") }
        context.expect(got, nil, "record \(id.exactText)")
      }
    },
    ConformanceCase("records.insertExisting", "Inserting an existing key is duplicateKey.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "first"], into: "item")
        context.expectError(.duplicateKey) {
          try transaction.insert(["id": 1, "name": "second"], into: "item")
        }
      }
      let names = try await store.read { try $0.column("name", Query("item")) }
      context.expect(names, ["first"], "names")
    },
    ConformanceCase("records.updateMissing", "Updating a missing record is notFound.") { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.notFound) {
          try transaction.update(2, set: ["name": "x"], in: "item")
        }
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    ConformanceCase("records.rows", "Whole rows are inserted, put, updated and got alike.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        let item = try transaction.collection("item")
        let buffer = RowBuffer(count: 4)
        buffer.setInteger(0, 1)
        buffer.setText(1, "inserted")
        try transaction.insert(buffer.view, into: item)
        context.expectError(.duplicateKey) { try transaction.insert(buffer.view, into: item) }
        buffer.setText(1, "updated")
        try transaction.update(buffer.view, in: item)
        buffer.setInteger(0, 2)
        context.expectError(.notFound) { try transaction.update(buffer.view, in: item) }
        context.expect(try transaction.count("item"), 1, "after the refused update")
        buffer.setText(1, "put")
        try transaction.put(buffer.view, in: item)
        buffer.setReal(3, 0.5)
        try transaction.put(buffer.view, in: item)
        let row = try transaction.get(2, in: item)
        context.expect(try row?.values(), [2, "put", .null, 0.5], "the borrowed row")
      }
      let records = try await store.read { try $0.fetch(Query("item")) }
      context.expect(
        records.map(\.values),
        [[1, "updated", .null, .null], [2, "put", .null, 0.5]],
        "records"
      )
    },
    ConformanceCase(
      "records.partialUpdateKeepsOthers",
      "A partial update leaves other fields alone."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a", "rank": 1, "score": 1.5], into: "item")
        try transaction.insert(["id": 2, "name": "b", "rank": 2, "score": 2.5], into: "item")
        try transaction.update(1, set: ["rank": 9], in: "item")
        try transaction.update(2, set: ["name": .null], in: "item")
        try transaction.update(2, set: [:], in: "item")
      }
      let records = try await store.read { try $0.fetch(Query("item")) }
      context.expect(
        records.map(\.values),
        [[1, "a", 9, 1.5], [2, .null, 2, 2.5]],
        "records"
      )
    },
    ConformanceCase("records.updateKey", "An update cannot change the key itself.") { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.invalidValue) {
          try transaction.update(1, set: ["id": 2], in: "item")
        }
        try transaction.update(1, set: ["id": 1, "name": "same"], in: "item")
      }
      let records = try await store.read { try $0.fetch(Query("item")) }
      context.expect(records.map(\.values), [[1, "same", 1, .null]], "records")
    },
    ConformanceCase("records.putBoth", "Put inserts, and replaces the whole record with its key.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.put(["id": 1, "name": "a", "rank": 1], in: "item")
        try transaction.put(["id": 2, "name": "b", "rank": 2], in: "item")
        let key = try transaction.put(["id": 1, "name": "c"], in: "item")
        context.expect(key, 1, "the key that put gave")
      }
      let records = try await store.read { try $0.fetch(Query("item")) }
      context.expect(
        records.map(\.values),
        [[1, "c", .null, .null], [2, "b", 2, .null]],
        "records"
      )
    },
    ConformanceCase("records.delete", "Delete says whether there was a record.") { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems(1...3)
        context.expect(try transaction.delete(2, from: "item"), true, "the first time")
        context.expect(try transaction.delete(2, from: "item"), false, "the second time")
        context.expect(try transaction.delete(9, from: "item"), false, "a missing one")
        context.expect(try transaction.get(2, in: "item"), nil, "the deleted record")
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 3], "ids")
    },
    ConformanceCase("records.deleteReinsert", "A deleted key can be inserted again.") { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"])])
      )
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "old"], into: "item")
        try transaction.delete(1, from: "item")
        try transaction.insert(["id": 1, "name": "new"], into: "item")
      }
      try await store.write { transaction in
        try transaction.delete(1, from: "item")
        try transaction.insert(["id": 1, "name": "newest"], into: "item")
      }
      let names = try await store.read { try $0.column("name", Query("item")) }
      context.expect(names, ["newest"], "names")
      let old = try await store.read {
        try $0.count("item", where: .isIn("name", ["old", "new"]))
      }
      context.expect(old, 0, "records under old index entries")
    },
    ConformanceCase(
      "records.clearOnlyOwnCollection",
      "Clearing a collection leaves every other one."
    ) {
      context in
      let names = ["user", "user2", "users", "users-archive", "use", "user_", "user\u{1F600}"]
      let store = try context.open()
      try await store.write { transaction in
        for name in names {
          try transaction.createCollection(Shapes.item(name, indexes: [IndexDefinition(["rank"])]))
          try transaction.insertItems(1...4, into: name)
        }
        context.expect(try transaction.deleteAll(in: "user"), 4, "how many were deleted")
        context.expect(try transaction.deleteAll(in: "user"), 0, "deleted the second time")
      }
      for name in names {
        let count = try await store.read { try $0.count(name) }
        context.expect(count, name == "user" ? 0 : 4, "records of \(name)")
        let ranked = try await store.read { try $0.count(name, where: .equal("rank", 2)) }
        context.expect(ranked, name == "user" ? 0 : 1, "records of \(name) by index")
      }
    },
    ConformanceCase("records.sameKeyInOthers", "Collections do not share keys.") { context in
      let store = try await context.open(creating: Shapes.item("a"), Shapes.item("b"))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "in a"], into: "a")
        try transaction.insert(["id": 1, "name": "in b"], into: "b")
        try transaction.delete(1, from: "a")
      }
      context.expect(try await store.read { try $0.count("a") }, 0, "records of a")
      let name = try await store.read { try $0.value("name", of: 1, in: "b") }
      context.expect(name, "in b", "the record in b")
    },
    ConformanceCase("records.deleteWhere", "Deleting by filter deletes what matches, and counts.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        try transaction.insertItems(0..<100)
        context.expect(
          try transaction.deleteAll(in: "item", where: .equal("rank", 3)),
          10,
          "rank = 3"
        )
        context.expect(
          try transaction.deleteAll(in: "item", where: .greaterOrEqual("id", 90)),
          9,
          "id >= 90"
        )
        context.expect(
          try transaction.deleteAll(in: "item", where: .isNull("rank")),
          0,
          "nothing"
        )
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(
        ids,
        (0..<90).filter { $0 % 10 != 3 }.map { .integer(Int64($0)) },
        "ids"
      )
    },
    ConformanceCase("records.unknownCollection", "A collection that is not there is an error.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        context.expectError(.unknownCollection, "get") {
          _ = try transaction.get(1, in: "Item")
        }
        context.expectError(.unknownCollection, "insert") {
          try transaction.insert(["id": 1], into: "items")
        }
        context.expectError(.unknownCollection, "delete") {
          try transaction.delete(1, from: "ite")
        }
        context.expectError(.unknownCollection, "clear") { try transaction.deleteAll(in: "") }
        context.expectError(.unknownCollection, "fetch") {
          _ = try transaction.fetch(Query("nothing"))
        }
        context.expectError(.unknownCollection, "count") { _ = try transaction.count("nothing") }
      }
    },
    ConformanceCase("records.unknownField", "A field that is not there is an error, and no effect.")
    { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { transaction in
        try transaction.insertItems([1])
        context.expectError(.unknownField, "insert") {
          try transaction.insert(["id": 2, "Name": "x"], into: "item")
        }
        context.expectError(.unknownField, "update") {
          try transaction.update(1, set: ["nam": "x"], in: "item")
        }
        context.expectError(.unknownField, "put") {
          try transaction.put(["id": 3, "": "x"], in: "item")
        }
      }
      let names = try await store.read { try $0.column("name", Query("item")) }
      context.expect(names, ["name 1"], "names")
    },
  ]
}
