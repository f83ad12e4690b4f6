import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct RandomRedefinitionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `random changes leave the same records as on the memory backend`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let sqlite = try folder.open()
    let memory = Store(try KeyValueStorage(MemoryEngine()))
    let definition = CollectionDefinition(
      "row",
      fields: [
        FieldDefinition("id", .integer), FieldDefinition("a", .text, optional: true),
        FieldDefinition("b", .integer, optional: true), FieldDefinition("c", .real, optional: true),
      ],
      key: ["id"],
      automaticKey: true,
      references: [ReferenceDefinition(["b"], to: "row", onDelete: .setNull)]
    )
    for store in [sqlite, memory] {
      try store.write { transaction in
        try transaction.createCollection(definition)
        for number in 1...20 {
          try transaction.insert(
            [
              "a": number % 4 == 0 ? .null : .text("\(number)"), "b": number % 3 == 0 ? 1 : .null,
              "c": .real(Double(number % 5)),
            ],
            into: "row"
          )
        }
      }
    }
    let names = ["id", "a", "b", "c", "A", "e\"", "rowid", "e\u{301}"]
    func name() -> String { names.randomElement(using: &random) ?? "a" }
    func change() -> SchemaChange {
      let optional = Bool.random(using: &random)
      let type = [FieldType.integer, .real, .text, .any, .json].randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return .addField(FieldDefinition(name(), type ?? .text, optional: true))
      case 1:
        return .addField(FieldDefinition(name(), .integer, optional: optional, default: 7))
      case 2: return .dropField(name())
      case 3, 4: return .renameField(name(), to: name())
      case 5: return .setOptional(name(), optional)
      case 6: return .changeType(name(), to: type ?? .text)
      case 7: return .addIndex(IndexDefinition([name(), name()], unique: optional, name: name()))
      case 8: return .dropIndex(name())
      default:
        return optional
          ? .addReference(ReferenceDefinition([name()], to: "row", onDelete: .restrict))
          : .dropReference([name()])
      }
    }
    var done = 0
    for step in 0..<400 {
      let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in change() }
      let outcomes = try [sqlite, memory].map { store in
        try store.write { transaction in
          do {
            try transaction.alterCollection("row", changes)
          } catch let error as StorageError {
            return error.code.rawValue
          }
          let inserted = Result { try transaction.insert(["a": .null], into: "row") }
          if case .success(let key) = inserted { try transaction.delete(key, from: "row") }
          return "done"
        }
      }
      // Of several faults in several changes either may be the one that is named.
      let areAlike =
        outcomes[0] == outcomes[1] || (changes.count > 1 && !outcomes.contains("done"))
      #expect(areAlike, "seed \(seed), step \(step): \(changes) \(outcomes)")
      if outcomes[0] == "done" { done += 1 }
      let found = try [sqlite, memory].map { store in
        try store.read { transaction in
          let collection = try transaction.collection("row")
          return (collection.definition, try transaction.fetch(Query("row")).map(\.values))
        }
      }
      #expect(found[0].0 == found[1].0, "seed \(seed), step \(step): \(changes)")
      #expect(found[0].1 == found[1].1, "seed \(seed), step \(step): \(changes)")
      if !areAlike || found[0].1 != found[1].1 { break }
    }
    #expect(done > 10, "seed \(seed)")
    let wanted = try sqlite.read { try $0.collection("row").definition.references.count }
    try sqlite.close()
    try memory.close()
    let declared = try runSQL(folder.path(), "SELECT * FROM pragma_foreign_key_list('row')")
    #expect(declared.count == wanted, "seed \(seed)")
    let storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    #expect(try storage.verify(timeout: .zero).filter(\.isFault) == [], "seed \(seed)")
    try storage.close()
  }
}
