/// How rows are printed.
package enum RowFormat: String, CaseIterable, Sendable {
  /// Aligned columns, for people.
  case table
  /// One JSON array, a record a line.
  case json
  /// JSON lines.
  case jsonl
  /// Comma-separated values with a header.
  case csv
}

extension ParsedArguments {
  /// The format that `--format` asks for.
  var rowFormat: RowFormat { self["--format"].flatMap { RowFormat(rawValue: $0) } ?? .table }
}
