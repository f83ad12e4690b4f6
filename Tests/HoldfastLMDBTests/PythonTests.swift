import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// A store is read by a program that knows LMDB and CBOR and nothing of Holdfast.
@Suite struct PythonTests {
  private static let script = #"""
    import json, sys
    try:
        import cbor2, lmdb
    except ImportError as error:
        sys.exit(f"{sys.executable} lacks a module: {error}; run: pip install lmdb cbor2")

    def plain(value):
        if isinstance(value, bytes): return {"bytes": value.hex()}
        if isinstance(value, bool) or value is None: return value
        if isinstance(value, int): return {"integer": str(value)}
        if isinstance(value, float): return {"real": value.hex()}
        return {"text": list(value.encode("utf-8"))}

    environment = lmdb.open(sys.argv[1], readonly=True, max_dbs=64)
    with environment.begin() as transaction:
        catalog = environment.open_db(b"catalog", txn=transaction, create=False)
        with transaction.cursor(db=catalog) as cursor:
            for key, value in cursor:
                if not key.startswith(b"collection/"): continue
                entry = cbor2.loads(value)
                if entry["name"] == sys.argv[2]:
                    id = key.split(b"/")[1].decode()
                    names = [field["name"] for field in entry["fields"]]
        rows = environment.open_db(b"c" + id.encode(), txn=transaction, create=False)
        with transaction.cursor(db=rows) as cursor:
            records = [dict(zip(names, map(plain, cbor2.loads(value)))) for _, value in cursor]
    json.dump(records, sys.stdout)
    """#

  private func plain(_ value: Value, _ type: FieldType) -> NSObject {
    switch value {
    case .null: NSNull()
    case .integer(let value):
      type == .bool
        ? NSNumber(value: value != 0) : ["integer": String(value)] as NSDictionary
    case .real(let value): ["real": hexadecimal(value)] as NSDictionary
    case .text(let value): ["text": Array(value.utf8).map { Int($0) }] as NSDictionary
    case .blob(let value):
      ["bytes": value.map { String(format: "%02x", $0) }.joined()] as NSDictionary
    }
  }

  /// As Python's `float.hex` writes it, for the values used here.
  private func hexadecimal(_ value: Double) -> String {
    switch value {
    case .infinity: "inf"
    case -.infinity: "-inf"
    case 0: "0x0.0p+0"
    case 0.1: "0x1.999999999999ap-4"
    case .leastNonzeroMagnitude: "0x0.0000000000001p-1022"
    default: "-0x1.fffffffffffffp+1023"
    }
  }

  @Test func `Python reads every kind of value`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store")
    let definition = CollectionDefinition(
      "Größen 大小",
      fields: [
        FieldDefinition("key", .integer), FieldDefinition("text", .text, optional: true),
        FieldDefinition("number", .integer, optional: true),
        FieldDefinition("real", .real, optional: true),
        FieldDefinition("blob", .blob, optional: true),
        FieldDefinition("flag", .bool, optional: true),
      ],
      key: ["key"],
      indexes: [IndexDefinition(["text"])]
    )
    let rows: [[Value]] = [
      [.integer(.min), "中文 النص العربي 👩‍👩‍👧‍👦 e\u{301} é", .integer(.min), 0.1, .blob([]), true],
      [-1, "before\u{0}after", .integer(.max), .real(.infinity), .blob([0, 255, 0]), false],
      [0, "", 0, .real(-.infinity), .blob(Array(0...255)), .null],
      [24, .null, -25, .real(0), .null, true],
      [.integer(1 << 53 + 1), "\r\n\u{FFFE}", 256, .real(.leastNonzeroMagnitude), .null, .null],
      [
        .integer(.max), .text(String(repeating: "長", count: 2000)), .null,
        .real(-.greatestFiniteMagnitude), .null, false,
      ],
    ]
    let store = Store(try LMDBStorage.open(path: path))
    try store.write { transaction in
      try transaction.createCollection(StoreTests.people)
      try transaction.createCollection(definition)
      for row in rows {
        let fields = Dictionary(
          uniqueKeysWithValues: zip(definition.fields.map(\.name), row)
        )
        try transaction.insert(fields, into: definition.name)
      }
    }
    // Read beside the open store first, then alone.
    for isOpen in [true, false] {
      if !isOpen { try store.close() }
      let data = try Python.run(Self.script, [path, definition.name])
      let records = try #require(
        try JSONSerialization.jsonObject(with: data) as? [NSDictionary]
      )
      #expect(records.count == rows.count)
      for (record, row) in zip(records, rows) {
        for (field, value) in zip(definition.fields, row) {
          let found = try #require(record[field.name] as? NSObject)
          #expect(found == plain(value, field.type), "\(field.name) of \(row[0])")
        }
      }
    }
  }
}
