import CSQLite
import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct RecordTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open()
    try store.write { _ = try $0.createCollection(.user) }
  }

  @Test func `columns have the declared names and types`() throws {
    let fields = FieldType.allCases.map { FieldDefinition("a \($0)", $0, optional: true) }
    let definition = CollectionDefinition(
      "all types",
      fields: [FieldDefinition("key", .text)] + fields,
      key: ["key"]
    )
    try store.write { transaction in
      try transaction.createCollection(definition)
      try transaction.insert(
        [
          "key": "k", "a integer": .integer(.min), "a real": .real(.infinity), "a text": "a\u{0}b",
          "a blob": .blob([0, 255]), "a bool": true, "a date": "2026-01-31", "a decimal": "1.50",
          "a uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "a json": "{\"b\": 1}", "a any": 2.5,
        ],
        into: "all types"
      )
      try transaction.insert(
        ["key": "empty", "a text": "", "a blob": .blob([]), "a real": -0.0],
        into: "all types"
      )
    }
    let columns = definition.fields.map { "typeof(\"\($0.name)\")" }.joined(separator: ", ")
    let types = try runSQL(folder.path(), "SELECT \(columns) FROM \"all types\" WHERE key = 'k'")
    #expect(
      types == [
        [
          "text", "integer", "real", "text", "blob", "integer", "text", "blob", "text", "text",
          "real",
        ]
      ]
    )
    let declared = try runSQL(
      folder.path(),
      "SELECT name, type, \"notnull\" FROM pragma_table_info('all types')"
    )
    #expect(declared[0] == ["key", "TEXT", "1"])
    #expect(declared[1] == ["a integer", "INTEGER", "0"])
    #expect(declared.last == ["a any", "ANY", "0"])
    try store.read { transaction in
      let empty = try transaction.get("empty", in: "all types")
      #expect(empty?["a text"] == "")
      #expect(empty?["a blob"] == .blob([]))
      #expect(empty?["a integer"] == .null)
      let full = try transaction.get("k", in: "all types")
      #expect(full?["a text"] == "a\u{0}b")
      #expect(full?["a real"] == .real(.infinity))
      #expect(full?["a any"] == 2.5)
    }
  }

  @Test func `violations come in order: the key, then the indexes as declared`() throws {
    try store.write { transaction in
      try transaction.insert(["id": 1, "name": "a", "email": "a@x"], into: "user")
      try transaction.insert(["id": 2, "name": "b", "email": "b@x"], into: "user")
      try expect(.duplicateKey) {
        try transaction.insert(["id": 1, "name": "b", "email": "b@x"], into: "user")
      }
      let first = try expect(.uniqueViolation) {
        try transaction.insert(["name": "a", "email": "b@x"], into: "user")
      }
      #expect(first.message.contains("email") && first.message.contains("user"))
      #expect(first.engineCode == 2067)
      let second = try expect(.uniqueViolation) {
        try transaction.insert(["name": "a", "email": "c@x"], into: "user")
      }
      #expect(second.message.contains("name"))
      try expect(.uniqueViolation) { try transaction.update(1, set: ["name": "b"], in: "user") }
      try expect(.notFound) { try transaction.update(9, set: ["name": "z"], in: "user") }
      #expect(try transaction.count("user") == 2)
    }
    #expect(try store.read { try $0.get(1, in: "user") }?["name"] == "a")
  }

  @Test func `nulls never collide`() throws {
    try store.write { transaction in
      for index in 0..<5 { try transaction.insert(["name": .text("\(index)")], into: "user") }
      #expect(try transaction.count("user", where: .isNull("email")) == 5)
    }
  }

  @Test func `put replaces its own record and never another`() throws {
    try store.write { transaction in
      try transaction.put(["id": 1, "name": "a", "email": "a@x"], in: "user")
      try transaction.put(["id": 1, "name": "a", "email": "a@x", "age": 3], in: "user")
      #expect(try transaction.get(1, in: "user")?["age"] == 3)
      try transaction.put(["id": 2, "name": "b"], in: "user")
      for id: Value in [2, 3, .null] {
        try expect(.uniqueViolation) {
          try transaction.put(["id": id, "name": "a"], in: "user")
        }
      }
      #expect(try transaction.count("user") == 2)
      #expect(try transaction.put(["name": "c"], in: "user") == 3)
      #expect(try transaction.put(["id": 7, "name": "d"], in: "user") == 7)
      #expect(try transaction.insert(["name": "e"], into: "user") == 8)
    }
  }

  @Test func `automatic keys never come back and end at the last integer`() throws {
    try store.write { transaction in
      #expect(try transaction.insert(["name": "a"], into: "user") == 1)
      #expect(try transaction.insert(["id": 50, "name": "b"], into: "user") == 50)
      #expect(try transaction.delete(50, from: "user"))
      #expect(try transaction.delete(50, from: "user") == false)
      #expect(try transaction.insert(["name": "c"], into: "user") == 51)
      try transaction.put(["id": .integer(.max - 1), "name": "d"], in: "user")
      #expect(try transaction.insert(["name": "e"], into: "user") == Key(.integer(.max)))
      try expect(.overflow) { try transaction.insert(["name": "f"], into: "user") }
      try expect(.overflow) { try transaction.put(["name": "f"], in: "user") }
      try transaction.insert(["id": 2, "name": "g"], into: "user")
    }
    try store.write { transaction in
      try transaction.delete(Key(.integer(.max)), from: "user")
      try expect(.overflow) { try transaction.insert(["name": "f"], into: "user") }
      #expect(try transaction.count("user") == 4)
    }
  }

  @Test func `a collection whose fields are all in the key`() throws {
    try store.write { transaction in
      try transaction.createCollection(
        CollectionDefinition(
          "pair",
          fields: [FieldDefinition("a", .text), FieldDefinition("b", .blob)],
          key: ["b", "a"]
        )
      )
      let pair = ["a": "x", "b": .blob([0])] as [String: Value]
      try transaction.insert(pair, into: "pair")
      try expect(.duplicateKey) { try transaction.insert(pair, into: "pair") }
      try transaction.put(pair, in: "pair")
      try transaction.update([.blob([0]), "x"], set: [:], in: "pair")
      try expect(.notFound) { try transaction.update([.blob([1]), "x"], set: [:], in: "pair") }
      #expect(try transaction.get([.blob([0]), "x"], in: "pair") != nil)
      #expect(try transaction.count("pair") == 1)
    }
  }

  @Test func `clearing takes one collection only`() throws {
    try store.write { transaction in
      var other = CollectionDefinition.user
      other.name = "user_email_index"
      try transaction.createCollection(other)
      for name in ["a", "b"] {
        try transaction.insert(["name": .text(name)], into: "user")
        try transaction.insert(["name": .text(name)], into: "user_email_index")
      }
      #expect(try transaction.deleteAll(in: "user") == 2)
      #expect(try transaction.count("user") == 0)
      #expect(try transaction.count("user_email_index") == 2)
    }
  }

  @Test func `a value of another type in the file is damage`() throws {
    try store.write { _ = try $0.insert(["id": 1, "name": "a"], into: "user") }
    _ = try runSQL(
      folder.path(),
      """
      PRAGMA writable_schema = 1;
      UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), 'TEXT', '')
        WHERE name = 'user';
      """
    )
    _ = try runSQL(folder.path(), "UPDATE \"user\" SET name = x'00ff'")
    try store.read { transaction in
      _ = try expect(.corrupt) { try transaction.get(1, in: "user") }
    }
    _ = try runSQL(folder.path(), "UPDATE \"user\" SET name = CAST(x'ff' AS TEXT)")
    try store.read { transaction in
      _ = try expect(.corrupt) { try transaction.get(1, in: "user") }
    }
  }
}
