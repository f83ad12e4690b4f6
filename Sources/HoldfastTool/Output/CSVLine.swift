import Holdfast

/// Lines of comma-separated values (RFC 4180): null is empty, an empty text `""`, a blob base64.
struct CSVLine {
  private var writer = JSONWriter()

  /// The line of column names.
  func header(_ columns: [FieldDefinition]) -> String {
    columns.map { Self.quote($0.name, always: $0.name.isEmpty) }.joined(separator: ",")
  }

  /// The line of a row.
  mutating func line(
    _ row: RowView,
    _ positions: [Int],
    _ columns: [FieldDefinition],
    _ source: String
  ) throws(StorageError) -> String {
    var line = ""
    for (index, position) in positions.enumerated() {
      if index > 0 { line += "," }
      if row.isNull(position) { continue }
      if row.kind(position) == .text, columns[index].type != .json {
        let text = try row.text(position)
        line += Self.quote(text, always: text.isEmpty)
        continue
      }
      writer.bytes.removeAll(keepingCapacity: true)
      writer.beginText()
      try ValueJSON.write(row, position, columns[index], in: source, to: &writer)
      var text = writer.text
      if text.first == "\"", columns[index].type != .json {
        text = String(text.dropFirst().dropLast())
      }
      line += Self.quote(text, always: text.isEmpty)
    }
    return line
  }

  private static func quote(_ text: String, always: Bool) -> String {
    let needsQuotes = text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    guard needsQuotes || always else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
