import Foundation
import Holdfast
import HoldfastBackends
import Testing

@Suite("Converting the records of a model")
struct ConversionTests {
  struct OldPerson: Model {
    var id: Int64?
    var name: String
    var age: String
    var boss: Int64?
    static let schema = Schema<OldPerson>("person", key: \.id) {
      Unique(\.name)
      Index(\.age)
      Reference(\.boss, to: OldPerson.self, onDelete: .cascade)
    }
  }
  struct Person: Model, Equatable {
    var id: Int64?
    var first: String
    var last: String
    var age: Int
    var boss: Int64?
    static let schema = Schema<Person>("person", key: \.id) {
      Unique(\.last, \.first)
      Index(\.age)
      Default(\.age, 1)
      Reference(\.boss, to: Person.self, onDelete: .setNull)
    }
  }
  struct Pet: Model, Equatable {
    var id: Int64?
    var owner: Int64
    static let schema = Schema<Pet>("pet", key: \.id) {
      Reference(\.owner, to: OldPerson.self, onDelete: .cascade)
    }
  }
  struct Named: Model, Equatable {
    var name: String
    var age: Int
    static let schema = Schema<Named>("person", key: \.name)
  }

  /// Persons 1 to 4, of whom 2 and 3 have the boss 1, and a pet of each of the first three.
  private func fill(_ store: Store) async throws {
    let people = Repository<OldPerson>(store)
    try await people.insert(contentsOf: [
      OldPerson(name: "Ada Lovelace", age: "36"), OldPerson(name: "Bob Hope", age: "100", boss: 1),
      OldPerson(name: "Cy Twombly", age: "83", boss: 1), OldPerson(name: "Dee", age: "?"),
    ])
    try await people.delete(4)
    try await people.insert(OldPerson(name: "Eve", age: "no"))
    try await Repository<Pet>(store).insert(contentsOf: (1...3).map { Pet(owner: $0) })
  }

  private static func convert(_ old: OldPerson) -> Person? {
    let names = old.name.split(separator: " ").map(String.init)
    guard names.count == 2, let age = Int(old.age) else { return nil }
    return Person(id: old.id, first: names[0], last: names[1], age: age, boss: old.boss)
  }

  private static let people = [
    Person(id: 1, first: "Ada", last: "Lovelace", age: 36),
    Person(id: 2, first: "Bob", last: "Hope", age: 100, boss: 1),
    Person(id: 3, first: "Cy", last: "Twombly", age: 83, boss: 1),
  ]

  @Test("With the same key records stay, and what refers to them", arguments: EveryBackend.schemes)
  func inPlace(_ scheme: String) async throws {
    for isRaw in [false, true] {
      try await EveryBackend.withFolder(scheme) { open in
        var store = try open()
        try await fill(store)
        let step = Migration("names in two parts") { transaction in
          if isRaw {
            try transaction.convertRecords(of: "person", to: Person.self) { record in
              guard case .text(let name)? = record["name"], case .text(let age)? = record["age"],
                case .integer(let id)? = record["id"]
              else { return nil }
              var boss: Int64?
              if case .integer(let id)? = record["boss"] { boss = id }
              return Self.convert(OldPerson(id: id, name: name, age: age, boss: boss))
            }
          } else {
            try transaction.convert(OldPerson.self, to: Person.self) { Self.convert($0) }
          }
        }
        let report = try await store.prepare(Person.self, Pet.self, migrations: [step])
        #expect(report.steps.map(\.changes) == [["convert 4 records of person to Person"]])
        #expect(report.additions == [])
        #expect(try await store.verify().filter(\.isFault).map(\.message) == [])
        if store.capabilities.isPersistent {
          try store.close()
          store = try open()
        }
        let people = Repository<Person>(store)
        #expect(try await people.fetch() == Self.people)
        #expect(try await people.fetch(where: .equal("age", 83)).map(\.id) == [3])
        #expect(try await Repository<Pet>(store).fetch().map(\.owner) == [1, 2, 3])
        #expect(try await people.insert(Person(first: "F", last: "G", age: 1)).id == 6)
        try await people.delete(1)
        #expect(try await people.fetch().map(\.boss) == [nil, nil, nil])
        #expect(try await Repository<Pet>(store).fetch().map(\.owner) == [2, 3])
        let definition = try await store.read { try $0.collection("person").definition }
        #expect(Set(definition.fields.map(\.name)) == ["id", "first", "last", "age", "boss"])
        try store.close()
      }
    }
  }

  @Test("A failing or key-changing conversion leaves everything", arguments: EveryBackend.schemes)
  func failing(_ scheme: String) async throws {
    struct Stop: Error {}
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store)
      let before = try await store.read { try $0.collection("person").definition }
      try await store.write { transaction in
        #expect(throws: Stop.self) {
          try transaction.convert(OldPerson.self, to: Person.self) { old in
            if old.id == 3 { throw Stop() }
            return Self.convert(old)
          }
        }
        let moved = #expect(throws: StorageError.self) {
          try transaction.convert(OldPerson.self, to: Person.self) { old in
            var person = Self.convert(old)
            person?.id = 3
            return person
          }
        }
        #expect(moved?.code == .invalidValue)
        let same = #expect(throws: StorageError.self) {
          try transaction.convert(OldPerson.self, to: Person.self) { old in
            Person(id: old.id, first: "a", last: "b", age: 1)
          }
        }
        #expect(same?.code == .uniqueViolation)
        let now = try transaction.collection("person").definition
        #expect(now == before)
      }
      #expect(
        try await Repository<OldPerson>(store).fetch().map(\.age) == ["36", "100", "83", "no"]
      )
      #expect(try await store.verify().filter(\.isFault).map(\.message) == [])
    }
  }

  @Test(
    "Another key moves the records, unless others refer to them",
    arguments: EveryBackend.schemes
  )
  func otherKey(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store)
      let step = Migration("by name") { transaction in
        try transaction.convert(OldPerson.self, to: Named.self) { old in
          Int(old.age).map { Named(name: old.name, age: $0) }
        }
      }
      let referred = await storageError {
        try await store.prepare(Named.self, migrations: [step])
      }
      #expect(referred?.code == .referenceViolation)
      #expect(referred?.message.contains("pet") == true)
      try await store.write { try $0.alterCollection("pet", .dropReference(["owner"])) }
      try await store.prepare(Named.self, migrations: [step])
      let expected = [
        Named(name: "Ada Lovelace", age: 36), Named(name: "Bob Hope", age: 100),
        Named(name: "Cy Twombly", age: 83),
      ]
      #expect(try await Repository<Named>(store).fetch() == expected)
      #expect(
        try await store.read { try $0.catalog.collections.map(\.name).sorted() } == [
          "person", "pet",
        ]
      )
      // Of a collection that is not there nothing is converted.
      struct Nothing: Model { var id: Int64? }
      let count = try await store.write {
        try $0.convert(Nothing.self, to: Person.self) { _ in nil }
      }
      #expect(count == 0)
    }
  }
}
