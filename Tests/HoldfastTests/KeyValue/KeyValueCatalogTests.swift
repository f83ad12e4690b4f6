import Testing

@testable import Holdfast

/// Creating and finding stores, savepoints over the schema, automatic keys, damage.
struct KeyValueCatalogTests {
  private static let items = CollectionDefinition(
    "items",
    fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text)],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["name"])]
  )

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StorageError)?.code }
  }

  /// An engine that stays when a store over it closes.
  private static func lasting() -> MemoryEngine {
    let name = "lasting \(UInt64.random(in: 0...UInt64.max))"
    defer { MemoryEngine.destroy(name: name) }
    return MemoryEngine.shared(name: name)
  }

  private func named(_ name: String) -> MemoryEngine {
    MemoryEngine.shared(name: name)
  }

  @Test func `a shared engine keeps the store until it is destroyed`() throws {
    let name = "kept \(UInt64.random(in: 0...UInt64.max))"
    let first = Store(try KeyValueStorage(named(name)))
    #expect(first.wasCreated)
    try first.write { transaction in
      try transaction.createCollection(Self.items)
      _ = try transaction.insert(["name": "a"], into: "items")
    }
    try first.close()
    let second = Store(try KeyValueStorage(named(name)))
    #expect(!second.wasCreated)
    #expect(try second.read { try $0.count("items") } == 1)
    #expect(try second.write { try $0.insert(["name": "b"], into: "items") } == 2)
    try second.close()
    #expect(MemoryEngine.destroy(name: name))
    #expect(!MemoryEngine.destroy(name: name))
    let third = Store(try KeyValueStorage(named(name)))
    #expect(third.wasCreated)
    MemoryEngine.destroy(name: name)
  }

  @Test func `nothing is created where it may not be`() throws {
    var options = StorageOptions()
    options.isReadOnly = true
    #expect(code { _ = try KeyValueStorage(MemoryEngine(), options: options) } == .cannotOpen)
    options.isReadOnly = false
    options.createsIfMissing = false
    #expect(code { _ = try KeyValueStorage(MemoryEngine(), options: options) } == .cannotOpen)
  }

  @Test func `a second storage over the same engine follows schema changes of the first`() throws {
    let engine = Self.lasting()
    let first = try KeyValueStorage(engine)
    let second = try KeyValueStorage(engine)
    #expect(first.wasCreated && !second.wasCreated)
    let old = try second.beginReading(timeout: .seconds(5))
    let (one, two) = (Store(first), Store(second))
    try one.write { transaction in
      try transaction.createCollection(Self.items)
      _ = try transaction.insert(["name": "a"], into: "items")
    }
    #expect(old.catalog.collections.isEmpty)
    old.end()
    try two.write { transaction in
      #expect(try transaction.insert(["name": "b"], into: "items") == 2)
      var other = Self.items
      other.name = "more"
      try transaction.createCollection(other)
    }
    try one.read { transaction in
      let names = try transaction.catalog.collections.map(\.name)
      #expect(names == ["items", "more"])
      #expect(try transaction.count("items") == 2)
      #expect(try transaction.count("more") == 0)
    }
  }

  @Test func `collections come back in the order of their creation`() throws {
    let engine = Self.lasting()
    let names = (0..<12).map { "collection \($0)" }
    try Store(try KeyValueStorage(engine)).write { transaction in
      for name in names {
        var definition = Self.items
        definition.name = name
        try transaction.createCollection(definition)
      }
    }
    let again = try KeyValueStorage(engine).beginReading(timeout: .seconds(5))
    #expect(again.catalog.collections.map(\.name) == names)
    again.end()
  }

  @Test func `a savepoint's rollback takes its collections and automatic keys back`() throws {
    struct Undo: Error {}
    let engine = Self.lasting()
    let store = Store(try KeyValueStorage(engine))
    try store.write { transaction in
      try transaction.createCollection(Self.items)
      #expect(try transaction.insert(["name": "a"], into: "items") == 1)
      #expect(throws: Undo.self) {
        try transaction.savepoint {
          var inner = Self.items
          inner.name = "inner"
          try transaction.createCollection(inner)
          _ = try transaction.insert(["name": "x"], into: "inner")
          #expect(try transaction.insert(["name": "b"], into: "items") == 2)
          throw Undo()
        }
      }
      #expect(code { _ = try transaction.count("inner") } == .unknownCollection)
      var other = Self.items
      other.name = "inner"
      other.fields.append(FieldDefinition("more", .real, optional: true))
      other.indexes = []
      try transaction.createCollection(other)
      #expect(try transaction.insert(["name": "y", "more": 1.5], into: "inner") == 1)
      try transaction.savepoint {
        let key = try transaction.insert(["name": "c"], into: "items")
        #expect(key == 2)
      }
      #expect(try transaction.insert(["name": "d"], into: "items") == 3)
    }
    let again = Store(try KeyValueStorage(engine))
    try again.write { transaction in
      let inner = try transaction.fetch(Query("inner"))
      #expect(inner.map(\.values) == [[1, "y", 1.5]])
      #expect(try transaction.insert(["name": "e"], into: "items") == 4)
    }
  }

  @Test func `automatic keys rise over given ones and end at the largest integer`() throws {
    let engine = Self.lasting()
    let store = Store(try KeyValueStorage(engine))
    try store.write { transaction in
      try transaction.createCollection(Self.items)
      _ = try transaction.put(["id": 10, "name": "a"], in: "items")
      _ = try transaction.insert(["id": -3, "name": "b"], into: "items")
      #expect(try transaction.insert(["name": "c"], into: "items") == 11)
      #expect(try transaction.delete(11, from: "items"))
    }
    try? store.write { transaction in
      _ = try transaction.insert(["name": "rolled back"], into: "items")
      throw CancellationError()
    }
    try Store(try KeyValueStorage(engine)).write { transaction in
      let key = try transaction.insert(["name": "d"], into: "items")
      #expect(key == 12)
      #expect(try transaction.put(["name": "e"], in: "items") == 13)
      _ = try transaction.insert(["id": .integer(.max), "name": "f"], into: "items")
      #expect(code { _ = try transaction.insert(["name": "g"], into: "items") } == .overflow)
      #expect(try transaction.count("items") == 5)
    }
  }

  @Test func `a store of a newer format is refused before anything else is read`() throws {
    let engine = Self.lasting()
    _ = try KeyValueStorage(engine)
    try edit(engine, "catalog") { writer, table in
      try put(writer, table, "format", [0x02])
      try put(writer, table, "store", [0xFF])
      try put(writer, table, "collection/1", [0xFF])
    }
    #expect(code { _ = try KeyValueStorage(engine) } == .newerFormat)
  }

  @Test(arguments: ["format", "store", "version", "next", "collection/1", "sequence"])
  func `a damaged catalog is reported`(key: String) throws {
    let engine = Self.lasting()
    let store = Store(try KeyValueStorage(engine))
    try store.write { transaction in
      try transaction.createCollection(Self.items)
      _ = try transaction.insert(["name": "a"], into: "items")
    }
    if key == "sequence" {
      try edit(engine, "sequence") { writer, table in
        try KeyCodingTests.encode([1]).withUnsafeBytes { key in
          try [UInt8]([0x61, 0x61]).withUnsafeBytes { try writer.put(key, $0, in: table) }
        }
      }
      #expect(
        code { try store.write { _ = try $0.insert(["name": "b"], into: "items") } } == .corrupt
      )
      return
    }
    try edit(engine, "catalog") { try put($0, $1, key, [0xFF, 0x00]) }
    #expect(code { _ = try KeyValueStorage(engine) } == .corrupt)
  }

  @Test func `damaged rows and indexes are reported, naming the collection and the index`() throws {
    let engine = Self.lasting()
    let store = Store(try KeyValueStorage(engine))
    try store.write { transaction in
      try transaction.createCollection(Self.items)
      for name in ["a", "b"] { _ = try transaction.insert(["name": .text(name)], into: "items") }
    }
    try edit(engine, "c1") { writer, table in
      try KeyCodingTests.encode([1]).withUnsafeBytes { key in
        let wasThere = try writer.delete(key, in: table)
        #expect(wasThere)
      }
      try KeyCodingTests.encode([2]).withUnsafeBytes { key in
        try [UInt8]([0x82, 0x02]).withUnsafeBytes { try writer.put(key, $0, in: table) }
      }
    }
    func failure(_ query: Query) -> StorageError? {
      do {
        _ = try store.read { try $0.fetch(query) }
        return nil
      } catch { return error as? StorageError }
    }
    let missing = failure(Query("items", where: .equal("name", "a")))
    #expect(missing?.code == .corrupt && missing?.message.contains("index name of items") == true)
    let damaged = failure(Query("items"))
    #expect(damaged?.code == .corrupt && damaged?.message.contains("items") == true)
  }

  @Test func `handles and cursors refuse to be used after their end`() throws {
    let storage = try KeyValueStorage(MemoryEngine())
    let writer = try storage.beginWriting(timeout: .seconds(5))
    let items = try writer.createCollection(Self.items)
    let row = RowBuffer(count: 2)
    row.set(1, "a")
    _ = try writer.insert(row.view, into: items)
    let cursor = try writer.scan(Scan(items))
    #expect(try cursor.next() != nil)
    _ = try writer.insert(row.view, into: items)
    #expect(code { _ = try cursor.next() } == .transactionClosed)
    let open = try writer.scan(Scan(items, index: 0))
    try writer.commit()
    writer.end()
    cursor.close()
    #expect(code { _ = try open.next() } == .transactionClosed)
    #expect(code { _ = try writer.insert(row.view, into: items) } == .transactionClosed)
    #expect(code { _ = try writer.scan(Scan(items)) } == .transactionClosed)
    #expect(code { try writer.commit() } == .transactionClosed)
    #expect(code { try writer.beginSavepoint() } == .transactionClosed)
    let reader = try storage.beginReading(timeout: .seconds(5))
    let last = try reader.scan(Scan(items))
    reader.end()
    #expect(code { _ = try last.next() } == .transactionClosed)
  }

  @Test func `a backend with its own catalog can restore collections and counters`() throws {
    let source = try Collection(
      id: 7,
      definition: Self.items,
      physicalName: "items.json",
      indexes: [(9, "x")]
    )
    let storage = try KeyValueStorage(MemoryEngine(), storeID: "mine")
    let writer = try storage.beginWriting(timeout: .seconds(5))
    #expect(writer.catalog.storeID == "mine")
    try writer.restoreCollection(source)
    #expect(code { try writer.restoreCollection(source) } == .nameConflict)
    #expect(writer.catalog.nextID == 10)
    try writer.setLastAutomaticKey(41, of: source)
    try writer.setCatalog(storeID: "other", schemaVersion: 12, nextID: 20)
    let row = RowBuffer(count: 2)
    row.set(1, "a")
    #expect(try writer.insert(row.view, into: source) == 42)
    #expect(try writer.lastAutomaticKey(of: source) == 42)
    try writer.commit()
    let reader = try storage.beginReading(timeout: .seconds(5))
    #expect(reader.catalog.storeID == "other" && reader.catalog.schemaVersion == 12)
    #expect(reader.catalog.nextID == 20)
    let found = try #require(reader.catalog.collection(named: "items"))
    #expect(found.physicalName == "items.json" && found.id == 7)
    #expect(try LongIndexEntryTests.scan(Scan(found, index: 0), reader) == [[42, "a"]])
    reader.end()
  }

  private func edit(
    _ engine: MemoryEngine,
    _ name: String,
    _ body: (MemoryTransaction, KeyValueTable) throws -> Void
  ) throws {
    let table = try #require(try engine.openTable(name))
    let writer = try engine.beginWriting(timeout: .seconds(5))
    try body(writer, table)
    try writer.commit()
  }

  private func put(
    _ writer: MemoryTransaction,
    _ table: KeyValueTable,
    _ key: String,
    _ value: [UInt8]
  ) throws {
    try Array(key.utf8).withUnsafeBytes { key in
      try value.withUnsafeBytes { try writer.put(key, $0, in: table) }
    }
  }
}
