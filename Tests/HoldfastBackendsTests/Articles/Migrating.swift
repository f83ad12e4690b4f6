import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Migrating".
@Suite struct MigratingArticle {
  struct PersonV1: Model {
    var id: Int64?
    var name: String
    var town: String
    static let schema = Schema<PersonV1>("person", key: \.id)
  }

  struct PersonV2: Model {
    var id: Int64?
    var name: String
    var city: String
    static let schema = Schema<PersonV2>("person", key: \.id)
  }

  struct Person: Model {
    var id: Int64?
    var first: String
    var last: String
    var city: String
    static let schema = Schema<Person>("person", key: \.id) { Index(\.city) }
  }

  @Test(arguments: EveryBackend.schemes)
  func `the code of the article does what it says`(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await Repository<PersonV1>(store).insert(PersonV1(name: "Ada Lovelace", town: "London"))

      let migrations = [
        Migration("town is called city") { transaction in
          try transaction.alterCollection("person", .renameField("town", to: "city"))
        },
        Migration("names in two parts") { transaction in
          try transaction.convert(PersonV2.self, to: Person.self) { old in
            let parts = old.name.split(separator: " ", maxSplits: 1).map(String.init)
            return Person(
              id: old.id,
              first: parts[0],
              last: parts.count > 1 ? parts[1] : "",
              city: old.city
            )
          }
        },
      ]
      let plan = try await store.prepare(Person.self, migrations: migrations, isRehearsal: true)
      let report = try await store.prepare(Person.self, migrations: migrations)

      #expect(plan.steps.map(\.name) == ["town is called city", "names in two parts"])
      #expect(plan.isRehearsal && report.steps.count == 2)
      let people = try await Repository<Person>(store).fetch()
      #expect(people.map(\.last) == ["Lovelace"] && people.map(\.city) == ["London"])
      #expect(try await store.prepare(Person.self, migrations: migrations).isEmpty)
    }
  }
}
