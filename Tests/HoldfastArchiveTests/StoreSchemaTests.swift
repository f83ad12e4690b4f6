import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// Changes of the schema as applications make them.
@Suite struct StoreSchemaTests {
  @Test(
    "References, renamed collections and altered fields survive reopening and reach other stores",
    arguments: ArchiveFormat.allCases
  )
  func changes(_ format: ArchiveFormat) throws {
    let fixture = try ArchiveFixture()
    let store = try fixture.open(format)
    let other = try fixture.open(format)
    try store.write { transaction in
      try transaction.createCollection(people)
      try transaction.createCollection(
        CollectionDefinition(
          "status",
          fields: [FieldDefinition("id", .integer), FieldDefinition("user", .integer)],
          key: ["id"],
          references: [ReferenceDefinition(["user"], to: "people", onDelete: .cascade)]
        )
      )
      for (id, name) in [(1, "a"), (2, "b")] as [(Int64, Value)] {
        try transaction.insert(["id": .integer(id), "name": name], into: "people")
        try transaction.insert(["id": .integer(id * 10), "user": .integer(id)], into: "status")
      }
    }
    #expect(try other.read { try $0.count("status") } == 2)
    try store.write { transaction in
      try transaction.renameCollection("people", to: "user")
      try transaction.alterCollection(
        "user",
        .renameField("name", to: "label"),
        .addField(FieldDefinition("city", .text, default: "here"))
      )
      // A change that fails leaves no line in the journal.
      let failed = code { try transaction.alterCollection("user", .dropField("id")) }
      #expect(failed != nil)
    }
    // The one that only read before follows, and writes on.
    try other.write { transaction in
      #expect(try transaction.delete(1, from: "user"))
      try transaction.insert(["label": "c"], into: "user")
    }
    func check(_ store: Store, _ place: String) throws {
      try store.read { transaction in
        let users = try transaction.fetch(Query("user"))
        #expect(users.map { $0["label"] } == ["b", "c"], "\(place)")
        #expect(users.allSatisfy { $0["city"] == "here" }, "\(place)")
        #expect(try transaction.fetch(Query("status")).map { $0["id"] } == [20], "\(place)")
        let status = try transaction.collection("status")
        #expect(status.references.map(\.definition.target) == ["user"], "\(place)")
      }
    }
    try check(store, "the first store")
    try store.close()
    try check(other, "the second store")
    try other.close()
    let ending = format == .json ? "json" : "plist"
    #expect(try fixture.names().isSuperset(of: ["user.\(ending)", "status.\(ending)"]))
    #expect(try !fixture.names().contains("people.\(ending)"))
    try fixture.with(format) { store in
      try check(store, "the reopened store")
      try store.write { transaction in
        try transaction.dropCollection("status")
        try transaction.dropCollection("user")
      }
    }
    #expect(try fixture.names() == ["catalog.json", "journal.jsonl", "lock"])
  }
}
