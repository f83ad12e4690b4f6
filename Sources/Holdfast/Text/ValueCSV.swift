/// One stored value as a field of comma-separated values, by the type of its field.
///
/// See ``RowCSV``.
public enum ValueCSV {
  /// Writes a field of a row.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - index: the position of the value in the row.
  ///   - field: its name and type.
  ///   - source: what errors say the row is of.
  ///   - scratch: memory to use; what it holds is lost.
  ///   - writer: takes the field.
  /// - Throws: ``StorageError/Code/corrupt`` if the value does not fit the field's type or is not
  ///   UTF-8.
  public static func write(
    _ row: RowView,
    _ index: Int,
    _ field: FieldDefinition,
    in source: String,
    _ scratch: inout JSONWriter,
    to writer: inout CSVWriter
  ) throws(StorageError) {
    switch (field.type, row.kind(index)) {
    case (_, .null): writer.null()
    case (.any, .text) where !readsAsJSON(row.bytes(index)): fallthrough
    case (.text, .text), (.json, .text), (.date, .text), (.decimal, .text):
      guard UTF8Check.isValid(row.bytes(index)) else {
        throw StorageError(
          .corrupt,
          "field \(field.name) of \(source) is not valid UTF-8; restore a backup"
        )
      }
      writer.field(row.bytes(index))
    default:
      scratch.bytes.removeAll(keepingCapacity: true)
      scratch.beginText()
      try ValueJSON.write(row, index, field, in: source, to: &scratch)
      scratch.bytes.withUnsafeBytes { bytes in
        let isString = bytes.first == 0x22 && field.type != .any
        // Of the types that are JSON strings, none has characters that are escaped.
        writer.field(
          isString ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst().dropLast()) : bytes
        )
      }
    }
  }

  /// Whether a text in a field of type `any` is taken for JSON.
  static func readsAsJSON(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first else { return false }
    // Numbers, strings and objects are the values of `any` fields.
    guard
      first == 0x22 || first == 0x7B || first <= 0x20 || first == 0x2D || first == 0xEF
        || (first >= 0x30 && first <= 0x39)
    else { return false }
    return JSON.canonical(text) != nil
  }
}
