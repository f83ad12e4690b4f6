import Holdfast

/// Values as people read them in a table.
enum CellText {
  /// The cell for a field of a row.
  ///
  /// - Throws: `StorageError` with code `corrupt` for text that is not UTF-8.
  static func cell(_ row: RowView, _ index: Int, _ field: FieldDefinition) throws(StorageError)
    -> TableWriter.Cell
  {
    let isNumeric = field.type == .integer || field.type == .real || field.type == .decimal
    switch row.kind(index) {
    case .null: return TableWriter.Cell("NULL", isNumber: isNumeric, isNull: true)
    case .integer where field.type == .bool:
      return TableWriter.Cell(row.integer(index) == 0 ? "false" : "true")
    case .integer: return TableWriter.Cell(String(row.integer(index)), isNumber: true)
    case .real: return TableWriter.Cell(real(row.real(index)), isNumber: true)
    case .text:
      let text = try row.text(index)
      return TableWriter.Cell(field.type == .date ? short(text) : text, isNumber: isNumeric)
    case .blob where field.type == .uuid:
      return TableWriter.Cell(try uuid(row, index))
    case .blob: return TableWriter.Cell("x'" + hex(row.bytes(index)) + "'")
    }
  }

  private static func uuid(_ row: RowView, _ index: Int) throws(StorageError) -> String {
    var writer = JSONWriter()
    let field = FieldDefinition("uuid", .uuid)
    try ValueJSON.write(row, index, field, in: "the table", to: &writer)
    return String(writer.text.dropFirst().dropLast())
  }

  private static func real(_ value: Double) -> String {
    if value.isInfinite { return value > 0 ? "Infinity" : "-Infinity" }
    return value.description
  }

  /// A stored date without the zeros that end its fraction.
  private static func short(_ date: String) -> String {
    guard date.utf8.count == DateCoding.length else { return date }
    var digits = date.dropLast()
    while digits.last == "0" { digits.removeLast() }
    if digits.last == "." { digits.removeLast() }
    return digits + "Z"
  }

  private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
