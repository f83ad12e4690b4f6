import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct RedefinitionTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage
  let log = StatementLog()

  init() throws {
    folder = try TemporaryFolder()
    storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions(), log: log)
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      try writer.add([.null, "Ada", "ada@x", 36], to: "user")
      try writer.add([.null, "Bo", .null, .null], to: "user")
      try writer.add([9, "Cy", "cy@x", 36], to: "user")
      _ = try writer.delete(key(9), from: try writer.named("user"))
    }
  }

  private func key(_ value: Value) -> RowView {
    let buffer = RowBuffer(count: 1)
    buffer.set(0, value)
    return buffer.view
  }

  private static let ada: [Value] = [1, "Ada", "ada@x", 36]
  private static let bo: [Value] = [2, "Bo", .null, .null]

  private func columns(_ table: String) throws -> [String] {
    try runSQL(
      folder.path(),
      "SELECT name || ' ' || type || ' ' || \"notnull\" FROM pragma_table_info('\(table)')"
    ).map { $0[0] }
  }

  private var wasRebuilt: Bool {
    log.statements.contains { $0.contains("holdfast_temporary") }
  }

  private func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let faults = try storage.verify(timeout: .seconds(1)).filter(\.isFault)
    #expect(faults == [], sourceLocation: sourceLocation)
    let names = try runSQL(folder.path(), "SELECT name FROM sqlite_schema").map { $0[0] }
    #expect(!names.contains { $0.contains("temporary") }, sourceLocation: sourceLocation)
  }

  // MARK: In place

  @Test func `the table takes the collection's new name, and nothing else changes`() throws {
    let before = try storage.read { try $0.named("user") }
    try storage.write { writer in
      let changed = try writer.change("user") { $0.name = "person" }
      #expect(changed.id == before.id)
      #expect(changed.physicalName == "person")
      #expect(changed.indexes.map(\.id) == before.indexes.map(\.id))
      #expect(try writer.rows("person") == [Self.ada, Self.bo])
      #expect(try writer.add([.null, "Di", .null, 1], to: "person") == 10)
    }
    #expect(!wasRebuilt)
    #expect(try runSQL(folder.path(), "SELECT count(*) FROM person") == [["3"]])
    try storage.write { writer in
      try writer.change("person") { $0.name = "Person" }
      try writer.change("Person") { $0.name = "PERSON" }
      #expect(try writer.add([.null, "Ed", .null, 1], to: "PERSON") == 11)
      // The old name is free, with the names of its indexes.
      _ = try writer.createCollection(.user)
      #expect(try writer.add([.null, "Ada", "ada@x", 36], to: "user") == 1)
    }
    #expect(try runSQL(folder.path(), "SELECT count(*) FROM \"PERSON\"") == [["4"]])
    try expectSound()
  }

  @Test func `columns are renamed in place, also to each other's names`() throws {
    try storage.write { writer in
      try writer.change("user") { definition in
        definition.fields[1].name = "email"
        definition.fields[2].name = "AGE"
        definition.fields[3].name = "name"
        definition.indexes = [
          IndexDefinition(["AGE"], unique: true, name: "email"),
          IndexDefinition(["email"], unique: true, name: "name"),
          IndexDefinition(["name"], name: "age"),
        ]
      }
      #expect(try writer.rows("user") == [Self.ada, Self.bo])
      #expect(try writer.rows("user", index: 2) == [Self.bo, Self.ada])
      try writer.change("user") {
        $0.fields[2].name = "age"
        $0.indexes[0] = IndexDefinition(["age"], unique: true, name: "renamed")
      }
      try expect(.uniqueViolation) { try writer.add([.null, "Ada", .null, .null], to: "user") }
    }
    #expect(!wasRebuilt)
    #expect(!log.statements.contains { $0.hasPrefix("DROP INDEX") })
    #expect(
      try columns("user") == ["id INTEGER 0", "email TEXT 1", "age TEXT 0", "name INTEGER 0"]
    )
    try expectSound()
  }

  @Test func `an optional field is added and one dropped in place`() throws {
    try storage.write { writer in
      let added = try writer.change(
        "user",
        rows: [.field(0), .field(1), .field(2), .field(3), .value(.null)]
      ) { definition in
        definition.fields.append(FieldDefinition("score", .real, optional: true))
        definition.indexes.append(IndexDefinition(["score"]))
      }
      #expect(added.indexes.map(\.physicalName)[2] == "user_age_index")
      try writer.add([.null, "Di", .null, .null, 1.5], to: "user")
      #expect(try writer.rows("user", index: 3).map { $0[4] } == [.null, .null, 1.5])
      try writer.change("user", rows: [.field(0), .field(1), .field(3), .field(4)]) {
        definition in
        definition.fields.remove(at: 2)
        definition.indexes.removeFirst()
      }
      #expect(try writer.rows("user").first == [1, "Ada", 36, .null])
      // Its name is free for another type, and a dropped field's for a renamed one.
      try writer.change("user", rows: [.field(0), .field(1), .field(2), .value(.null)]) {
        definition in
        definition.fields[2].name = "score"
        definition.fields[3] = FieldDefinition("email", .blob, optional: true)
        definition.indexes = [IndexDefinition(["score"])]
      }
      #expect(try writer.rows("user", index: 0).map { $0[0] } == [2, 10, 1])
    }
    #expect(!wasRebuilt)
    #expect(
      try columns("user") == ["id INTEGER 0", "name TEXT 1", "score INTEGER 0", "email BLOB 0"]
    )
    try expectSound()
  }

  @Test func `a default is the catalog's alone`() throws {
    try storage.write { try $0.change("user") { $0.fields[3].defaultValue = 7 } }
    #expect(!log.statements.contains { $0.hasPrefix("ALTER") || $0.hasPrefix("DROP") })
    #expect(try storage.read { try $0.named("user").fields[3].defaultValue } == 7)
  }

  // MARK: A new table

  @Test func `fields become required, optional, constant, move and change their types`() throws {
    let before = try storage.read { try $0.named("user") }
    try storage.write { writer in
      let relaxed = try writer.change("user") { definition in
        definition.fields[1].isOptional = true
        definition.indexes[2].isUnique = false
      }
      #expect(relaxed.indexes.map(\.id) == before.indexes.map(\.id))
      try expect(.invalidValue) {
        try writer.change("user") { $0.fields[3].isOptional = false }
      }
      #expect(try writer.rows("user") == [Self.ada, Self.bo])
      try writer.change(
        "user",
        rows: [.field(3), .converted(0, .integer), .value("new"), .field(0), .field(1)]
      ) { definition in
        definition.fields = [
          FieldDefinition("years", .integer, optional: true), FieldDefinition("text", .text),
          FieldDefinition("added", .text), FieldDefinition("id", .integer),
          FieldDefinition("name", .text),
        ]
        definition.indexes = [IndexDefinition(["text", "name"], unique: true)]
      }
      let rows: [[Value]] = [[36, "1", "new", 1, "Ada"], [.null, "2", "new", 2, "Bo"]]
      #expect(try writer.rows("user") == rows)
      #expect(try writer.rows("user", index: 0) == rows)
      // The counter has seen 9.
      #expect(try writer.lastAutomaticKey(of: writer.named("user")) == 9)
      #expect(try writer.add([1, "x", "x", .null, "x"], to: "user") == 10)
    }
    #expect(wasRebuilt)
    #expect(
      try columns("user") == [
        "years INTEGER 0", "text TEXT 1", "added TEXT 1", "id INTEGER 0", "name TEXT 1",
      ]
    )
    try expectSound()
  }

  @Test func `a value that cannot be converted leaves all as it was`() throws {
    let before = try storage.read { try $0.named("user") }
    try storage.write { writer in
      let error = try expect(.invalidValue) {
        try writer.change(
          "user",
          rows: [.field(0), .converted(1, .text), .field(2), .field(3)]
        ) { definition in
          definition.name = "other"
          definition.fields[1].type = .date
        }
      }
      #expect(error.message.contains("name"))
      #expect(try writer.named("user").definition == before.definition)
      #expect(try writer.rows("user") == [Self.ada, Self.bo])
      try writer.add([.null, "Di", .null, .null], to: "user")
    }
    #expect(try storage.read { try $0.rows("user") }.count == 3)
    #expect(try runSQL(folder.path(), "PRAGMA legacy_alter_table") == [["0"]])
    try expectSound()
  }

  @Test func `a unique index over duplicates is named, and leaves all as it was`() throws {
    try storage.write { writer in
      try writer.add([4, "Di", .null, 36], to: "user")
      try writer.add([5, "Ed", .null, .null], to: "user")
      let error = try expect(.uniqueViolation) {
        try writer.change("user") { definition in
          definition.name = "other"
          definition.indexes.append(IndexDefinition(["age"], unique: true, name: "once"))
        }
      }
      #expect(error.message.contains("once"))
      try expect(.uniqueViolation) {
        try writer.change("user", rows: (0..<3).map { .field($0) } + [.converted(3, .integer)]) {
          definition in
          definition.fields[3].type = .text
          definition.indexes[2].isUnique = true
        }
      }
      #expect(try writer.rows("user", index: 2).map { $0[0] } == [2, 5, 1, 4])
      try writer.change("user") { $0.indexes.append(IndexDefinition(["age", "id"], unique: true)) }
    }
    try expectSound()
  }

  @Test func `nothing that refers to a table notices that it is made again`() throws {
    try storage.write { writer in
      var child = CollectionDefinition.user
      child.name = "child"
      child.references = [ReferenceDefinition(["age"], to: "user", onDelete: .cascade)]
      _ = try writer.createCollection(child)
      try writer.add([1, "c", .null, 1], to: "child")
      try writer.change("user") { $0.fields[1].isOptional = true }
      #expect(try writer.rows("child").count == 1)
    }
    #expect(wasRebuilt)
    let schema = try shell(folder.path(), ".schema child", "PRAGMA foreign_key_check")
    #expect(schema.contains("REFERENCES \"user\" (\"id\") ON DELETE CASCADE"))
  }

  @Test func `indexes, triggers and views of someone else stay`() throws {
    _ = try runSQL(
      folder.path(),
      "CREATE INDEX theirs ON user (name, age) WHERE age > 3; CREATE TABLE log (x); "
        + "CREATE VIEW adults AS SELECT name FROM user WHERE age > 17; "
        + "CREATE TRIGGER t AFTER INSERT ON user BEGIN INSERT INTO log VALUES (new.name); END"
    )
    try storage.write { writer in
      try writer.change("user") { $0.fields[1].isOptional = true }
      try writer.add([.null, "Di", .null, .null], to: "user")
      try writer.change("user") { $0.name = "person" }
    }
    #expect(wasRebuilt)
    #expect(try runSQL(folder.path(), "SELECT * FROM log") == [["Di"]])
    #expect(try runSQL(folder.path(), "SELECT * FROM adults") == [["Ada"]])
    #expect(try shell(folder.path(), ".schema person").contains("CREATE INDEX theirs ON"))
    // One of theirs is in the way of a field, and says so.
    let sources: [RowChange.Source] = [.field(0), .field(1), .field(2)]
    try storage.write { writer in
      let error = try #require(throws: StorageError.self) {
        try writer.change("person", rows: sources) { definition in
          definition.fields.removeLast()
          definition.indexes.removeLast()
        }
      }
      #expect(error.message.contains("theirs") || error.message.contains("adults"))
      #expect(try writer.rows("person").count == 3)
    }
  }

  // MARK: Names

  @Test func `a name that someone else's table, index or view has is not taken`() throws {
    _ = try runSQL(
      folder.path(),
      "CREATE TABLE Person (x); CREATE VIEW people AS SELECT 1; CREATE INDEX staff ON Person (x); "
        + "CREATE TABLE holdfast_temporary_0 (x)"
    )
    for name in ["person", "people", "staff", "sqlite_x", "holdfast_catalog", "sqlite_sequence"] {
      try storage.write { writer in
        let old = try #require(writer.catalog.collections.first)
        let changed = try writer.change(old.name) { $0.name = name }
        #expect(!changed.physicalName.hasPrefix("sqlite_"))
        #expect(Name.folded(changed.physicalName) != Name.folded(name))
        try writer.change(name) { $0.fields[1].isOptional.toggle() }
        #expect(try writer.rows(name) == [Self.ada, Self.bo])
        #expect(try writer.lastAutomaticKey(of: writer.named(name)) == 9)
      }
    }
    #expect(try runSQL(folder.path(), "SELECT count(*) FROM Person") == [["0"]])
  }

  @Test func `any name of a collection and field can be changed to any other`() throws {
    let names = NameTests.names + ["e\u{301}", "\u{E9}", "e\u{301}", "column_0", "COLUMN_0"]
    var last = "user"
    for (number, name) in names.enumerated() {
      try storage.write { writer in
        try writer.change(last) { definition in
          definition.name = name
          definition.fields[2].name = name
          definition.indexes[0].fields = [name]
        }
        if number % 3 == 0 {
          try writer.change(name) { $0.fields[1].isOptional.toggle() }
        }
        #expect(try writer.rows(name, index: 0) == [Self.bo, Self.ada], "\(name)")
      }
      last = name
    }
    try storage.close()
    let again = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    #expect(try again.read { try $0.rows(last, index: 0) } == [Self.bo, Self.ada])
    try again.close()
  }

  @Test func `a thousand fields`() throws {
    let names = (0..<1000).map { "f\($0)" }
    try storage.write { writer in
      _ = try writer.createCollection(
        CollectionDefinition(
          "wide",
          fields: names.map { FieldDefinition($0, .integer, optional: $0 != "f0") },
          key: ["f0"]
        )
      )
      try writer.add((0..<1000).map { .integer(Int64($0)) }, to: "wide")
      try writer.change("wide", rows: (0..<1000).filter { $0 != 500 }.map { .field($0) }) {
        $0.fields.remove(at: 500)
      }
      try writer.change("wide", rows: (0..<999).map { .field($0) } + [.value(.null)]) {
        $0.fields.append(FieldDefinition("last", .text, optional: true))
      }
      try writer.change("wide", rows: (0..<1000).map { .field(999 - $0) }) { definition in
        definition.fields.reverse()
      }
      try writer.change(
        "wide",
        rows: (0..<1000).map {
          $0 == 0 ? .value("x") : $0 < 999 ? .converted($0, .integer) : .field(999)
        }
      ) { definition in
        for position in 1..<999 { definition.fields[position].type = .text }
      }
      let row = try #require(try writer.rows("wide").first)
      #expect(row[0] == "x" && row[1] == "999" && row[998] == "1" && row[999] == 0)
    }
    try expectSound()
  }
}
