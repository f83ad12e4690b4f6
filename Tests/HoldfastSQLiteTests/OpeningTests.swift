import CSQLite
import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `records and schema survive reopening`() throws {
    let store = try folder.open()
    #expect(store.wasCreated)
    #expect(store.capabilities.backend == "sqlite")
    #expect(store.capabilities.engine.hasPrefix("SQLite 3."))
    try store.write { transaction in
      try transaction.createCollection(.user)
      try transaction.insert(["name": "Ada", "email": "ada@x"], into: "user")
    }
    try store.close()
    #expect(try folder.contents().keys.sorted() == ["test.db"])

    let again = try folder.open()
    #expect(!again.wasCreated)
    try again.read { transaction throws in
      #expect(try transaction.collection("user").definition == .user)
      #expect(try transaction.get(1, in: "user")?["email"] == "ada@x")
    }
    try again.close()
  }

  @Test func `a missing store is not created unasked`() throws {
    var options = StorageOptions()
    options.createsIfMissing = false
    try expect(.cannotOpen) { try folder.open("test.db", options) }
    options.createsIfMissing = true
    options.isReadOnly = true
    try expect(.cannotOpen) { try folder.open("test.db", options) }
    try expect(.cannotOpen) { try folder.open("none/test.db") }
    try expect(.cannotOpen) { try SQLiteStorage.open(path: "", options: StorageOptions()) }
    #expect(try folder.contents().isEmpty)
  }

  @Test func `a database cut off beside its log is not written to when it is closed`() throws {
    func fill(_ store: Store, _ start: Int64) throws {
      try store.write { transaction in
        for id in start..<start + 40 {
          try transaction.insert(
            [
              "name": .text("\(id)" + String(repeating: "x", count: 4000)), "email": .text("\(id)"),
            ],
            into: "user"
          )
        }
      }
    }
    let store = try folder.open()
    try store.write { _ = try $0.createCollection(.user) }
    try fill(store, 0)
    try store.close()
    let again = try folder.open()
    try fill(again, 1000)
    let copy = folder.path("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.path() + suffix, toPath: copy + suffix)
    }
    try again.close()
    let whole = try Data(contentsOf: URL(filePath: copy))
    let cut = whole.prefix(whole.count / 3 / 4096 * 4096)
    try cut.write(to: URL(filePath: copy))

    let damaged = try folder.open("copy.db")
    try expect(.corrupt) { try damaged.read { try $0.fetch(Query("user")).count } }
    try damaged.close()
    #expect(try Data(contentsOf: URL(filePath: copy)) == cut)
    #expect(FileManager.default.fileExists(atPath: copy + "-wal"))
  }

  @Test func `a pipe in the place of a file beside the database is refused`() throws {
    try folder.open().close()
    for suffix in ["-journal", "-wal", "-shm"] {
      let pipe = folder.path() + suffix
      #expect(mkfifo(pipe, 0o600) == 0)
      try expect(.wrongKind) { try folder.open() }
      try FileManager.default.removeItem(atPath: pipe)
    }
    try folder.open().close()
  }

  @Test func `an empty file becomes a store`() throws {
    try Data().write(to: URL(filePath: folder.path()))
    var options = StorageOptions()
    options.createsIfMissing = false
    try expect(.cannotOpen) { try folder.open("test.db", options) }
    let store = try folder.open()
    #expect(store.wasCreated)
    try store.close()
  }

  @Test func `what is no store is refused and left alone`() throws {
    let utf16 = folder.path("utf16.db")
    _ = try runSQL(utf16, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (x)")
    let other = folder.path("other.db")
    _ = try runSQL(other, "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try Data("{\"a\": 1}".utf8).write(to: URL(filePath: folder.path("text.json")))
    try Data("SQLite format 3\u{0}cut".utf8).write(to: URL(filePath: folder.path("cut.db")))
    try FileManager.default.createDirectory(
      atPath: folder.path("folder"),
      withIntermediateDirectories: true
    )
    let before = try folder.contents()

    let foreign = try expect(.wrongKind) { try folder.open("other.db") }
    #expect(foreign.message.contains("import"))
    let text = try expect(.wrongKind) { try folder.open("text.json") }
    #expect(text.message.contains("is not a SQLite database"))
    try expect(.wrongKind) { try folder.open("utf16.db") }
    try expect(.wrongKind) { try folder.open("folder") }
    try expect(.corrupt) { try folder.open("cut.db") }
    #expect(try folder.contents() == before)
  }

  @Test func `a newer format is refused and left alone`() throws {
    try folder.open().close()
    _ = try runSQL(folder.path(), "PRAGMA user_version = 99")
    let before = try folder.contents()
    try expect(.newerFormat) { try folder.open() }
    #expect(try folder.contents() == before)
    _ = try runSQL(
      folder.path(),
      "PRAGMA user_version = 1; UPDATE holdfast_catalog SET format = 99"
    )
    try expect(.newerFormat) { try folder.open() }
  }

  @Test func `damage is reported and never overwritten`() throws {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(.user)
      for index in 0..<500 {
        try transaction.insert(["name": .text("name \(index)")], into: "user")
      }
    }
    try store.close()
    let whole = try Data(contentsOf: URL(filePath: folder.path()))
    var damaged = [
      whole.prefix(99), whole.prefix(4096), whole.prefix(whole.count / 2),
      whole.prefix(whole.count - 1),
    ]
    var firstPage = whole
    for index in 100..<4096 { firstPage[index] = 0xA5 }
    damaged.append(firstPage)
    var header = whole
    for index in 16..<40 { header[index] = 0xFF }
    damaged.append(header)
    for data in damaged {
      try data.write(to: URL(filePath: folder.path()))
      try expect(.corrupt) { try folder.open() }
      #expect(try Data(contentsOf: URL(filePath: folder.path())) == data)
    }
  }

  @Test func `a catalog that does not match the tables is damage`() throws {
    let store = try folder.open()
    try store.write { _ = try $0.createCollection(.user) }
    try store.close()
    _ = try runSQL(folder.path(), "DROP TABLE user")
    let error = try expect(.corrupt) { try folder.open() }
    #expect(error.message.contains("user"))
    _ = try runSQL(folder.path(), "UPDATE holdfast_collection SET definition = '{'")
    try expect(.corrupt) { try folder.open() }
    _ = try runSQL(folder.path(), "DROP TABLE holdfast_catalog")
    try expect(.corrupt) { try folder.open() }
  }

  @Test func `a column that someone has taken away is damage, not a text of its name`() throws {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(.user)
      try transaction.insert(["name": "Ada", "age": 36], into: "user")
    }
    try store.close()
    _ = try runSQL(
      folder.path(),
      "DROP INDEX user_age_index; DROP INDEX user_email_index; "
        + "ALTER TABLE user DROP COLUMN age; ALTER TABLE user RENAME COLUMN email TO mail"
    )
    let again = try folder.open()
    try expect(.corrupt) { try again.read { try $0.get(1, in: "user") } }
    try expect(.corrupt) {
      try again.read { try $0.count("user", where: .equal("email", "email")) }
    }
    try expect(.corrupt) { try again.read { try $0.aggregate("user", [.maximum("email")]) } }
    try expect(.corrupt) { try again.write { try $0.update(1, set: ["age": 1], in: "user") } }
    try again.close()
  }

  @Test func `a read-only store leaves nothing behind and takes no writes`() throws {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(.user)
      try transaction.insert(["name": "Ada"], into: "user")
    }
    try store.close()
    let before = try folder.contents()
    var options = StorageOptions()
    options.isReadOnly = true
    let storage = try SQLiteStorage.open(path: folder.path(), options: options)
    try expect(.readOnly) { try storage.beginWriting(timeout: .zero) }
    let reader = Store(storage, options: options)
    #expect(try reader.read { try $0.count("user") } == 1)
    try expect(.readOnly) { try reader.write { _ in } }
    try reader.close()
    #expect(try folder.contents() == before)
  }

  @Test func `odd paths name ordinary files`() throws {
    for name in [":memory:", "file:x?mode=memory", "a b%20é.db", "quote'\".db"] {
      let store = try folder.open(name)
      try store.write { _ = try $0.createCollection(.user) }
      try store.close()
      #expect(FileManager.default.fileExists(atPath: folder.path(name)))
      var options = StorageOptions()
      options.isReadOnly = true
      let reader = try folder.open(name, options)
      #expect(try reader.read { try $0.count("user") } == 0)
      try reader.close()
    }
    try expect(.cannotOpen) {
      try SQLiteStorage.open(path: "a\u{0}b", options: StorageOptions())
    }
  }

  @Test func `a closed store says so`() throws {
    let storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    try storage.close()
    try expect(.closed) { try storage.beginReading(timeout: .zero) }
    try expect(.closed) { try storage.beginWriting(timeout: .zero) }
  }

  @Test func `the durability is SQLite's own`() throws {
    for (durability, mode) in [
      (StorageOptions.Durability.full, "FULL"), (.normal, "NORMAL"), (.none, "OFF"),
    ] {
      let log = StatementLog()
      var options = StorageOptions()
      options.durability = durability
      let store = try folder.open("\(mode).db", options, log: log)
      #expect(log.statements.contains("PRAGMA synchronous = \(mode)"))
      try store.close()
    }
  }
}
