import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// The whole store on LMDB, through the interface that applications use.
@Suite struct StoreTests {
  static let people = CollectionDefinition(
    "people",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text),
      FieldDefinition("mail", .text, optional: true), FieldDefinition("score", .real),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["mail"], unique: true), IndexDefinition(["name"])]
  )

  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  private func open(_ change: (inout StorageOptions) -> Void = { _ in }) throws -> Store {
    var options = StorageOptions()
    options.durability = .normal
    change(&options)
    return Store(try LMDBStorage.open(path: path, options: options), options: options)
  }

  private func person(_ name: String, mail: Value = .null) -> [String: Value] {
    ["name": .text(name), "mail": mail, "score": 1.5]
  }

  @Test func `records, keys and indexes survive a reopening`() throws {
    var store = try open()
    #expect(store.wasCreated)
    try store.write { transaction in
      try transaction.createCollection(Self.people)
      for name in ["Cyd", "Ada", "Bob"] {
        try transaction.insert(person(name, mail: .text(name)), into: "people")
      }
      try transaction.delete(3, from: "people")
    }
    try store.close()
    store = try open()
    #expect(!store.wasCreated)
    let names = try store.read { try $0.fetch(Query("people", sort: [.ascending("name")])) }
    #expect(names.map { $0["name"] } == ["Ada", "Cyd"])
    let key = try store.write { try $0.insert(person("Dan"), into: "people") }
    #expect(key == 4)
    #expect(
      code {
        _ = try store.write { try $0.insert(person("Eve", mail: "Ada"), into: "people") }
      } == .uniqueViolation
    )
    #expect(try store.read { try $0.count("people") } == 3)
    try store.close()
  }

  @Test func `savepoints nest and a failed body leaves nothing`() throws {
    let store = try open()
    try store.write { transaction in
      try transaction.createCollection(Self.people)
      try transaction.insert(person("outer"), into: "people")
      try transaction.savepoint {
        try transaction.insert(person("kept"), into: "people")
        #expect(
          code {
            try transaction.savepoint {
              try transaction.insert(person("undone"), into: "people")
              throw StorageError(.invalidValue, "on purpose")
            }
          } == .invalidValue
        )
      }
    }
    #expect(
      code {
        try store.write { transaction in
          try transaction.insert(person("lost"), into: "people")
          throw StorageError(.invalidValue, "on purpose")
        }
      } == .invalidValue
    )
    let records = try store.read { try $0.fetch(Query("people")) }
    #expect(records.map { $0["name"] } == ["outer", "kept"])
  }

  @Test func `a scan goes on after writes inside its transaction`() throws {
    let store = try open()
    try store.write { transaction in
      try transaction.createCollection(Self.people)
      for number in 0..<100 { try transaction.insert(person("\(number)"), into: "people") }
      let cursor = try transaction.rows(Query("people"))
      var seen = 0
      while let row = try cursor.next() {
        let id = row.integer(0)
        seen += 1
        try transaction.delete(Key(.integer(id)), from: "people")
      }
      #expect(seen == 100)
      #expect(try transaction.count("people") == 0)
    }
  }

  @Test func `a full map dooms the transaction and the store goes on after growing`() throws {
    var store = try open { $0.mapSize = 1 << 20 }
    _ = try store.write { try $0.createCollection(Self.people) }
    let long = String(repeating: "x", count: 100_000)
    for step in 2...11 {
      #expect(
        code {
          try store.write { transaction in
            for _ in 0..<100 { try transaction.insert(person(long), into: "people") }
          }
        } == .storageFull
      )
      let count = try store.read { try $0.count("people") }
      var room = 0
      let insert = { _ = try store.write { try $0.insert(person(long), into: "people") } }
      while code(insert) == nil {
        room += 1
      }
      #expect(room > 0)
      #expect(try store.read { try $0.count("people") } == count + room)
      try store.close()
      store = try open { $0.mapSize = step << 20 }
    }
    try store.close()
  }

  @Test func `a store that cannot be created is told from one that is damaged`() throws {
    #expect(code { _ = try open { $0.createsIfMissing = false } } == .cannotOpen)
    #expect(code { _ = try open { $0.isReadOnly = true } } == .cannotOpen)
    try open().close()
    let handle = try #require(FileHandle(forUpdatingAtPath: path + "/data.mdb"))
    try handle.truncate(atOffset: 9000)
    try handle.close()
    #expect(code { _ = try open() } == .corrupt)
  }

  @Test func `five hundred reads and fifty writes at once get along`() async throws {
    let store = try open()
    try await store.write { transaction in
      try transaction.createCollection(Self.people)
      try transaction.insert(["name": "counter", "score": 0], into: "people")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          for _ in 0..<5 {
            let count = try await store.read { try $0.count("people") }
            #expect(count == 1)
          }
        }
      }
      for _ in 0..<50 {
        group.addTask {
          try await store.write { transaction in
            let record = try transaction.get(1, in: "people")
            guard case .real(let score)? = record?["score"] else { return }
            try transaction.update(1, set: ["score": .real(score + 1)], in: "people")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read { try $0.get(1, in: "people")?["score"] } == 50.0)
  }
}
