import Testing

@testable import Holdfast

/// Index entries that an engine cannot keep as keys, on an engine whose keys end at 511 bytes.
struct LongIndexEntryTests {
  static let notes = CollectionDefinition(
    "notes",
    fields: [
      FieldDefinition("key", .blob), FieldDefinition("text", .text, optional: true),
      FieldDefinition("number", .integer),
    ],
    key: ["key"],
    indexes: [
      IndexDefinition(["text"]), IndexDefinition(["text", "number"]), IndexDefinition(["number"]),
    ]
  )

  /// Texts around every length at which the stored form changes, many with common beginnings.
  static func text(using random: inout SeededGenerator) -> String {
    let lengths = [0, 5, 440, 470, 476, 477, 478, 479, 480, 500, 505, 508, 509, 510, 511, 600, 700]
    let length = lengths.randomElement(using: &random) ?? 0
    let tails = ["", "\0", "\0\0", "a", "b", "\u{7F}", "é", "aaaa"]
    return String(repeating: "x", count: length)
      + (tails.randomElement(using: &random) ?? "") + (tails.randomElement(using: &random) ?? "")
  }

  static func key(using random: inout SeededGenerator) -> [UInt8] {
    let length = [1, 2, 3, 30, 300, 470].randomElement(using: &random) ?? 1
    return (0..<length).map { _ in UInt8.random(in: 0...3, using: &random) == 0 ? 0xFF : 7 }
  }

  /// The rows that a scan yields.
  static func scan(_ scan: Scan, _ reader: some StorageReader) throws -> [[Value]] {
    let cursor = try reader.scan(scan)
    defer { cursor.close() }
    var rows: [[Value]] = []
    while let row = try cursor.next() { rows.append(try row.values()) }
    return rows
  }

  /// The rows that a scan must yield, by brute force.
  static func expected(_ scan: Scan, _ rows: some Sequence<[Value]>) -> [[Value]] {
    let collection = scan.collection
    let positions = scan.index.map { collection.indexes[$0].positions } ?? []
    func order(_ row: [Value], _ values: [Value], _ positions: [Int]) -> Int {
      for (value, position) in zip(values, positions) {
        let order = Value.compare(row[position], value)
        if order != 0 { return order }
      }
      return 0
    }
    let path = positions + collection.keyPositions
    let sorted = rows.sorted { left, right in order(left, path.map { right[$0] }, path) < 0 }
      .filter { row in
        if let lower = scan.lower {
          let side = order(row, lower.values, path)
          if lower.isInclusive ? side < 0 : side <= 0 { return false }
        }
        if let upper = scan.upper {
          let side = order(row, upper.values, path)
          if upper.isInclusive ? side > 0 : side >= 0 { return false }
        }
        return true
      }
    return scan.isReversed ? sorted.reversed() : sorted
  }

  @Test func `scans give the full order in both directions, whatever the lengths and bounds`()
    throws
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let storage = try KeyValueStorage(MemoryEngine(maximumKeyLength: 511))
    let writer = try storage.beginWriting(timeout: .seconds(5))
    let notes = try writer.createCollection(Self.notes)
    var rows: [[UInt8]: [Value]] = [:]
    let buffer = RowBuffer()
    func write(_ values: [Value]) throws {
      buffer.reset(count: values.count)
      for (index, value) in values.enumerated() { buffer.set(index, value) }
      _ = try writer.put(buffer.view, in: notes)
    }
    for _ in 0..<300 {
      let key = Self.key(using: &random)
      let isNull = Int.random(in: 0..<20, using: &random) == 0
      let row: [Value] = [
        .blob(key), isNull ? .null : .text(Self.text(using: &random)),
        .integer(Int64.random(in: -2...2, using: &random)),
      ]
      rows[key] = row
      try write(row)
      if Int.random(in: 0..<4, using: &random) == 0,
        let gone = rows.keys.randomElement(using: &random)
      {
        rows[gone] = nil
        buffer.reset(count: 1)
        buffer.set(0, .blob(gone))
        #expect(try writer.delete(buffer.view, from: notes))
      }
    }
    for round in 0..<120 {
      func bound() -> Scan.Bound? {
        if Int.random(in: 0..<4, using: &random) == 0 { return nil }
        let existing = rows.values.randomElement(using: &random)?[1] ?? .null
        var values = [
          Bool.random(using: &random) ? existing : .text(Self.text(using: &random))
        ]
        if round % 3 == 1, Bool.random(using: &random) {
          values.append(.integer(Int64.random(in: -2...2, using: &random)))
        }
        if round % 3 == 2 { values = [.integer(Int64.random(in: -3...3, using: &random))] }
        return Scan.Bound(values, inclusive: Bool.random(using: &random))
      }
      let scan = Scan(
        notes,
        index: round % 3,
        lower: bound(),
        upper: bound(),
        reversed: Bool.random(using: &random)
      )
      #expect(
        try Self.scan(scan, writer) == Self.expected(scan, rows.values),
        "seed \(seed), round \(round)"
      )
    }
    try writer.commit()
  }

  @Test func `a unique index tells long values apart and finds equal ones`() throws {
    let definition = CollectionDefinition(
      "notes",
      fields: [FieldDefinition("key", .blob), FieldDefinition("text", .text)],
      key: ["key"],
      indexes: [IndexDefinition(["text"], unique: true)]
    )
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let storage = try KeyValueStorage(MemoryEngine(maximumKeyLength: 511))
    let writer = try storage.beginWriting(timeout: .seconds(5))
    let notes = try writer.createCollection(definition)
    var owners: [String: [UInt8]] = [:]
    var texts: [[UInt8]: String] = [:]
    for _ in 0..<1000 {
      let key = Self.key(using: &random)
      let text = Self.text(using: &random)
      let row = RowBuffer(count: 2)
      row.set(0, .blob(key))
      row.set(1, .text(text))
      do throws(StorageError) {
        _ = try writer.put(row.view, in: notes)
        #expect(owners[text] == nil || owners[text] == key, "seed \(seed)")
        if let old = texts[key] { owners[old] = nil }
        owners[text] = key
        texts[key] = text
      } catch {
        #expect(error.code == .uniqueViolation, "seed \(seed)")
        #expect(owners[text] != nil && owners[text] != key, "seed \(seed)")
      }
    }
    #expect(texts.count > 20)
    #expect(try Self.scan(Scan(notes, index: 0), writer).count == texts.count)
    writer.end()
  }
}
