import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// All that a store holds, to compare stores of any kind.
struct StoreContent: Equatable {
  struct Collection: Equatable {
    var id: Int
    var definition: CollectionDefinition
    var rows: [[Value]]
    var indexes: [[[Value]]]
    var counter: Int64
  }

  var collections: [String: Collection] = [:]
  var migrations: [String]
  var schemaVersion: Int64
  var nextID: Int

  init(_ storage: some Storage) throws {
    let reader = try storage.beginReading(timeout: .seconds(1))
    defer { reader.end() }
    migrations = reader.catalog.migrations
    schemaVersion = reader.catalog.schemaVersion
    nextID = reader.catalog.nextID
    for collection in reader.catalog.collections {
      collections[collection.name] = Collection(
        id: collection.id,
        definition: collection.definition,
        rows: try Self.rows(reader, Scan(collection)),
        indexes: try collection.indexes.indices.map {
          try Self.rows(reader, Scan(collection, index: $0))
        },
        counter: try reader.lastAutomaticKey(of: collection)
      )
    }
  }

  private static func rows(_ reader: some StorageReader, _ scan: Scan) throws -> [[Value]] {
    let cursor = try reader.scan(scan)
    defer { cursor.close() }
    var rows: [[Value]] = []
    while let row = try cursor.next() { rows.append(try row.values()) }
    return rows
  }
}

extension StorageWriter {
  func collection(_ name: String) throws -> Collection {
    try #require(catalog.collection(named: name))
  }

  func put(_ values: [Value], _ name: String) throws {
    let row = RowBuffer(count: values.count)
    for (position, value) in values.enumerated() { row.set(position, value) }
    _ = try put(row.view, in: try collection(name))
  }

  func delete(_ key: Value, _ name: String) throws {
    let row = RowBuffer(count: 1)
    row.set(0, key)
    _ = try delete(row.view, from: try collection(name))
  }

  func rename(_ name: String, to other: String) throws {
    let collection = try collection(name)
    var definition = collection.definition
    definition.name = other
    _ = try redefine(collection, as: definition, rows: nil)
  }

  func redefine(
    _ name: String,
    rows sources: [RowChange.Source]?,
    _ change: (inout CollectionDefinition) -> Void
  ) throws {
    let collection = try collection(name)
    var definition = collection.definition
    change(&definition)
    let rows = sources.map { RowChange($0, to: definition) }
    _ = try redefine(collection, as: definition, rows: rows)
  }
}

/// A history of commits that change what collections there are, and what they are.
struct SchemaHistory {
  typealias Commit = @Sendable (any StorageWriter) throws -> Void

  static let pets = CollectionDefinition(
    "pets",
    fields: [FieldDefinition("name", .text), FieldDefinition("weight", .real, optional: true)],
    key: ["name"],
    indexes: [IndexDefinition(["weight"])]
  )

  /// What is there before the history begins, in files.
  static let beginning: Commit = { writer in
    _ = try writer.createCollection(people)
    _ = try writer.createCollection(pets)
    for (name, age) in [("a", 1), ("b", 2), ("c", 30)] as [(String, Int64)] {
      try writer.put([.null, .text(name), .integer(age)], "people")
    }
    try writer.put(["rex", 2.5], "pets")
    try writer.put(["ida", .null], "pets")
  }

  /// The commits, in stretches that each end with a checkpoint.
  static let stretches: [[Commit]] = [
    [
      { writer in
        try writer.put([.null, "d", 4], "people")
        // Another type, another name, another field with a value.
        try writer.redefine(
          "people",
          rows: [.field(0), .field(1), .converted(2, .integer), .value(.real(-0.5))]
        ) { definition in
          definition.fields[1].name = "label"
          definition.fields[2].type = .text
          definition.fields.append(FieldDefinition("score", .real, default: .real(.infinity)))
          definition.indexes = [
            IndexDefinition(["label"], unique: true), IndexDefinition(["age", "score"]),
          ]
        }
        try writer.put([.null, "e", "five", .real(-.infinity)], "people")
        try writer.delete(2, "people")
      },
      { writer in
        try writer.rename("people", to: "persons")
        try writer.setMigrations(["one"])
        try writer.put([3, "C", .null, 1.0], "persons")
      },
      { writer in
        try writer.dropCollection(try writer.collection("pets"))
        var definition = pets
        definition.fields = [FieldDefinition("name", .text), FieldDefinition("legs", .integer)]
        definition.indexes = []
        definition.references = [ReferenceDefinition(["legs"], to: "persons", onDelete: .cascade)]
        _ = try writer.createCollection(definition.completed())
        try writer.put(["bird", 1], "pets")
      },
    ],
    [
      { writer in
        try writer.rename("persons", to: "folk")
        _ = try writer.createCollection(people)
        try writer.put([.null, "new", .null], "people")
      },
      { writer in
        // Two collections change names.
        try writer.rename("pets", to: "between")
        try writer.rename("folk", to: "pets")
        try writer.rename("between", to: "folk")
        try writer.put(["fish", 3], "folk")
      },
      { writer in
        // The largest keys are given out and not used any more.
        try writer.put([.null, "gone", .null, 0.0], "pets")
        try writer.put([9, "gone too", .null, 0.0], "pets")
        try writer.delete(9, "pets")
        try writer.put([4, "D", .null, 0.0], "pets")
        try writer.setLastAutomaticKey(100, of: try writer.collection("people"))
        try writer.setMigrations(["one", "two"])
      },
      { writer in
        try writer.beginSavepoint()
        try writer.dropCollection(try writer.collection("pets"))
        try writer.rename("people", to: "Pets")
        try writer.setMigrations([])
        try writer.rollbackSavepoint()
        try writer.dropCollection(try writer.collection("folk"))
        _ = try writer.createCollection(
          CollectionDefinition("Folk", fields: [FieldDefinition("id", .integer)], key: ["id"])
        )
      },
    ],
    [
      { writer in
        try writer.redefine("pets", rows: nil) { definition in
          definition.indexes = [IndexDefinition(["score", "label"], unique: true)]
          definition.fields[3].name = "points"
          definition.indexes[0].fields[0] = "points"
        }
        try writer.put([.null, "last", "x", 8.0], "pets")
      },
      { writer in
        _ = try writer.deleteAll(in: try writer.collection("people"))
        try writer.rename("people", to: "PEOPLE")
        try writer.dropCollection(try writer.collection("Folk"))
      },
    ],
  ]

  /// What a store holds after each number of commits, found out in memory.
  static func states() throws -> [StoreContent] {
    let memory = try KeyValueStorage(MemoryEngine())
    func run(_ commit: Commit) throws -> StoreContent {
      let writer = try memory.beginWriting(timeout: .seconds(1))
      defer { writer.end() }
      try commit(writer)
      try writer.commit()
      return try StoreContent(memory)
    }
    return try ([beginning] + stretches.joined()).map(run)
  }

  static func commit(_ storage: ArchiveStorage, _ body: Commit) throws {
    let writer = try storage.beginWriting(timeout: .seconds(1))
    defer { writer.end() }
    try body(writer)
    try writer.commit()
  }

  static func prepare(_ fixture: ArchiveFixture, _ format: ArchiveFormat) throws {
    let storage = try fixture.storage(format)
    try commit(storage, beginning)
    try storage.close()
  }

  /// Runs the history in files that may fail.
  static func run(
    _ fixture: ArchiveFixture,
    _ format: ArchiveFormat,
    _ files: ControlledFiles,
    stretches: some Sequence<[Commit]> = Self.stretches,
    acknowledge: () -> Void
  ) throws {
    for stretch in stretches {
      let storage = try fixture.storage(format, files: files) { $0.durability = .full }
      for body in stretch {
        try commit(storage, body)
        acknowledge()
      }
      try storage.close()
    }
  }
}

extension ArchiveFixture {
  func storage(
    _ format: ArchiveFormat = .json,
    files: (any FileOperations)? = nil,
    minimumJournal: Int = 1 << 20,
    _ change: (inout StorageOptions) -> Void = { _ in }
  ) throws -> ArchiveStorage {
    var options = StorageOptions()
    options.durability = .normal
    options.timeout = .milliseconds(500)
    change(&options)
    return try ArchiveStorage.open(
      path: path,
      format: format,
      options: options,
      files: files ?? SystemFiles(),
      minimumJournal: minimumJournal
    )
  }

  /// What the store holds, seen by one that only reads.
  func content(_ format: ArchiveFormat = .json) throws -> StoreContent {
    let storage = try storage(format) { $0.isReadOnly = true }
    let content = try StoreContent(storage)
    try storage.close()
    return content
  }

  /// The names of all files.
  func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }
}
