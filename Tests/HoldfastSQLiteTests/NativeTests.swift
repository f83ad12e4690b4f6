import CSQLite
import Holdfast
import HoldfastSQLite
import Testing

/// SQLite's own connection inside a transaction.
@Suite("The native connection") struct NativeTests {
  private func run(_ sql: String, _ native: SQLiteNative, gives expected: Int32 = SQLITE_OK) throws
  {
    let status = sqlite3_exec(try native.connection, sql, nil, nil, nil)
    #expect(status == expected, "\(sql)")
  }

  private func integer(_ sql: String, _ native: SQLiteNative) throws -> Int64 {
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(try native.connection, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return sqlite3_column_int64(statement, 0)
  }

  private func filled(_ folder: TemporaryFolder) throws -> Store {
    let store = try folder.open()
    try store.write { transaction in
      try transaction.createCollection(.user)
      for name in ["a", "b", "c"] { try transaction.insert(["name": .text(name)], into: "user") }
    }
    return store
  }

  private struct Stop: Error {}

  @Test func `reads the snapshot and cannot write to it`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    #expect(store.capabilities.lendsNativeHandles)
    try store.read { transaction in
      let table = try transaction.collection("user")
      let cursor = try transaction.rows(Query("user"))
      let first = try cursor.next()?.integer(0)
      try transaction.withNative(SQLiteNative.self) { native in
        let count = try integer("SELECT count(*) FROM \(native.table(of: table))", native)
        #expect(count == 3)
        try run("DELETE FROM \(native.table(of: table))", native, gives: SQLITE_READONLY)
      }
      #expect(first == 1)
      // A cursor that was open goes on.
      #expect(try cursor.next()?.integer(0) == 2)
    }
    try store.close()
  }

  @Test func `writes are the transaction's, and observers hear of them`() async throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    var changes = store.changes(in: "user").makeAsyncIterator()
    try await store.write { transaction in
      let table = try transaction.collection("user")
      let rows = try transaction.rows(Query("user"))
      #expect(try rows.next()?.integer(0) == 1)
      try transaction.withNative(SQLiteNative.self) { native in
        let name = native.table(of: table)
        try run("INSERT INTO \(name) (id, name) VALUES (70, 'n')", native)
        try run("DELETE FROM \(name) WHERE id = 2", native)
      }
      try transaction.noteChange(of: "user")
      #expect(try rows.next()?.integer(0) == 3)
      #expect(try transaction.insert(["name": "next"], into: "user").values == [71])
    }
    #expect(try await changes.next()?.collections["user"]?.isComplete == false)
    let unknown = await #expect(throws: StorageError.self) {
      try await store.write { try $0.noteChange(of: "none") }
    }
    #expect(unknown?.code == .unknownCollection)
    let count = try await store.read { try $0.count("user") }
    #expect(count == 4)
  }

  @Test func `an error that leaves the body undoes what it wrote, and the transaction goes on`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    try store.write { transaction in
      let table = try transaction.collection("user")
      #expect(throws: Stop.self) {
        try transaction.withNative(SQLiteNative.self) { native in
          try run("DELETE FROM \(native.table(of: table))", native)
          throw Stop()
        }
      }
      #expect(try transaction.count("user") == 3)
      try transaction.insert(["name": "d"], into: "user")
    }
    #expect(try store.read { try $0.count("user") } == 4)
    try store.close()
  }

  @Test(arguments: ["COMMIT", "ROLLBACK", "END", "BEGIN", "commit transaction"])
  func `the transaction cannot be ended by SQL`(_ sql: String) throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    try store.write { transaction in
      try transaction.insert(["name": "d"], into: "user")
      try transaction.withNative(SQLiteNative.self) { native in
        try run(sql, native, gives: SQLITE_AUTH)
      }
      #expect(try transaction.count("user") == 4)
    }
    try store.read { transaction in
      try transaction.withNative(SQLiteNative.self) { native in
        try run(sql, native, gives: SQLITE_AUTH)
      }
      #expect(try transaction.count("user") == 4)
    }
    try store.close()
  }

  @Test func `a savepoint of Holdfast that is released by SQL dooms the transaction`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    #expect(throws: StorageError.self) {
      try store.write { transaction in
        try transaction.insert(["name": "d"], into: "user")
        try transaction.withNative(SQLiteNative.self) { native in
          try run("RELEASE \"holdfast\"", native)
        }
      }
    }
    #expect(try store.read { try $0.count("user") } == 3)
    try store.write { try $0.insert(["name": "e"], into: "user") }
    try store.close()
  }

  @Test func `handles are refused after their body, and are lent once at a time`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    try store.write { transaction in
      var escaped: SQLiteNative?
      try transaction.withNative(SQLiteNative.self) { native in
        escaped = native
        try expect(.nestedTransaction) {
          try transaction.withNative(SQLiteNative.self) { _ in }
        }
        // The transaction's own calls go on inside the body.
        try transaction.insert(["name": "inner"], into: "user")
      }
      try expect(.transactionClosed) { try escaped?.connection }
      try expect(.unsupported) { try transaction.withNative(Int.self) { $0 } }
    }
    #expect(try store.read { try $0.count("user") } == 4)
    try store.close()
  }

  @Test func `a statement that is left unfinished dooms the transaction and nothing else`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    var left: OpaquePointer?
    try expect(.transactionFailed) {
      try store.write { transaction in
        try transaction.insert(["name": "d"], into: "user")
        try transaction.withNative(SQLiteNative.self) { native in
          sqlite3_prepare_v2(try native.connection, "SELECT * FROM \"user\"", -1, &left, nil)
          sqlite3_step(left)
        }
      }
    }
    try expect(.transactionFailed) {
      try store.read { transaction in
        try transaction.withNative(SQLiteNative.self) { native in
          var other: OpaquePointer?
          sqlite3_prepare_v2(try native.connection, "SELECT 1", -1, &other, nil)
          sqlite3_finalize(left)
          left = other
        }
      }
    }
    #expect(try store.read { try $0.count("user") } == 3)
    try store.write { try $0.insert(["name": "e"], into: "user") }
    #expect(try store.read { try $0.count("user") } == 4)
    sqlite3_finalize(left)
    try store.close()
  }
}
