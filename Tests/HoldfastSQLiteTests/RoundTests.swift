import Foundation
import Holdfast
import HoldfastSQLite
import Testing

/// How often SQLite is asked, what it says of its plans, and that it can be stopped.
struct RoundTests {
  let folder: TemporaryFolder
  let store: Store
  let log = StatementLog()

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open(log: log)
    try store.write { transaction in
      try transaction.createCollection(.user)
      for id in 1...1000 as ClosedRange<Int64> {
        try transaction.insert(
          ["id": .integer(id), "name": .text("name \(id)"), "age": .integer(id % 90)],
          into: "user"
        )
      }
    }
  }

  @Test func `many keys are one statement, a list of values too`() throws {
    try store.read { transaction in
      log.clear()
      let keys = (1...400).map { Key(.integer(Int64($0 * 3))) }
      let records = try transaction.get(keys, in: "user")
      #expect(records.filter { $0 != nil }.count == 333)
      #expect(log.statements.count == 1)
      log.clear()
      let some = Query("user", where: .isIn("id", (1...400).map { .integer(Int64($0)) }))
      #expect(try transaction.fetch(some).count == 400)
      #expect(log.statements.count == 1)
    }
  }

  @Test func `the native plan names what SQLite uses`() throws {
    try store.read { transaction in
      let byKey = try transaction.explain(Query("user", where: .equal("id", 7)), native: true)
      #expect(byKey.native?.contains { $0.contains("INTEGER PRIMARY KEY") } == true)
      let scan = try transaction.explain(Query("user", where: .contains("name", "7")), native: true)
      #expect(scan.native?.contains { $0.hasPrefix("SCAN") } == true)
    }
  }

  @Test func `an interrupted statement is a cancelled query, and the reader goes on`() throws {
    let storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    try storage.read { reader in
      let user = try reader.named("user")
      let cursor = try reader.scan(Scan(user))
      #expect(try cursor.next() != nil)
      let interrupt = try #require(reader.interruption)
      interrupt()
      let error = #expect(throws: StorageError.self) {
        while try cursor.next() != nil {}
      }
      #expect(error?.code == .cancelled)
      cursor.close()
      #expect(try reader.rows("user").count == 1000)
    }
    try storage.close()
  }
}
