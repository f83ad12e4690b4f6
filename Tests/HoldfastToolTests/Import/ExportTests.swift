import Foundation
import Holdfast
import HoldfastTool
import Testing

@Suite struct ExportTests {
  static let definition = CollectionDefinition(
    "thing",
    fields: [FieldDefinition("id", .integer)]
      + FieldType.allCases.map {
        FieldDefinition("the \($0.rawValue)", $0, optional: true)
      },
    key: ["id"]
  )

  static let rows: [[Value]] = [
    [
      1, 2, 0.5, "t", .blob([1, 2]), true, "2026-01-31T12:00:00.000000000Z", .blob(Array(0...15)),
      "1.5", "{\"a\":[1,null]}", .blob([3]),
    ],
    [2, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil],
    [
      3, .integer(.min), .real(.infinity), "", .blob([]), false, "0000-01-01T00:00:00.000000000Z",
      .blob(Array(repeating: 255, count: 16)), "-12345678901234567890.5", "null", "12",
    ],
    [
      4, .integer(.max), .real(-.infinity), "\u{0}\r\n,\"é\u{fffe}", .blob(Array(0...255)), true,
      "9999-12-31T23:59:59.999999999Z", .blob(Array(repeating: 0, count: 16)), "0", "\"x\"",
      .real(.infinity),
    ],
    [5, 0, 0.1, "null", .blob([0]), nil, nil, nil, nil, "{\"$json\":null}", "\u{1}"],
    [6, -1, 1e300, "Infinity", nil, nil, nil, nil, nil, "1.5", 1.0],
    [7, 1, 1.0, " x ", nil, nil, nil, nil, nil, "[]", 1],
  ]

  static func export(_ store: Store, _ format: FileFormat) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let count = try store.read { transaction in
      try ExportJob(collection: "thing", format: format).run(in: transaction) {
        bytes.append(contentsOf: $0)
      }
    }
    #expect(count == Self.rows.count)
    return bytes
  }

  static func sample() throws -> Store {
    let store = try ImportSample.store(definition)
    try store.write { transaction in
      let collection = try transaction.collection("thing")
      for row in rows { try transaction.insert(Record(collection, values: row)) }
    }
    return store
  }

  @Test(arguments: FileFormat.allCases) func `import of an export gives the same records`(
    _ format: FileFormat
  ) throws {
    let bytes = try Self.export(try Self.sample(), format)
    let store = try ImportSample.store(Self.definition)
    try ImportSample.withFile(bytes, named: "export") { path in
      _ = try ImportJob(path: path, into: "thing", format: format).run(on: store)
    }
    let records = try ImportSample.records(store)
    #expect(records == Self.rows)
    for (record, row) in zip(records, Self.rows) {
      #expect(record.map(\.kind) == row.map(\.kind))
    }
  }

  @Test func `an array has a record a line`() throws {
    let store = try ImportSample.store(
      CollectionDefinition("thing", fields: [FieldDefinition("id", .integer)], key: ["id"])
    )
    func text(_ format: FileFormat) throws -> String {
      var bytes: [UInt8] = []
      _ = try store.read { transaction in
        try ExportJob(collection: "thing", format: format).run(in: transaction) {
          bytes.append(contentsOf: $0)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try text(.json) == "[]\n")
    #expect(try text(.jsonl) == "")
    #expect(try text(.csv) == "id\n")
    _ = try ImportSample.add("id\n2\n1\n", named: "a.csv", in: store)
    #expect(try text(.json) == "[\n{\"id\":1},\n{\"id\":2}\n]\n")
    #expect(try text(.jsonl) == "{\"id\":1}\n{\"id\":2}\n")
    #expect(try text(.csv) == "id\n1\n2\n")
  }
}
