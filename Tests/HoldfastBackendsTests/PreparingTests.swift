import Foundation
import Holdfast
import HoldfastBackends
import Synchronization
import Testing

@Suite("Preparing a store for models")
struct PreparingTests {
  enum V1 {
    struct Person: Model, Equatable {
      var id: Int64?
      var name: String
      var town: String?
      static let schema = Schema<Person>("person", key: \.id)
    }
  }
  enum V2 {
    struct Team: Model {
      var id: Int64?
      var name: String
    }
    /// Everything that is added by itself.
    struct Person: Model, Equatable {
      var id: Int64?
      var nick: String?
      var name: String
      var stars: Int
      var town: String?
      var team: Int64?
      static let schema = Schema<Person>("person", key: \.id) {
        Index(\.town, \.name)
        Unique(\.name, name: "names")
        Default(\.stars, 3)
        Default(\.town, "?")
        Reference(\.team, to: Team.self, onDelete: .setNull)
      }
    }
  }
  enum V3 {
    /// Nothing that is.
    struct Person: Model, Equatable {
      var id: Int64?
      var name: String?
      var city: String?
      var stars: String
      static let schema = Schema<Person>("person", key: \.id) {
        Default(\.stars, "4")
        Index(\.name, name: "names")
      }
    }
  }

  private func fill(_ store: Store, _ names: String...) async throws {
    try await Repository<V1.Person>(store).insert(
      contentsOf: names.map { V1.Person(name: $0, town: "Oslo") }
    )
  }

  @Test(
    "What only adds is added, by preparing or by the first write",
    arguments: EveryBackend.schemes
  )
  func additions(_ scheme: String) async throws {
    for isPrepared in [true, false] {
      try await EveryBackend.withFolder(scheme) { open in
        var store = try open()
        try await fill(store, "ada", "bob")
        if isPrepared {
          let rehearsal = try await store.prepare(V2.Person.self, isRehearsal: true)
          #expect(rehearsal.isRehearsal)
          let report = try await store.prepare(V2.Person.self)
          #expect(report.additions == rehearsal.additions)
          #expect(
            report.additions == [
              "person: set the default of town", "person: add field nick text, optional",
              "person: add field stars integer", "person: add field team integer, optional",
              "person: add index town_name (town, name)", "person: add unique index names (name)",
              "person: add index team (team)", "person: add reference team to team",
              "create collection team",
            ]
          )
          #expect(report.description.hasPrefix("person: set the default of town\n"))
          #expect(try await store.prepare(V2.Person.self, V2.Team.self).isEmpty)
        }
        let people = Repository<V2.Person>(store)
        let eve = try await people.insert(V2.Person(name: "eve", stars: 5))
        if store.capabilities.isPersistent {
          try store.close()
          store = try open()
        }
        let found = try await Repository<V2.Person>(store).fetch()
        #expect(
          found == [
            V2.Person(id: 1, name: "ada", stars: 3, town: "Oslo"),
            V2.Person(id: 2, name: "bob", stars: 3, town: "Oslo"), eve,
          ]
        )
        let same = await storageError {
          try await Repository<V2.Person>(store).insert(V2.Person(name: "bob", stars: 1))
        }
        #expect(same?.code == .uniqueViolation)
        let team = await storageError {
          try await Repository<V2.Person>(store).insert(V2.Person(name: "x", stars: 1, team: 4))
        }
        #expect(team?.code == .referenceViolation)
        #expect(try await store.verify().filter(\.isFault).map(\.message) == [])
        try store.close()
      }
    }
  }

  @Test("Reading fills in defaults before anything is added", arguments: EveryBackend.schemes)
  func readingBefore(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "ada")
      let people = Repository<V2.Person>(store)
      let ada = V2.Person(id: 1, name: "ada", stars: 3, town: "Oslo")
      #expect(try await people.get(1) == ada)
      #expect(try await people.fetch() == [ada])
      // Another model of the same records, in the same transaction.
      try await store.read { transaction in
        #expect(try people.get(1, in: transaction) == ada)
        let old = try Repository<V1.Person>(store).get(1, in: transaction)
        #expect(old == V1.Person(id: 1, name: "ada", town: "Oslo"))
        #expect(try people.fetch(in: transaction) == [ada])
      }
      try await people.update(ada)
      #expect(try await people.fetch() == [ada])
    }
  }

  @Test("Queries find the same before and after fields are added", arguments: EveryBackend.schemes)
  func queriesBefore(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "bob", "ada")
      let people = Repository<V2.Person>(store)
      let conditions: [Condition<V2.Person>] = [
        \.nick == nil, \.nick != nil, \.nick == "x", \.nick != "x", \.stars == 3, \.stars > 3,
        !(\.stars < 3) && \.name == "ada", \.stars == 4 || \.name == "bob", [3, 4] ~= \.stars,
        \.team == 1,
      ]
      let order: [SortKey<V2.Person>] = [.descending(\.stars), .ascending(\.name)]
      func answers() async throws -> [[[V2.Person]]] {
        var answers: [[[V2.Person]]] = []
        for condition in conditions {
          let selection = try people.where(condition).sorted(by: .ascending(\.nick))
          let found = try await people.fetch(where: condition, sort: order)
          #expect(try await people.count(where: condition) == found.count)
          #expect(try await selection.exists() == !found.isEmpty)
          #expect(try await selection.figure(.count) == found.count)
          #expect(try await selection.values(\.nick) == found.map(\.nick))
          #expect(try await selection.values(\.stars) == found.map(\.stars))
          var streamed: [V2.Person] = []
          for try await person in selection.stream() { streamed.append(person) }
          let page = try await people.page(where: condition, sort: order, limit: 2)
          answers.append([found, streamed, page.elements, try await selection.fetch()])
        }
        return answers
      }
      let before = try await answers()
      #expect(before.map { $0[0].count } == [2, 0, 0, 2, 2, 0, 1, 1, 2, 0])
      for (condition, found) in zip(conditions, before) {
        #expect(try found[0].allSatisfy { try condition.evaluate($0) })
      }
      let plan = try await people.where(\.stars == 3 && \.name == "ada").explain()
      #expect(plan.description.contains("name"))
      #expect(!plan.description.contains("stars"))
      // A figure over values that no record has yet asks for them to be added.
      let figure = await storageError { _ = try await people.all.figure(.sum(\.stars)) }
      #expect(figure?.code == .unknownField)
      #expect(figure?.message.contains("prepare") == true)
      #expect(try await people.delete(where: \.stars == 4) == 0)

      #expect(try await people.update(where: \.stars == 3, set: .value(\.nick, nil)) == 2)
      #expect(try await answers() == before)
      #expect(try await people.all.figure(.sum(\.stars)) == 6)
      #expect(try await people.increment(\.stars, of: 1) == 4)
      #expect(try await people.delete(where: \.stars == 4) == 1)
    }
  }

  @Test(
    "The step for an index that a reference needs drops the reference meanwhile",
    arguments: EveryBackend.schemes
  )
  func indexOfReference(_ scheme: String) async throws {
    struct Team: Model {
      var id: Int64?
      var name: String
    }
    enum Old {
      struct Player: Model {
        var id: Int64?
        var team: Int64
        var name: String
        static let schema = Schema<Player>("player", key: \.id) {
          Index(\.team, name: "by_team")
          Reference(\.team, to: Team.self, onDelete: .cascade)
        }
      }
    }
    struct Player: Model {
      var id: Int64?
      var team: Int64
      var name: String
      static let schema = Schema<Player>("player", key: \.id) {
        Unique(\.team, \.name, name: "by_team")
        Reference(\.team, to: Team.self, onDelete: .cascade)
      }
    }
    try await EveryBackend.withStore(scheme) { store in
      let team = try await Repository<Team>(store).insert(Team(name: "red"))
      let id = try #require(team.id)
      try await Repository<Old.Player>(store).insert(Old.Player(team: id, name: "ada"))
      let error = await storageError { try await store.prepare(Player.self) }
      #expect(error?.code == .schemaMismatch)
      let step = [
        #".dropReference(["team"]), .dropIndex("by_team"), "#,
        #".addIndex(IndexDefinition(["team", "name"], unique: true, name: "by_team")), "#,
        #".addReference(ReferenceDefinition(["team"], to: "team", onDelete: .cascade))"#,
      ].joined()
      #expect(error?.message.contains(step) == true, "\(error?.message ?? "")")
      let migration = Migration("as the error says") { transaction in
        try transaction.alterCollection(
          "player",
          .dropReference(["team"]),
          .dropIndex("by_team"),
          .addIndex(IndexDefinition(["team", "name"], unique: true, name: "by_team")),
          .addReference(ReferenceDefinition(["team"], to: "team", onDelete: .cascade))
        )
      }
      try await store.prepare(Player.self, migrations: [migration])
      #expect(try await store.prepare(Player.self, migrations: [migration]).isEmpty)
      #expect(try await Repository<Team>(store).delete(id))
      #expect(try await Repository<Player>(store).count() == 0)
    }
  }

  @Test("A field that may have been renamed is not taken for an absent one")
  func renamedField() async throws {
    struct Person: Model {
      var id: Int64?
      var name: String
      var city: String?
      static let schema = Schema<Person>("person", key: \.id)
    }
    try await EveryBackend.withStore("memory") { store in
      try await fill(store, "ada")
      let error = await storageError {
        _ = try await Repository<Person>(store).fetch(where: \.city == "Oslo")
      }
      #expect(error?.code == .unknownField)
    }
  }

  @Test(
    "What records do not allow is refused, and nothing is done",
    arguments: EveryBackend.schemes
  )
  func refusals(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "ada", "bob", "ada")
      let error = await storageError { try await store.prepare(V2.Person.self) }
      #expect(error?.code == .uniqueViolation)
      #expect(error?.message.contains("names") == true)
      #expect(error?.keys == [1, 3])
      let rehearsed = await storageError {
        try await store.prepare(V2.Person.self, isRehearsal: true)
      }
      #expect(rehearsed?.code == .uniqueViolation)
      let fields = try await store.read { try $0.collection("person").fields.map(\.name) }
      #expect(fields == ["id", "name", "town"])
    }
  }

  @Test("Everything else is an error that shows the step", arguments: EveryBackend.schemes)
  func mismatch(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "ada")
      try await store.prepare(V2.Person.self)
      try await store.write { try $0.alterCollection("person", .dropReference(["team"])) }
      let step = [
        #"Migration("change person") { try $0.alterCollection("person", .dropIndex("town_name")"#,
        #".dropIndex("names")"#, #".dropIndex("team")"#, #".setDefault("stars", nil)"#,
        #".changeType("stars", to: .text)"#, #".setOptional("name", true)"#,
        #".setDefault("stars", .text("4"))"#, #".dropField("town")"#, #".dropField("nick")"#,
        #".dropField("team")"#, #".addField(FieldDefinition("city", .text, optional: true))"#,
        #".addIndex(IndexDefinition(["name"], name: "names"))) }"#,
      ].joined(separator: ", ")
      for attempt in 0..<2 {
        let error = await storageError {
          if attempt == 0 { try await store.prepare(V3.Person.self) }
          if attempt == 1 { try await Repository<V3.Person>(store).insert(V3.Person(stars: "")) }
        }
        #expect(error?.code == .schemaMismatch)
        let message = error?.message ?? ""
        #expect(message.contains("collection person is not as Person declares it"))
        #expect(message.contains(step), "\(message)")
      }
      // A field that is alone in being gone, where one is new, was renamed.
      try await store.write { transaction in
        try transaction.alterCollection(
          "person",
          .dropIndex("town_name"),
          .dropIndex("names"),
          .dropIndex("team"),
          .dropField("nick"),
          .dropField("team"),
          .setDefault("stars", nil),
          .changeType("stars", to: .text),
          .setOptional("name", true),
          .setDefault("town", nil)
        )
      }
      let renamed = await storageError { try await store.prepare(V3.Person.self) }
      #expect(renamed?.message.contains(#".renameField("town", to: "city")"#) == true)
      let report = try await store.prepare(
        V3.Person.self,
        migrations: [
          Migration("the town is a city") {
            try $0.alterCollection("person", .renameField("town", to: "city"))
          }
        ]
      )
      #expect(report.steps.map(\.name) == ["the town is a city"])
      #expect(report.steps.map(\.changes) == [["person: rename field town to city"]])
      #expect(report.steps.map(\.collections) == [["person"]])
      #expect(
        report.additions == [
          "person: set the default of stars", "person: add index names (name)",
        ]
      )
      let people = try await Repository<V3.Person>(store).fetch()
      #expect(people == [V3.Person(id: 1, name: "ada", city: "Oslo", stars: "3")])
    }
  }

  struct Rated: Model {
    var id: Int64?
    var name: String
    var town: String?
    var rank: Int
    static let schema = Schema<Rated>("person", key: \.id)
  }
  struct Keyed: Model {
    var id: UUID
    var name: String
    var town: String?
    static let schema = Schema<Keyed>("person", key: \.id)
  }

  @Test("A required field and another key ask for a step too", arguments: EveryBackend.schemes)
  func required(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "ada")
      let rated = await storageError { try await store.prepare(Rated.self) }
      #expect(rated?.code == .schemaMismatch)
      #expect(
        rated?.message.contains(
          #".addField(FieldDefinition("rank", .integer, default: …)), .setDefault("rank", nil))"#
        ) == true
      )
      let keyed = await storageError { try await store.prepare(Keyed.self) }
      #expect(keyed?.code == .schemaMismatch)
      #expect(keyed?.message.contains("convert(OldKeyed.self, to: Keyed.self)") == true)
      try await store.prepare(
        Rated.self,
        migrations: [
          Migration("ranks") {
            try $0.alterCollection(
              "person",
              .addField(FieldDefinition("rank", .integer, default: 1)),
              .setDefault("rank", nil)
            )
          }
        ]
      )
      #expect(try await Repository<Rated>(store).fetch().map(\.rank) == [1])
    }
  }

  @Test(
    "A new store is made as the models are, and steps are noted",
    arguments: EveryBackend.schemes
  )
  func newStore(_ scheme: String) async throws {
    try await EveryBackend.withFolder(scheme) { open in
      let store = try open()
      let steps = [
        Migration("one") { try $0.alterCollection("person", .renameField("nothing", to: "x")) }
      ]
      let report = try await store.prepare(V2.Person.self, migrations: steps)
      #expect(report.steps.map(\.isSkipped) == [true])
      #expect(report.additions == ["create collection person", "create collection team"])
      #expect(try await store.read { try $0.catalog.migrations } == ["one"])
      #expect(try await store.prepare(V2.Person.self, migrations: steps).isEmpty)
      // An edited history is found.
      let other = [Migration("uno") { _ in }]
      let edited = await storageError { try await store.prepare(V2.Person.self, migrations: other) }
      #expect(edited?.code == .migrationMismatch)
      let gone = await storageError { try await store.prepare(V2.Person.self) }
      #expect(gone?.code == .newerSchema)
      try store.close()
    }
  }

  @Test(
    "Steps run in order, with progress; a failing one undoes all",
    arguments: EveryBackend.schemes
  )
  func steps(_ scheme: String) async throws {
    struct Stop: Error {}
    try await EveryBackend.withStore(scheme) { store in
      try await fill(store, "ada", "bob")
      let seen = Names()
      let first = Migration("shout") { transaction in
        for record in try transaction.fetch(Query("person")) {
          guard case .text(let name)? = record["name"] else { continue }
          try transaction.update(record.key, set: ["name": .text(name.uppercased())], in: "person")
        }
      }
      let failing = Migration("fail") { _ in throw Stop() }
      await #expect(throws: Stop.self) {
        try await store.prepare(V1.Person.self, migrations: [first, failing]) { seen.add($0.name) }
      }
      #expect(seen.all == ["shout", "fail"])
      #expect(try await Repository<V1.Person>(store).fetch().map(\.name) == ["ada", "bob"])
      let rehearsal = try await store.prepare(
        V1.Person.self,
        migrations: [first],
        isRehearsal: true
      )
      #expect(rehearsal.steps.map(\.collections) == [["person"]])
      #expect(rehearsal.description == "migration shout\n  changes person")
      #expect(try await Repository<V1.Person>(store).fetch().map(\.name) == ["ada", "bob"])
      #expect(try await store.read { try $0.catalog.migrations } == [])
      try await store.prepare(V1.Person.self, migrations: [first])
      #expect(try await Repository<V1.Person>(store).fetch().map(\.name) == ["ADA", "BOB"])
    }
  }
}

/// Names that tasks collect.
final class Names: Sendable {
  private let names = Mutex<[String]>([])
  var all: [String] { names.withLock { $0 } }
  func add(_ name: String) { names.withLock { $0.append(name) } }
}
