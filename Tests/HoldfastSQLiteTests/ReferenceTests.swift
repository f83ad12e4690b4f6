import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct ReferenceTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage

  init() throws {
    folder = try TemporaryFolder()
    storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
  }

  static let tag = CollectionDefinition(
    "tag",
    fields: [FieldDefinition("name", .text), FieldDefinition("year", .integer)],
    key: ["name", "year"]
  )

  static let post = CollectionDefinition(
    "post",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("author", .integer),
      FieldDefinition("parent", .integer, optional: true),
      FieldDefinition("tag", .text, optional: true),
      FieldDefinition("tagYear", .integer, optional: true),
    ],
    key: ["id"],
    automaticKey: true,
    references: [
      ReferenceDefinition(["author"], to: "user", onDelete: .cascade),
      ReferenceDefinition(["parent"], to: "post", onDelete: .setNull),
      ReferenceDefinition(["tag", "tagYear"], to: "tag"),
    ]
  )

  private func declared(_ table: String) throws -> [[String]] {
    try runSQL(
      folder.path(),
      "SELECT \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list('\(table)') "
        + "ORDER BY 1"
    )
  }

  @Test func `the sqlite3 shell shows references and finds no violations`() throws {
    try storage.write { writer in
      for definition in [CollectionDefinition.user, Self.tag, Self.post] {
        _ = try writer.createCollection(definition)
      }
      try writer.add([.null, "Ada", .null, .null], to: "user")
      try writer.add(["swift", 2026], to: "tag")
      try writer.add([.null, 1, .null, "swift", 2026], to: "post")
      try writer.add([.null, 1, 1, "swift", .null], to: "post")
    }
    let schema = try shell(folder.path(), ".schema post")
    #expect(
      schema.contains("\"author\" INTEGER NOT NULL REFERENCES \"user\" (\"id\") ON DELETE CASCADE,")
    )
    #expect(schema.contains("\"parent\" INTEGER REFERENCES \"post\" (\"id\") ON DELETE SET NULL,"))
    #expect(
      schema.contains(
        "FOREIGN KEY (\"tag\", \"tagYear\") REFERENCES \"tag\" (\"name\", \"year\") ON DELETE RESTRICT"
      )
    )
    #expect(try shell(folder.path(), "PRAGMA foreign_key_check") == "")
    #expect(
      try shell(folder.path(), "PRAGMA foreign_keys = 1", "DELETE FROM tag").contains("FOREIGN KEY")
    )
    let other = "PRAGMA foreign_keys = 1; DELETE FROM post; DELETE FROM tag; DELETE FROM user"
    #expect(try shell(folder.path(), other) == "")
    #expect(try storage.read { try $0.rows("post") } == [])
  }

  @Test func `SQLite enforces nothing on the store's own connections`() throws {
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      _ = try writer.createCollection(Self.tag)
      _ = try writer.createCollection(Self.post)
      try writer.add([1, 99, .null, "x", 1], to: "post")
      try writer.add([99, "Ada", .null, .null], to: "user")
      #expect(try writer.deleteAll(in: writer.named("user")) == 1)
      #expect(try writer.rows("post").count == 1)
    }
  }

  @Test func `a ring is declared when its last collection is created, whatever it holds by then`()
    throws
  {
    try storage.write { writer in
      _ = try writer.createCollection(Self.post)
      #expect(try writer.add([.null, 1, .null, .null, .null], to: "post") == 1)
      #expect(try writer.add([7, 1, 1, "swift", 2026], to: "post") == 7)
    }
    #expect(try declared("post") == [["parent", "post", "id", "SET NULL"]])
    try storage.write { writer in
      var user = CollectionDefinition.user
      user.fields.append(FieldDefinition("best", .integer, optional: true))
      user.references = [ReferenceDefinition(["best"], to: "post", onDelete: .setNull)]
      _ = try writer.createCollection(user)
      #expect(try writer.add([.null, 1, .null, .null, .null], to: "post") == 8)
      _ = try writer.createCollection(Self.tag)
      #expect(try writer.rows("post", index: 0).map { $0[0] } == [1, 7, 8])
    }
    #expect(
      try declared("post") == [
        ["author", "user", "id", "CASCADE"], ["parent", "post", "id", "SET NULL"],
        ["tag", "tag", "name", "RESTRICT"], ["tagYear", "tag", "year", "RESTRICT"],
      ]
    )
    #expect(try declared("user") == [["best", "post", "id", "SET NULL"]])
    #expect(try storage.verify(timeout: .seconds(1)).filter(\.isFault) == [])
  }

  @Test func `declarations follow the names of the target and its key, in any order`() throws {
    try storage.write { writer in
      for definition in [CollectionDefinition.user, Self.tag, Self.post] {
        _ = try writer.createCollection(definition)
      }
      try writer.add([1, 1, .null, .null, .null], to: "post")
      // The target first, then who refers to it.
      try writer.change("user") { definition in
        definition.name = "person"
        definition.fields[0].name = "number"
        definition.key = ["number"]
      }
      try writer.change("post") { $0.references[0].target = "person" }
      // Who refers first, then the target.
      try writer.change("post") { $0.references[2].target = "label" }
      try writer.change("tag") { definition in
        definition.name = "label"
        definition.fields[0].name = "year"
        definition.fields[1].name = "name"
        definition.key = ["year", "name"]
      }
      // Itself.
      try writer.change("post") { definition in
        definition.name = "entry"
        definition.references[1].target = "entry"
        definition.fields[2].name = "above"
        definition.references[1].fields = ["above"]
        definition.indexes.removeAll { $0.fields == ["parent"] }
      }
    }
    #expect(
      try declared("entry") == [
        ["above", "entry", "id", "SET NULL"], ["author", "person", "number", "CASCADE"],
        ["tag", "label", "year", "RESTRICT"], ["tagYear", "label", "name", "RESTRICT"],
      ]
    )
    #expect(try storage.read { try $0.rows("entry") } == [[1, 1, .null, .null, .null]])
  }

  @Test func `references come, change and go`() throws {
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      var note = CollectionDefinition.user
      note.name = "note"
      _ = try writer.createCollection(note)
      try writer.add([5, "n", .null, 1], to: "note")
      try writer.change("note") { $0.references = [ReferenceDefinition(["age"], to: "user")] }
    }
    #expect(try declared("note") == [["age", "user", "id", "RESTRICT"]])
    try storage.write { writer in
      try writer.change("note") { $0.references[0].onDelete = .setNull }
    }
    #expect(try declared("note") == [["age", "user", "id", "SET NULL"]])
    try storage.write { try $0.change("note") { $0.references = [] } }
    #expect(try declared("note") == [])
    try storage.write { writer in
      try writer.change(
        "note",
        rows: [.field(0), .field(1), .field(2), .field(3), .value(.null)]
      ) { definition in
        definition.fields.append(FieldDefinition("owner", .integer, optional: true))
        definition.references = [ReferenceDefinition(["owner"], to: "user", onDelete: .cascade)]
      }
    }
    #expect(try declared("note") == [["owner", "user", "id", "CASCADE"]])
    try storage.write { writer in
      try writer.change("note", rows: (0..<4).map { .field($0) }) { definition in
        definition.fields.removeLast()
        definition.references = []
        definition.indexes.removeAll { $0.fields == ["owner"] }
      }
      #expect(try writer.rows("note") == [[5, "n", .null, 1]])
    }
    #expect(try declared("note") == [])
  }

  @Test func `a target that goes and comes again is declared again`() throws {
    try storage.write { writer in
      for definition in [CollectionDefinition.user, Self.tag, Self.post] {
        _ = try writer.createCollection(definition)
      }
      try writer.add([1, 1, .null, .null, .null], to: "post")
      try writer.dropCollection(try writer.named("user"))
      try writer.add([2, 1, .null, .null, .null], to: "post")
      var user = CollectionDefinition.user
      user.fields[0].name = "number"
      user.key = ["number"]
      _ = try writer.createCollection(user)
      #expect(try writer.rows("post").count == 2)
    }
    #expect(try declared("post").first == ["author", "user", "number", "CASCADE"])
  }
}
