import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct TransactionTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open()
    try store.write { _ = try $0.createCollection(.user) }
  }

  private struct Stop: Error {}

  @Test func `a reader keeps its snapshot from the moment it began`() throws {
    let storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    let before = try storage.beginReading(timeout: .seconds(1))
    try store.write { _ = try $0.insert(["name": "a"], into: "user") }
    let collection = try #require(before.catalog.collection(named: "user"))
    let cursor = try before.scan(Scan(collection))
    #expect(try cursor.next() == nil)
    cursor.close()
    before.end()
    before.end()
    let after = try storage.beginReading(timeout: .seconds(1))
    let rows = try after.scan(Scan(collection))
    #expect(try rows.next()?.text(1) == "a")
    after.end()
    try expect(.transactionClosed) { try rows.next() }
    try expect(.transactionClosed) { try after.scan(Scan(collection)) }
    rows.close()
    try storage.close()
  }

  @Test func `two stores on one file see each other's commits and schema`() throws {
    let other = try folder.open()
    try other.write { _ = try $0.insert(["name": "a"], into: "user") }
    #expect(try store.read { try $0.count("user") } == 1)
    var note = CollectionDefinition.user
    note.name = "note"
    let definition = note
    try other.write { transaction in
      try transaction.createCollection(definition)
      try transaction.insert(["name": "n"], into: "note")
    }
    try store.write { _ = try $0.insert(["name": "m"], into: "note") }
    #expect(try other.read { try $0.count("note") } == 2)
    #expect(try store.read { try $0.count("note") } == 2)
    try other.close()
    #expect(try store.read { try $0.count("note") } == 2)
    try store.close()
  }

  @Test func `a writer waits for another one, but not for ever`() throws {
    let first = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    let second = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    let writer = try first.beginWriting(timeout: .zero)
    let start = ContinuousClock.now
    try expect(.busy) { try second.beginWriting(timeout: .milliseconds(60)) }
    try expect(.busy) { try first.beginWriting(timeout: .milliseconds(60)) }
    let waited = ContinuousClock.now - start
    #expect(waited > .milliseconds(100) && waited < .seconds(5))
    writer.end()
    try second.beginWriting(timeout: .seconds(1)).end()
    try first.close()
    try second.close()
  }

  @Test func `readers beyond the pool wait and then are refused`() throws {
    let storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    var readers: [SQLiteReader] = []
    for _ in 0..<64 { readers.append(try storage.beginReading(timeout: .seconds(1))) }
    try expect(.busy) { try storage.beginReading(timeout: .milliseconds(20)) }
    readers.removeLast().end()
    try storage.beginReading(timeout: .zero).end()
    for reader in readers { reader.end() }
    try storage.close()
  }

  @Test func `savepoints nest and undo only their own`() throws {
    try store.write { transaction in
      try transaction.insert(["name": "a"], into: "user")
      try transaction.savepoint {
        try transaction.insert(["name": "b"], into: "user")
        #expect(throws: Stop.self) {
          try transaction.savepoint {
            try transaction.insert(["name": "c"], into: "user")
            throw Stop()
          }
        }
        #expect(try transaction.count("user") == 2)
      }
      #expect(throws: Stop.self) {
        try transaction.savepoint {
          try transaction.savepoint { _ = try transaction.insert(["name": "d"], into: "user") }
          throw Stop()
        }
      }
    }
    #expect(try store.read { try $0.fetch(Query("user")) }.map { $0["name"] } == ["a", "b"])
  }

  @Test func `a collection made in a savepoint goes with it`() throws {
    func named(_ name: String) -> CollectionDefinition {
      var definition = CollectionDefinition.user
      definition.name = name
      return definition
    }
    try store.write { transaction in
      try transaction.createCollection(named("kept"))
      try transaction.insert(["name": "k"], into: "kept")
      #expect(throws: Stop.self) {
        try transaction.savepoint {
          try transaction.createCollection(named("gone"))
          try transaction.insert(["name": "g"], into: "gone")
          throw Stop()
        }
      }
      try expect(.unknownCollection) { try transaction.count("gone") }
      try transaction.createCollection(named("next"))
      try transaction.insert(["name": "n"], into: "next")
      #expect(try transaction.fetch(Query("next")).map { $0["name"] } == ["n"])
      #expect(try transaction.count("kept") == 1)
    }
    #expect(throws: Stop.self) {
      try store.write { transaction in
        try transaction.createCollection(named("rolled back"))
        try transaction.insert(["name": "r"], into: "rolled back")
        throw Stop()
      }
    }
    try store.write { transaction in
      try expect(.unknownCollection) { try transaction.count("rolled back") }
      try transaction.createCollection(named("last"))
      try transaction.insert(["name": "l"], into: "last")
    }
    let names = try store.read { try $0.catalog.collections.map(\.name) }
    #expect(names == ["user", "kept", "next", "last"])
    #expect(try store.read { try $0.count("last") } == 1)
  }

  @Test func `a scan goes on behind its last row while the body writes`() throws {
    try store.write { transaction in
      for index in 0..<10 {
        try transaction.insert(
          ["name": .text("\(index)"), "age": .integer(Int64(index))],
          into: "user"
        )
      }
      let cursor = try transaction.rows(Query("user", sort: [.ascending("age")]))
      var ages: [Int64] = []
      while let row = try cursor.next() {
        let key = row.integer(0)
        ages.append(row.integer(3))
        if row.integer(3) % 2 == 0 {
          try transaction.delete(Key(.integer(key)), from: "user")
        } else {
          try transaction.update(Key(.integer(key)), set: ["email": .text("\(key)")], in: "user")
        }
      }
      #expect(ages == Array(0..<10))
      #expect(try transaction.count("user") == 5)
    }
  }

  @Test func `two queries of one text run side by side`() throws {
    try store.write { transaction in
      for index in 0..<3 { try transaction.insert(["name": .text("\(index)")], into: "user") }
    }
    try store.read { transaction in
      let outer = try transaction.rows(Query("user"))
      var pairs = 0
      while try outer.next() != nil {
        let inner = try transaction.rows(Query("user"))
        while try inner.next() != nil { pairs += 1 }
        inner.close()
      }
      #expect(pairs == 9)
    }
  }

  @Test func `many threads read while one writes`() async throws {
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<50 {
            let counts = try await store.read { transaction in
              [try transaction.count("user"), try transaction.fetch(Query("user")).count]
            }
            #expect(counts[0] == counts[1])
            #expect(counts[0] % 2 == 0)
          }
        }
      }
      group.addTask {
        for index in 0..<100 {
          try await store.write { transaction in
            try transaction.insert(["name": .text("a\(index)")], into: "user")
            try transaction.insert(["name": .text("b\(index)")], into: "user")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read { try $0.count("user") } == 200)
  }
}
