import Testing

@testable import Holdfast

/// The adapter over the memory engine, through the store that applications use.
struct KeyValueStorageTests {
  static let people = CollectionDefinition(
    "people",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text),
      FieldDefinition("mail", .text, optional: true), FieldDefinition("tag", .blob, optional: true),
      FieldDefinition("active", .bool), FieldDefinition("score", .real),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [
      IndexDefinition(["name"], unique: true), IndexDefinition(["mail"], unique: true),
      IndexDefinition(["score", "name"]),
    ]
  )

  static func person(_ name: String, mail: Value = .null, score: Double = 1) -> [String: Value] {
    [
      "name": .text(name), "mail": mail, "active": true, "score": .real(score),
      "tag": .blob([0, 255]),
    ]
  }

  private func makeStore(_ engine: MemoryEngine = MemoryEngine()) throws -> Store {
    Store(try KeyValueStorage(engine))
  }

  @Test func `records come back as they were written`() throws {
    let store = try makeStore()
    #expect(store.wasCreated)
    let key = try store.write { transaction in
      try transaction.createCollection(Self.people)
      return try transaction.insert(Self.person("Ada", mail: "a@b"), into: "people")
    }
    #expect(key == 1)
    let record = try store.read { try $0.get(1, in: "people") }
    #expect(record?.values == [1, "Ada", "a@b", .blob([0, 255]), true, 1.0])
    #expect(try store.read { try $0.get(2, in: "people") } == nil)
  }

  @Test func `a violated constraint names the first in declared order and changes nothing`() throws
  {
    let store = try makeStore()
    try store.write { transaction in
      try transaction.createCollection(Self.people)
      _ = try transaction.insert(Self.person("Ada", mail: "a"), into: "people")
      _ = try transaction.insert(Self.person("Bob", mail: "b"), into: "people")
      func code(_ body: () throws -> Void) -> (StorageError.Code, Bool)? {
        do {
          try body()
          return nil
        } catch let error as StorageError {
          return (error.code, error.message.contains("index name"))
        } catch {
          return nil
        }
      }
      let both = code {
        _ = try transaction.insert(Self.person("Ada", mail: "b"), into: "people")
      }
      #expect(both?.0 == .uniqueViolation && both?.1 == true)
      var taken = Self.person("Ada", mail: "b")
      taken["id"] = 1
      #expect(code { _ = try transaction.insert(taken, into: "people") }?.0 == .duplicateKey)
      let second = code { try transaction.update(2, set: ["mail": "a"], in: "people") }
      #expect(second?.0 == .uniqueViolation && second?.1 == false)
      #expect(try transaction.count("people") == 2)
      #expect(try transaction.insert(Self.person("Cyd"), into: "people") == 3)
    }
    let names = try store.read { try $0.fetch(Query("people", sort: [.ascending("name")])) }
    #expect(names.map { $0["name"] } == ["Ada", "Bob", "Cyd"])
  }

  @Test func `an index follows updates and deletes`() throws {
    let store = try makeStore()
    try store.write { transaction in
      try transaction.createCollection(Self.people)
      for number in 1...50 {
        _ = try transaction.insert(
          Self.person("n\(number)", score: Double(number % 5)),
          into: "people"
        )
      }
      try transaction.update(7, set: ["score": 9.5], in: "people")
      #expect(try transaction.delete(8, from: "people"))
      #expect(try !transaction.delete(8, from: "people"))
      let high = try transaction.fetch(Query("people", where: .greater("score", 3.5)))
      #expect(Set(high.compactMap { $0["id"] }) == [4, 9, 14, 19, 24, 29, 34, 39, 44, 49, 7])
      #expect(try transaction.deleteAll(in: "people") == 49)
      #expect(try transaction.count("people") == 0)
      #expect(try transaction.insert(Self.person("n"), into: "people") == 51)
    }
  }
}
