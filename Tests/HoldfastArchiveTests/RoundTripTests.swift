import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct RoundTripTests {
  static let kinds: [(ArchiveFormat, StorageOptions.PropertyListFormat?)] = [
    (.json, nil), (.propertyList, .xml), (.propertyList, .binary),
  ]

  @Test(
    "All values come back bit for bit, from the journal and from the files",
    arguments: kinds.indices
  )
  func allValues(_ kind: Int) throws {
    let (format, form) = Self.kinds[kind]
    let fixture = try ArchiveFixture()
    let records = awkwardRecords()
    let first = try fixture.open(format) { $0.format = form }
    try first.write { transaction in
      try transaction.createCollection(everything)
      for record in records { try transaction.insert(record, into: "everything") }
    }
    // The first store is still open: a second one sees the journal only.
    let second = try fixture.open(format) { $0.isReadOnly = true }
    try check(second, records, "journal")
    try second.close()
    try first.close()
    #expect(try fixture.text("journal.jsonl").split(separator: "\n").count == 1)
    try fixture.with(format) { try check($0, records, "files") }
  }

  private func check(_ store: Store, _ records: [[String: Value]], _ place: String) throws {
    let fetched = try store.read { try $0.fetch(Query("everything")) }
    #expect(fetched.count == records.count)
    var byID: [Value: Record] = [:]
    for record in fetched { byID[record["id"] ?? nil] = record }
    for expected in records {
      let record = try #require(byID[expected["id"] ?? nil])
      for field in everything.fields {
        let want = expected[field.name] ?? .null
        let have = record[field.name] ?? nil
        #expect(identical(want, have), "\(place): \(field.name) of \(expected["id"] ?? nil)")
      }
    }
  }

  /// Whether two values are the same, bit for bit; −0.0 is stored as 0.
  private func identical(_ want: Value, _ have: Value) -> Bool {
    switch (want, have) {
    case (.real(let a), .real(let b)): (a == 0 ? 0 : a).bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): Array(a.utf8) == Array(b.utf8)
    default: want.kind == have.kind && want == have
    }
  }

  @Test("Ten thousand random doubles come back bit for bit", arguments: kinds.indices)
  func randomDoubles(_ kind: Int) throws {
    let (format, form) = Self.kinds[kind]
    let fixture = try ArchiveFixture()
    var generator = SystemRandomNumberGenerator()
    var values: [Int64: Double] = [:]
    for index in 0..<10_000 {
      var value = Double(bitPattern: generator.next())
      if index % 4 == 0 { value = Double(bitPattern: generator.next() >> 12) }
      if !value.isNaN { values[Int64(index)] = value }
    }
    let reals = CollectionDefinition(
      "reals",
      fields: [FieldDefinition("id", .integer), FieldDefinition("value", .real)],
      key: ["id"]
    )
    try fixture.with(format, { $0.format = form }) { store in
      try store.write { transaction in
        try transaction.createCollection(reals)
        for (id, value) in values {
          try transaction.insert(["id": .integer(id), "value": .real(value)], into: "reals")
        }
      }
    }
    try fixture.with(format) { store in
      let records = try store.read { try $0.fetch(Query("reals")) }
      #expect(records.count == values.count)
      for record in records {
        guard case .integer(let id) = record.values[0], case .real(let value) = record.values[1]
        else {
          Issue.record("wrong kinds")
          return
        }
        let want = values[id].map { $0 == 0 ? 0 : $0 }
        #expect(value.bitPattern == want?.bitPattern)
      }
    }
  }

  @Test("Deletions, savepoints and clearing survive reopening")
  func changes() throws {
    let fixture = try ArchiveFixture()
    let store = try fixture.open()
    try store.write { transaction in
      try transaction.createCollection(people)
      for index in 1...5 { try transaction.insert(["name": .text("p\(index)")], into: "people") }
    }
    try store.write { transaction in
      try transaction.delete(2, from: "people")
      do {
        try transaction.savepoint {
          try transaction.delete(3, from: "people")
          try transaction.createCollection(everything)
          throw CancellationError()
        }
      } catch is CancellationError {}
      try transaction.savepoint {
        try transaction.update(4, set: ["age": 44], in: "people")
      }
    }
    func check(_ store: Store) throws {
      try store.read { transaction in
        let records = try transaction.fetch(Query("people"))
        #expect(records.map { $0["name"] } == ["p1", "p3", "p4", "p5"])
        #expect(records[2]["age"] == 44)
        #expect(try transaction.catalogNames() == ["people"])
      }
    }
    let reader = try fixture.open { $0.isReadOnly = true }
    try check(reader)
    try reader.close()
    try store.close()
    try fixture.with { try check($0) }
    try fixture.with { store in
      try store.write { transaction in
        #expect(try transaction.deleteAll(in: "people") == 4)
        try transaction.createCollection(everything)
      }
    }
    try fixture.with { store in
      try store.write { transaction in
        let count = try transaction.count("people")
        #expect(count == 0)
        let names = try transaction.catalogNames()
        #expect(names == ["everything", "people"])
        // Keys are never used again, not even after deleting the largest and reopening.
        let key = try transaction.insert(["name": "next"], into: "people")
        #expect(key == 6)
      }
    }
  }

  @Test("Names that no file may have get safe file names")
  func hostileNames() throws {
    let fixture = try ArchiveFixture()
    let names = [
      "catalog", "journal", "lock", "../x", "a/b", "Ä ö", "users", "new.json", "\u{FFFE}",
    ]
    for format in ArchiveFormat.allCases {
      try? FileManager.default.removeItem(atPath: fixture.path)
      try fixture.with(format) { store in
        try store.write { transaction in
          for name in names {
            try transaction.createCollection(
              CollectionDefinition(name, fields: [FieldDefinition(name, .text)], key: [name])
            )
            try transaction.insert([name: "v"], into: name)
          }
        }
      }
      let entries = try FileManager.default.contentsOfDirectory(atPath: fixture.root.path)
      #expect(entries == ["store"])
      try fixture.with(format) { store in
        for name in names {
          let count = try store.read { try $0.count(name) }
          #expect(count == 1, "\(name)")
        }
      }
    }
  }
}

extension ReadTransaction {
  /// The names of the collections, sorted.
  func catalogNames() throws -> [String] { try catalog.collections.map(\.name).sorted() }
}
