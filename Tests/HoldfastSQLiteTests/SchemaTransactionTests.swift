import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct SchemaTransactionTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage

  init() throws {
    folder = try TemporaryFolder()
    storage = try Self.open(folder)
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      try writer.add([.null, "Ada", "ada@x", 36], to: "user")
    }
  }

  private static func open(_ folder: TemporaryFolder, _ name: String = "test.db") throws
    -> SQLiteStorage
  {
    try SQLiteStorage.open(path: folder.path(name), options: StorageOptions())
  }

  private struct Stop: Error {}

  private static func alter(_ writer: SQLiteWriter) throws {
    try writer.change("user") { definition in
      definition.name = "person"
      definition.fields[1].name = "title"
      definition.fields[1].isOptional = true
      definition.indexes[1] = IndexDefinition(["title"])
      definition.indexes[0].isUnique = false
    }
  }

  @Test func `a rolled back savepoint takes every change of the schema with it`() throws {
    try storage.write { writer in
      let before = writer.catalog.collections.map(\.definition)
      for _ in 0..<3 {
        try writer.beginSavepoint()
        try Self.alter(writer)
        try writer.add([.null, .null, .null, 2], to: "person")
        _ = try writer.createCollection(.user)
        try writer.setMigrations(["one"])
        try writer.setLastAutomaticKey(100, of: writer.named("person"))
        try writer.beginSavepoint()
        try writer.dropCollection(try writer.named("person"))
        #expect(writer.catalog.collections.map(\.name) == ["user"])
        try writer.rollbackSavepoint()
        #expect(try writer.rows("person").count == 2)
        try writer.rollbackSavepoint()
        #expect(writer.catalog.collections.map(\.definition) == before)
        #expect(writer.catalog.migrations == [])
        #expect(try writer.rows("user") == [[1, "Ada", "ada@x", 36]])
      }
      #expect(try writer.add([.null, "Bo", .null, .null], to: "user") == 2)
      try expect(.uniqueViolation) { try writer.add([.null, "Bo", .null, .null], to: "user") }
    }
    #expect(try storage.read { try $0.rows("user") }.count == 2)
    #expect(throws: Stop.self) {
      try storage.write { writer in
        try Self.alter(writer)
        throw Stop()
      }
    }
    #expect(try storage.write { try $0.rows("user") }.count == 2)
    try storage.write { try Self.alter($0) }
    #expect(try storage.read { try $0.rows("person") }.count == 2)
  }

  @Test func `every other connection takes the change up, whatever it has prepared`() throws {
    let other = try Self.open(folder)
    func query(_ reader: SQLiteReader, _ name: String) throws -> [Int] {
      let collection = try reader.named(name)
      return try (0..<40).map { limit in
        let query = BoundQuery(
          collection: collection,
          filter: .or((0...limit).map { .compare(3, .equal, .integer(Int64(36 + $0))) }),
          order: [BoundQuery.Order(0, descending: false)],
          limit: limit + 1,
          offset: 0
        )
        guard let pushed = try reader.query(query) else { return -1 }
        var count = 0
        while let row = try pushed.cursor.next() {
          #expect(try row.values().count == collection.fields.count)
          count += 1
        }
        return count
      }
    }
    let ones = Array(repeating: 1, count: 40)
    #expect(try storage.read { try query($0, "user") } == ones)
    #expect(try other.read { try query($0, "user") } == ones)
    try other.write { _ = try query($0, "user") }

    let reader = try other.beginReading(timeout: .zero)
    try storage.write { try Self.alter($0) }
    // A snapshot keeps its schema.
    #expect(try query(reader, "user") == ones)
    reader.end()
    #expect(try other.read { try query($0, "person") } == ones)
    #expect(try storage.read { try query($0, "person") } == ones)
    try other.write { writer in
      #expect(try query(writer, "person") == ones)
      try writer.add([.null, .null, .null, .null], to: "person")
      try writer.change("person", rows: [.field(0), .field(2), .field(3), .field(1)]) {
        $0.fields.append($0.fields.remove(at: 1))
      }
    }
    #expect(
      try storage.read { try $0.rows("person") } == [
        [1, "ada@x", 36, "Ada"], [2, .null, .null, .null],
      ]
    )
    try storage.write { try $0.dropCollection($0.named("person")) }
    try expect(.unknownCollection) { try other.write { try $0.rows("person") } }
    try other.close()
  }

  @Test func `a program that holds a read transaction is not in the way`() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", folder.path()]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data("BEGIN; SELECT name FROM user;\n".utf8))
    #expect(output.fileHandleForReading.availableData == Data("Ada\n".utf8))
    try storage.write { try Self.alter($0) }
    input.fileHandleForWriting.write(
      Data("SELECT name FROM user; COMMIT; SELECT title FROM person;\n".utf8)
    )
    try input.fileHandleForWriting.close()
    let rest = output.fileHandleForReading.readDataToEndOfFile()
    #expect(String(decoding: rest, as: UTF8.self) == "Ada\nAda\n")
    process.waitUntilExit()
  }

  @Test func `a store that dies in the middle of a change opens as it was`() throws {
    try storage.write { writer in
      let text = String(repeating: "x", count: 1000)
      for index in 0..<8000 {
        try writer.add([.null, .text("\(index)\(text)"), .null, .integer(1)], to: "user")
      }
    }
    // Closing empties the log.
    try storage.close()
    let storage = try Self.open(folder)
    let before = try storage.read { try $0.named("user") }
    func die(_ name: String) throws {
      // What lies on the disk now is what a process that is killed now leaves behind.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder.path() + suffix,
          toPath: folder.path(name) + suffix
        )
      }
    }
    let writer = try storage.beginWriting(timeout: .zero)
    try Self.alter(writer)
    let log = folder.path() + "-wal"
    let size = try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
    #expect(size > 1_000_000, "the change never left memory")
    try die("changed.db")
    try writer.dropCollection(try writer.named("person"))
    try die("dropped.db")
    writer.end()
    try die("rolled back.db")
    for name in ["changed.db", "dropped.db", "rolled back.db"] {
      let again = try Self.open(folder, name)
      #expect(try again.read { try $0.named("user").definition } == before.definition)
      #expect(try again.verify(timeout: .seconds(1)).filter(\.isFault) == [])
      try again.write { try Self.alter($0) }
      #expect(try again.read { try $0.rows("person").count } == 8001)
      try again.close()
    }
    try storage.close()
  }

  @Test func `a dropped collection's name and indexes are free, its id is not`() throws {
    try storage.write { writer in
      let old = try writer.named("user")
      try writer.dropCollection(old)
      try expect(.unknownCollection) { try writer.dropCollection(old) }
      let fresh = try writer.createCollection(.user)
      #expect(fresh.id > (old.indexes.map(\.id).max() ?? 0))
      #expect(fresh.physicalName == "user")
      #expect(fresh.indexes.map(\.physicalName) == old.indexes.map(\.physicalName))
      #expect(try writer.lastAutomaticKey(of: fresh) == 0)
      #expect(try writer.add([.null, "Ada", .null, .null], to: "user") == 1)
    }
    #expect(try storage.read { try $0.rows("user") } == [[1, "Ada", .null, .null]])
  }

  @Test func `counters can be set`() throws {
    try storage.write { writer in
      let user = try writer.named("user")
      #expect(try writer.lastAutomaticKey(of: user) == 1)
      try writer.setLastAutomaticKey(500, of: user)
      #expect(try writer.lastAutomaticKey(of: user) == 500)
      #expect(try writer.add([.null, "Bo", .null, .null], to: "user") == 501)
      try writer.setLastAutomaticKey(.max, of: user)
      try expect(.overflow) { try writer.add([.null, "Cy", .null, .null], to: "user") }
      try writer.setLastAutomaticKey(600, of: user)
      #expect(try writer.add([.null, "Cy", .null, .null], to: "user") == 601)
      var plain = CollectionDefinition.user
      plain.name = "plain"
      plain.hasAutomaticKey = false
      let collection = try writer.createCollection(plain)
      #expect(try writer.lastAutomaticKey(of: collection) == 0)
      try writer.setLastAutomaticKey(5, of: collection)
      #expect(try writer.lastAutomaticKey(of: collection) == 0)
    }
    #expect(try storage.read { try $0.lastAutomaticKey(of: $0.named("user")) } == 601)
    let empty = try Self.open(folder, "empty.db")
    try empty.write { writer in
      let user = try writer.createCollection(.user)
      try writer.setLastAutomaticKey(41, of: user)
      #expect(try writer.add([.null, "Ada", .null, .null], to: "user") == 42)
    }
    try empty.close()
  }

  @Test func `migrations are kept in order, also in a store from before there were any`() throws {
    let version = try storage.read { $0.catalog.schemaVersion }
    try storage.write { try $0.setMigrations(["b", "a", "", "b"]) }
    #expect(try storage.read { $0.catalog.migrations } == ["b", "a", "", "b"])
    #expect(try storage.read { $0.catalog.schemaVersion } > version)
    try storage.write { try $0.setMigrations(["b", "a"]) }
    #expect(
      try runSQL(folder.path(), "SELECT * FROM holdfast_migration") == [["1", "b"], ["2", "a"]]
    )
    try storage.close()
    let again = try Self.open(folder)
    #expect(try again.read { $0.catalog.migrations } == ["b", "a"])
    try again.close()
    _ = try runSQL(folder.path(), "DROP TABLE holdfast_migration")
    let older = try Self.open(folder)
    #expect(try older.read { $0.catalog.migrations } == [])
    try older.write { try $0.setMigrations(["c"]) }
    #expect(try older.read { $0.catalog.migrations } == ["c"])
    try older.close()
  }
}
