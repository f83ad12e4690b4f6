import Testing

@testable import Holdfast

/// Each fault that can be planted below the adapter is found, and nothing else.
struct KeyValueVerificationTests {
  private static let notes = CollectionDefinition(
    "notes",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("text", .text),
      FieldDefinition("number", .integer, optional: true),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [
      IndexDefinition(["text"]), IndexDefinition(["number"], unique: true),
    ]
  )

  private let engine = MemoryEngine(maximumKeyLength: 511)
  private let storage: KeyValueStorage<MemoryEngine>
  private let long = String(repeating: "long ", count: 200)

  init() throws {
    storage = try KeyValueStorage(engine)
    let writer = try storage.beginWriting(timeout: .seconds(5))
    let notes = try writer.createCollection(Self.notes)
    let row = RowBuffer(count: 3)
    for (text, number) in [("a", 1), ("b", 2), (long, 3)] as [(String, Value)] {
      row.set(1, .text(text))
      row.set(2, number)
      _ = try writer.insert(row.view, into: notes)
    }
    try writer.commit()
  }

  private func findings() throws -> [String] {
    try storage.verify(timeout: .seconds(5)).map(\.message)
  }

  /// Writes below the adapter; the tables are c1, i2 (text), i3 (number) and sequence.
  private func plant(_ body: (MemoryTransaction, (String) throws -> KeyValueTable) throws -> Void)
    throws
  {
    let writer = try engine.beginWriting(timeout: .seconds(5))
    try body(writer) { try writer.createTable($0) }
    try writer.commit()
  }

  private func put(
    _ key: [UInt8],
    _ value: [UInt8],
    _ table: KeyValueTable,
    _ writer: MemoryTransaction
  ) throws {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try writer.put(key, $0, in: table) }
    }
  }

  private func delete(_ key: [UInt8], _ table: KeyValueTable, _ writer: MemoryTransaction) throws {
    let wasThere = try key.withUnsafeBytes { try writer.delete($0, in: table) }
    #expect(wasThere)
  }

  private func row(_ values: [Value]) -> [UInt8] {
    let shapes = Self.notes.fields.map { RowCoding.Shape($0.type) }
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, value) }
    let buffer = ByteBuffer()
    shapes.withUnsafeBufferPointer { shapes in
      if let base = shapes.baseAddress {
        RowCoding.append(
          row.view,
          UnsafeMutablePointer(mutating: base),
          replacing: -1,
          with: 0,
          to: buffer
        )
      }
    }
    return Array(buffer.bytes)
  }

  private let key = KeyCodingTests.encode

  @Test func `a sound store has no findings`() throws {
    #expect(try findings() == [])
  }

  @Test func `a damaged record`() throws {
    try plant { writer, table in try put(key([1]), [0x83, 1], table("c1"), writer) }
    #expect(
      try findings() == [
        "1 records of notes are damaged", "index text of notes has 3 entries where 2 are right",
        "index number of notes has 3 entries where 2 are right",
      ]
    )
  }

  @Test func `a record under another key`() throws {
    try plant { writer, table in
      try delete(key([3]), table("c1"), writer)
      try put(key([2, 9]), row([3, .text(long), 3]), table("c1"), writer)
    }
    #expect(try findings() == ["1 records of notes lie under another key"])
  }

  @Test func `an entry that an index lacks, short and long`() throws {
    try plant { writer, table in
      let texts = try table("i2")
      try delete(key(["b", 2]), texts, writer)
      let cursor = try writer.openCursor(in: texts)
      #expect(try cursor.last())
      #expect(cursor.key.count == 511)
      let last = Array(cursor.key)
      cursor.close()
      try put(last, [0], texts, writer)
    }
    #expect(
      try findings() == [
        "index text of notes lacks the entries of 2 records",
        "index text of notes has 2 entries where 1 are right",
      ]
    )
  }

  @Test func `an entry too many`() throws {
    try plant { writer, table in try put(key(["c", 1]), [], table("i2"), writer) }
    #expect(try findings() == ["index text of notes has 4 entries where 3 are right"])
  }

  @Test func `equal values in a unique index`() throws {
    try plant { writer, table in
      try put(key([2]), row([2, "b", 1]), table("c1"), writer)
      try delete(key([2, 2]), table("i3"), writer)
      try put(key([1, 2]), [], table("i3"), writer)
    }
    #expect(try findings() == ["index number of notes is unique, and 2 records share values"])
  }

  @Test func `automatic keys that are behind, or damaged, are found once`() throws {
    let store = Store(storage)
    try plant { writer, table in try put(key([1]), [2], table("sequence"), writer) }
    #expect(
      try store.verify().map(\.message) == ["the automatic keys of notes are behind its records"]
    )
    try plant { writer, table in try put(key([1]), [0xFF], table("sequence"), writer) }
    let findings = try store.verify()
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("automatic key of notes is damaged") == true)
    try store.close()
  }
}
