import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// A folder of its own for one test, removed with the fixture.
final class ArchiveFixture: Sendable {
  let root: URL
  var path: String { root.appendingPathComponent("store").path }

  init() throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func url(_ name: String) -> URL { root.appendingPathComponent("store/\(name)") }
  func text(_ name: String) throws -> String {
    try String(contentsOf: url(name), encoding: .utf8)
  }
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  /// The names and contents of all files, to see that nothing was changed.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = try Data(contentsOf: url(name))
    }
    return contents
  }

  func open(
    _ format: ArchiveFormat = .json,
    files: (any FileOperations)? = nil,
    _ change: (inout StorageOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = StorageOptions()
    options.durability = .normal
    options.timeout = .milliseconds(500)
    change(&options)
    let storage =
      try files.map {
        try ArchiveStorage.open(path: path, format: format, options: options, files: $0)
      } ?? ArchiveStorage.open(path: path, format: format, options: options)
    return Store(storage, options: options)
  }

  /// Opens the store for one use and closes it.
  @discardableResult
  func with<T>(
    _ format: ArchiveFormat = .json,
    _ change: (inout StorageOptions) -> Void = { _ in },
    _ body: (Store) throws -> T
  ) throws -> T {
    let store = try open(format, change)
    let result = try body(store)
    try store.close()
    return result
  }
}

/// The error code that a closure throws, or nil.
func code(_ body: () throws -> Void) -> StorageError.Code? {
  do {
    try body()
    return nil
  } catch let error as StorageError {
    return error.code
  } catch {
    Issue.record("not a storage error: \(error)")
    return nil
  }
}

let people = CollectionDefinition(
  "people",
  fields: [
    FieldDefinition("id", .integer), FieldDefinition("name", .text),
    FieldDefinition("age", .integer, optional: true),
  ],
  key: ["id"],
  automaticKey: true,
  indexes: [IndexDefinition(["name"], unique: true)]
)

/// A collection with a field of every type.
let everything = CollectionDefinition(
  "everything",
  fields: [
    FieldDefinition("id", .text), FieldDefinition("integer", .integer, optional: true),
    FieldDefinition("real", .real, optional: true), FieldDefinition("text", .text, optional: true),
    FieldDefinition("blob", .blob, optional: true), FieldDefinition("bool", .bool, optional: true),
    FieldDefinition("date", .date, optional: true), FieldDefinition("uuid", .uuid, optional: true),
    FieldDefinition("decimal", .decimal, optional: true),
    FieldDefinition("json", .json, optional: true), FieldDefinition("any", .any, optional: true),
  ],
  key: ["id"],
  indexes: [IndexDefinition(["real"]), IndexDefinition(["uuid"])]
)

/// Values of every kind, the awkward ones among them, as fields of ``everything``.
func awkwardRecords() -> [[String: Value]] {
  var records: [[String: Value]] = []
  func add(_ fields: [String: Value]) {
    var fields = fields
    fields["id"] = .text("r\(records.count)")
    records.append(fields)
  }
  let integers: [Int64] = [
    0, 1, -1, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_993, .max,
    .min,
  ]
  for value in integers {
    add(["integer": .integer(value), "any": .integer(value)])
  }
  let reals: [Double] = [
    0.1 + 0.2, 1, -1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .leastNonzeroMagnitude, .leastNormalMagnitude, .leastNormalMagnitude.nextDown, 1e21, 1e-7,
    123_456_789_012_345_680, .infinity, -.infinity, -0.0, 2.5,
  ]
  for value in reals { add(["real": .real(value), "any": .real(value)]) }
  let texts: [String] = [
    "", " ", "  two  ", "a\u{0}b", "\u{1}\u{1F}", "cr\rlf\r\nend", "tab\tnewline\n", "é",
    "e\u{301}",
    "😀🏳️‍🌈", "\u{10FFFF}", "\u{FFFE}", "x\u{FFFF}y", "<&>\"']]>", "\u{7F}\u{85}\u{2028}", "\\u0041",
    "&amp;", "null", "<![CDATA[x]]>", String(repeating: "long ", count: 5000),
  ]
  for value in texts { add(["text": .text(value), "any": .text(value)]) }
  for value: [UInt8] in [[], [0], Array(0...255), [0xFF, 0xFE], Array(repeating: 7, count: 300)] {
    add(["blob": .blob(value), "any": .blob(value)])
  }
  add(["bool": true])
  add(["bool": false])
  add(["date": "2026-01-31T12:00:00.123456789Z"])
  add(["date": "0000-12-30T00:00:00.000000000Z"])
  add(["uuid": .blob(Array(0..<16))])
  for value in ["1", "-12.5", "0.000000001", "12345678901234567890123456789"] {
    add(["decimal": .text(value)])
  }
  for value in [
    "null", "true", "1", "-1.5", "\"text\"", "[]", "{\"a\":[1,{\"b\":null}]}", "[[[]]]",
  ] {
    add(["json": .text(value)])
  }
  for depth in [499, 500] {
    let brackets = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    add(["json": .text(brackets)])
  }
  add(["any": nil])
  return records
}
