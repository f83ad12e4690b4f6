import Foundation
import Testing

/// A store with a few records, made by the tool itself in a folder of its own.
struct SampleStore {
  /// The backends whose stores outlive a process.
  static let backends = ["sqlite", "lmdb", "json", "plist"]

  static let schema = """
    {"collections": [
      {"name": "city",
       "fields": [
         {"name": "id", "type": "integer"},
         {"name": "name", "type": "text"},
         {"name": "country", "type": "text", "optional": true, "default": "NL"},
         {"name": "area", "type": "real", "optional": true},
         {"name": "capital", "type": "bool", "default": false},
         {"name": "founded", "type": "date", "optional": true},
         {"name": "seal", "type": "blob", "optional": true},
         {"name": "code", "type": "uuid", "optional": true},
         {"name": "price", "type": "decimal", "optional": true},
         {"name": "tags", "type": "json", "optional": true}],
       "key": ["id"], "automaticKey": true,
       "indexes": [
         {"name": "by_name", "fields": ["name"], "unique": true},
         {"name": "by_country", "fields": ["country", "area"], "unique": false}]},
      {"name": "visit",
       "fields": [
         {"name": "who", "type": "text"},
         {"name": "day", "type": "date"},
         {"name": "note", "type": "text", "optional": true}],
       "key": ["who", "day"]},
      {"name": "word",
       "fields": [{"name": "word", "type": "text"}, {"name": "n", "type": "integer"}],
       "key": ["word"]}
    ]}
    """

  static let cities = [
    #"{"name": "Amsterdam", "area": 219.3, "capital": true}"#,
    #"{"name": "北京", "country": "CN", "area": 16410.5, "capital": true, "tags": ["b", {"z": 1, "a": 2}]}"#,
    #"{"name": "Bern", "country": "CH", "founded": "1191-01-01", "seal": "AP8=", "price": 1.50}"#,
    #"{"name": "Atlantis", "country": null, "code": "01234567-89ab-cdef-0123-456789abcdef"}"#,
  ]

  let backend: String
  let tool: ToolRunner

  /// The store's URL.
  var url: String { "\(backend):store\(options)" }
  private let options: String

  /// Makes the store with its four cities; options are as in a URL, with their question mark.
  init(_ backend: String, options: String = "") async throws {
    self.backend = backend
    self.options = options
    tool = try ToolRunner()
    try tool.write("schema.json", Self.schema)
    try await succeed("schema", "apply", "schema.json")
    for (index, city) in Self.cities.enumerated() {
      #expect(try await succeed("insert", "city", city) == "\(index + 1)\n")
    }
  }

  /// Runs a command that must succeed.
  ///
  /// - Returns: standard output.
  @discardableResult
  func succeed(
    _ arguments: String...,
    input: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let result = try await tool.run(arguments: arguments + ["--storage", url], input: input)
    #expect(result.status == 0, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
    return result.output
  }

  /// Runs a command that must fail with one line.
  ///
  /// - Returns: that line, without the tool's name.
  @discardableResult
  func fail(
    _ arguments: String...,
    status: Int32 = 1,
    output: String = "",
    input: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let result = try await tool.run(arguments: arguments + ["--storage", url], input: input)
    #expect(result.status == status, "\(arguments)", sourceLocation: sourceLocation)
    #expect(result.output == output, sourceLocation: sourceLocation)
    let isOneLine =
      result.errors.hasPrefix("holdfast: ") && result.errors.hasSuffix("\n")
      && result.errors.filter(\.isNewline).count == 1
    #expect(isOneLine, "\(result.errors)", sourceLocation: sourceLocation)
    return String(result.errors.dropFirst("holdfast: ".count).dropLast())
  }
}
