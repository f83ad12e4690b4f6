import Foundation
import Holdfast
import Testing

@Suite struct RecordsRepositoryTests {
  private let people = [
    Person(name: "Ada", city: "London", age: 36, joined: nil),
    Person(name: "Bo", city: nil, age: 20, joined: Date(timeIntervalSinceReferenceDate: 1e8)),
    Person(name: "王芳", city: "北京", age: 20, joined: nil),
    Person(name: "Dee", city: "London", age: 50, joined: nil),
  ]

  private func filled() throws -> Repository<Person> {
    let repository = Repository<Person>(try memoryStore())
    try repository.insert(contentsOf: people)
    return repository
  }

  @Test func `Reading before anything was written finds nothing and creates nothing`() throws {
    let repository = Repository<Person>(try memoryStore())
    #expect(try repository.get(1) == nil)
    #expect(try repository.get([1, 2]) == [nil, nil])
    #expect(try repository.fetch(where: .equal("age", 1), sort: [.ascending(\.age)]).isEmpty)
    #expect(try repository.page(limit: 3).elements.isEmpty)
    #expect(try repository.count() == 0)
    #expect(try repository.delete(1) == false)
    #expect(try repository.deleteAll() == 0)
    let collections = try repository.store.read { try $0.catalog.collections.count }
    #expect(collections == 0)
  }

  @Test func `Inserting gives the model its automatic key, and a given one is kept`() throws {
    let repository = Repository<Person>(try memoryStore())
    #expect(try repository.insert(people[0]).id == 1)
    var given = people[1]
    given.id = 40
    #expect(try repository.insert(given).id == 40)
    #expect(try repository.insert(contentsOf: [people[2], people[3]]).map(\.id) == [41, 42])
    #expect(try repository.put(Person(name: "E", age: 1)).id == 43)
    #expect(try repository.fetch().map(\.id) == [1, 40, 41, 42, 43])
  }

  struct Constant: Model, Equatable {
    let id: Int32?
    let text: String
    static let schema = Schema<Constant>("constant", key: \.id)
  }

  @Test func `A constant key property is filled in as well`() throws {
    let repository = Repository<Constant>(try memoryStore())
    #expect(try repository.insert(Constant(id: nil, text: "a")) == Constant(id: 1, text: "a"))
  }

  @Test func `A batch with one bad record adds none of them`() throws {
    let repository = try filled()
    let batch = [Person(name: "new", age: 1), Person(name: "Ada", age: 1)]
    let (error, count) = try repository.store.write { transaction in
      let outcome = Result { try repository.insert(contentsOf: batch, in: transaction) }
      return (outcome.storageError, try repository.count(in: transaction))
    }
    #expect(error?.code == .uniqueViolation)
    #expect(count == 4)
    #expect(try repository.count() == 4)
  }

  @Test func `Update, put and delete say what they found`() throws {
    let repository = try filled()
    var ada = try #require(try repository.get(1))
    ada.age = 37
    try repository.update(ada)
    #expect(try repository.get(1)?.age == 37)
    ada.id = 99
    let missing = #expect(throws: StorageError.self) { try repository.update(ada) }
    #expect(missing?.code == .notFound)
    let double = #expect(throws: StorageError.self) { try repository.put(ada) }
    #expect(double?.code == .uniqueViolation)
    ada.name = "Ada II"
    #expect(try repository.put(ada) == ada)
    let key = #expect(throws: StorageError.self) { try repository.insert(ada) }
    #expect(key?.code == .duplicateKey)
    #expect(try repository.delete(99))
    #expect(try repository.delete(99) == false)
  }

  @Test func `Many gets keep the order of the keys, with holes`() throws {
    let repository = try filled()
    #expect(try repository.get([4, 77, 1, 4]).map { $0?.name } == ["Dee", nil, "Ada", "Dee"])
  }

  @Test func `Sorting by key path, with limit and offset`() throws {
    let repository = try filled()
    let names = try repository.fetch(sort: [.descending(\.age), .ascending(\.name)]).map(\.name)
    #expect(names == ["Dee", "Ada", "Bo", "王芳"])
    #expect(try repository.fetch(sort: [.ascending(\.city)], limit: 1).map(\.name) == ["Bo"])
    #expect(try repository.fetch(limit: 2, offset: 1).map(\.name) == ["Bo", "王芳"])
    #expect(try repository.fetch(limit: 0).isEmpty)
    let error = #expect(throws: StorageError.self) {
      try repository.fetch(sort: [.ascending(\.name.count)])
    }
    #expect(error?.code == .invalidSchema)
  }

  @Test func `Pages follow one another to the end`() throws {
    let repository = try filled()
    var names: [String] = []
    var token: PageToken?
    repeat {
      let page = try repository.page(sort: [.ascending(\.age)], limit: 3, after: token)
      names += page.elements.map(\.name)
      token = page.next
    } while token != nil
    #expect(names == ["Bo", "王芳", "Ada", "Dee"])
  }

  @Test func `Composite, wrapped and text keys`() throws {
    let seats = Repository<Seat>(try memoryStore())
    try seats.insert(Seat(hall: "a", number: 7, taken: true))
    #expect(try seats.get(["a", 7] as Key)?.taken == true)
    #expect(try seats.get(["a", 8] as Key) == nil)
    let error = #expect(throws: StorageError.self) { try seats.get("a") }
    #expect(error?.code == .typeMismatch)
    let people = try filled()
    #expect(try people.get(UserID(rawValue: 2))?.name == "Bo")
    let renamed = Repository<Renamed>(try memoryStore())
    try renamed.insert(Renamed(key: "é", createdAt: .distantPast))
    #expect(try renamed.get("é") != nil)
    #expect(try renamed.get("e\u{301}") == nil)
  }

  @Test func `Asynchronous versions do the same`() async throws {
    let repository = Repository<Person>(try memoryStore())
    let ada = try await repository.insert(people[0])
    #expect(ada.id == 1)
    try await repository.insert(contentsOf: Array(people[1...]))
    #expect(try await repository.get(1) == ada)
    #expect(try await repository.get([2, 9]).map { $0?.name } == ["Bo", nil])
    #expect(
      try await repository.fetch(where: #Predicate { $0.age == 20 }, sort: [.descending(\.name)])
        .map(\.name) == ["王芳", "Bo"]
    )
    #expect(try await repository.page(limit: 2).elements.count == 2)
    #expect(try await repository.count(where: .equal("city", "London")) == 2)
    #expect(try await repository.delete(where: #Predicate { $0.city == nil }) == 1)
    #expect(try await repository.delete(1))
    try await repository.put(ada)
    try await repository.update(ada)
    #expect(try await repository.count() == 3)
  }

  @Test func `Another definition under the same name is refused by the first write`() throws {
    let store = try memoryStore()
    _ = try store.write {
      try $0.createCollection(
        CollectionDefinition("person", fields: [FieldDefinition("id", .integer)], key: ["id"])
      )
    }
    let error = #expect(throws: StorageError.self) {
      try Repository<Person>(store).insert(people[0])
    }
    #expect(error?.code == .schemaMismatch)
  }

  struct Twisted: Model {
    var id: Int
    var loud: String { "\(id)!" }
    static let schema = Schema<Twisted>("twisted", key: \.loud)
  }

  @Test func `A wrong schema is reported by the first use, reading or writing`() throws {
    let repository = Repository<Twisted>(try memoryStore())
    let reading = #expect(throws: StorageError.self) { try repository.count() }
    #expect(reading?.code == .invalidSchema)
    let writing = #expect(throws: StorageError.self) { try repository.insert(Twisted(id: 1)) }
    #expect(writing?.code == .invalidSchema)
  }

  @Test func `Ten thousand dates come back equal from a store`() throws {
    struct Event: Model, Equatable {
      var id: Int64?
      var at: Date
      static let schema = Schema<Event>("event", key: \.id) { Index(\.at) }
    }
    var random = ModelGenerator(seed: 97)
    let dates = (0..<10_000).map { _ in random.date() }
    let repository = Repository<Event>(try memoryStore())
    try repository.insert(contentsOf: dates.map { Event(at: $0) })
    #expect(try repository.fetch().map(\.at) == dates)
    #expect(try repository.fetch(sort: [.ascending(\.at)]).map(\.at) == dates.sorted())
  }

  @Test func `Models of every kind of field come back equal from a store`() throws {
    var random = ModelGenerator(seed: 11)
    let repository = Repository<Everything>(try memoryStore())
    let models = (0..<100).map { index in
      var model = random.everything()
      model.id = Int64(index)
      return model
    }
    try repository.insert(contentsOf: models)
    #expect(try repository.fetch() == models)
  }
}
