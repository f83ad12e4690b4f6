import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct NameTests {
  static let names = [
    "sqlite_x", "SQLITE_Y", "holdfast_catalog", "select", "rowid", "oid", "_rowid_", "a\"b", "a'b",
    "a]b", "`", "a;DROP TABLE user", "../x", "a/b", "🙂", "é", "?1", ":a", "--", "/*", " ", "true",
    "sqlite_sequence", String(repeating: "n", count: 128),
  ]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `any name of a collection, field and index works`() throws {
    let store = try folder.open()
    try store.write { transaction in
      for name in Self.names {
        let definition = CollectionDefinition(
          name,
          fields: Self.names.map { FieldDefinition($0, .text, optional: $0 != name) },
          key: [name],
          indexes: Self.names.map { IndexDefinition([$0], unique: $0 == "rowid", name: $0) }
        )
        try transaction.createCollection(definition)
        var record: [String: Value] = ["é": "1", "rowid": "2"]
        record[name] = "key"
        try transaction.insert(record, into: name)
        record = ["é": "1"]
        record[name] = "other"
        try transaction.put(record, in: name)
        if name != "a\"b" { try transaction.update("key", set: ["a\"b": "3"], in: name) }
      }
    }
    try store.close()
    let again = try folder.open()
    try again.read { transaction in
      for name in Self.names {
        #expect(try transaction.count(name) == 2, "\(name)")
        let sort = [Sort.descending("oid"), .descending("_rowid_"), .ascending("a\"b")]
        let records = try transaction.fetch(
          Query(name, where: .startsWith(name, "k") || .equal("a\"b", "3"), sort: sort)
        )
        #expect(records.map { $0[name] } == ["key"], "\(name)")
        _ = try transaction.aggregate(name, [.maximum("select")], groupBy: ["?1"])
      }
    }
    try again.close()
    let tables = try runSQL(
      folder.path(),
      "SELECT name FROM sqlite_schema WHERE type = 'table'"
    )
    for name in ["select", "rowid", "a\"b", "a;DROP TABLE user", "../x", "🙂"] {
      #expect(tables.contains([name]))
    }
  }

  @Test func `names that share a table or index name keep apart`() throws {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(.user)
      for name in ["user_email_index", "user_email_index_index", "sqlite_autoindex_user_1"] {
        var definition = CollectionDefinition.user
        definition.name = name
        try transaction.createCollection(definition)
        try transaction.insert(["name": .text(name)], into: name)
      }
      try expect(.nameConflict) {
        var definition = CollectionDefinition.user
        definition.name = "USER"
        return try transaction.createCollection(definition)
      }
      #expect(try transaction.count("user") == 0)
      #expect(try transaction.count("user_email_index") == 1)
    }
  }

  @Test func `the row number is not a field`() throws {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(
        CollectionDefinition(
          "row",
          fields: [
            FieldDefinition("rowid", .text, optional: true), FieldDefinition("id", .integer),
            FieldDefinition("oid", .integer, optional: true),
          ],
          key: ["id"],
          automaticKey: true
        )
      )
      #expect(try transaction.insert(["rowid": "a", "oid": 99], into: "row") == 1)
      #expect(try transaction.insert(["oid": 98], into: "row") == 2)
      #expect(try transaction.get(1, in: "row")?["rowid"] == "a")
      #expect(try transaction.get(1, in: "row")?["oid"] == 99)
    }
  }
}
