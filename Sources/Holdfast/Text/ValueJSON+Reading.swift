import Foundation

extension ValueJSON {
  /// Reads the value that `token` began into a field of a row.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch`` or ``StorageError/Code/invalidValue`` naming the
  ///   field and the place, ``StorageError/Code/malformedInput``.
  public static func read(
    _ token: JSONToken,
    from reader: inout JSONReader,
    _ field: FieldDefinition,
    in collection: String,
    into row: RowBuffer,
    _ index: Int
  ) throws(StorageError) {
    switch (field.type, token) {
    case (_, .null): row.setNull(index)
    case (.integer, .integer(let value)), (.any, .integer(let value)): row.setInteger(index, value)
    case (.integer, .bigInteger), (.any, .bigInteger):
      throw invalid("takes integers of 64 bits", reader, field, collection)
    case (.real, .integer(let value)): row.setReal(index, Double(value))
    case (.real, .real(let value)), (.any, .real(let value)): row.setReal(index, value)
    case (.real, .bigInteger): row.setReal(index, try reader.nearestReal())
    case (.real, .string):
      guard let infinity = infinity(reader.bytes) else {
        throw mismatch(token, reader, field, collection)
      }
      row.setReal(index, infinity)
    case (.bool, .bool(let value)): row.setInteger(index, value ? 1 : 0)
    case (.text, .string), (.any, .string): row.setText(index, reader.bytes)
    case (.blob, .string):
      guard let blob = Base64.decode(reader.bytes) else {
        throw invalid("takes base64 with padding", reader, field, collection)
      }
      blob.withUnsafeBytes { row.setBlob(index, $0) }
    case (.date, .string):
      if DateCoding.decode(utf8: reader.bytes) != nil {
        row.setText(index, reader.bytes)
      } else if let date = DateCoding.canonical(reader.text) {
        row.setText(index, date)
      } else {
        throw invalid(
          "takes a date as 2026-01-31 or 2026-01-31T12:00:00Z",
          reader,
          field,
          collection
        )
      }
    case (.uuid, .string):
      guard let bits = uuid(reader.bytes) else {
        throw invalid(
          "takes a UUID as 32 hexadecimal digits in five groups",
          reader,
          field,
          collection
        )
      }
      withUnsafeBytes(of: bits) { row.setBlob(index, $0) }
    case (.decimal, .string), (.decimal, .integer), (.decimal, .bigInteger), (.decimal, .real):
      guard let decimal = DecimalCoding.canonical(reader.text) else {
        throw invalid("takes a decimal number", reader, field, collection)
      }
      row.setText(index, decimal)
    case (.json, _):
      var writer = JSONWriter()
      try reader.copyCanonical(token, to: &writer)
      (wrapped(writer.bytes) ?? writer.bytes).withUnsafeBytes { row.setText(index, $0) }
    case (.any, .beginObject):
      try readTagged(from: &reader, field, collection, into: row, index)
    default:
      throw mismatch(token, reader, field, collection)
    }
  }

  /// Reads the rest of `{"blob": …}` or `{"real": …}`.
  private static func readTagged(
    from reader: inout JSONReader,
    _ field: FieldDefinition,
    _ collection: String,
    into row: RowBuffer,
    _ index: Int
  ) throws(StorageError) {
    let takes = "takes {\"blob\": base64} or {\"real\": \"Infinity\"} as its only objects"
    guard try reader.next() == .key else { throw invalid(takes, reader, field, collection) }
    let tag = reader.text
    guard try reader.next() == .string else { throw invalid(takes, reader, field, collection) }
    if tag == "blob", let blob = Base64.decode(reader.bytes) {
      blob.withUnsafeBytes { row.setBlob(index, $0) }
    } else if tag == "real", let infinity = infinity(reader.bytes) {
      row.setReal(index, infinity)
    } else {
      throw invalid(takes, reader, field, collection)
    }
    guard try reader.next() == .endObject else { throw invalid(takes, reader, field, collection) }
  }

  static func infinity(_ bytes: UnsafeRawBufferPointer) -> Double? {
    if bytes.elementsEqual("Infinity".utf8) { return .infinity }
    if bytes.elementsEqual("-Infinity".utf8) { return -.infinity }
    return nil
  }

  /// The 16 bytes of a UUID's text, letters in either case.
  static func uuid(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
    guard text.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (index, byte) in text.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == 0x2D else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x37
      case 0x61...0x66: digit = byte - 0x57
      default: return nil
      }
      if digits < 16 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
      digits += 1
    }
    return (halves.0.bigEndian, halves.1.bigEndian)
  }

  private static func mismatch(
    _ token: JSONToken,
    _ reader: borrowing JSONReader,
    _ field: FieldDefinition,
    _ collection: String
  ) -> StorageError {
    reader.error(
      .typeMismatch,
      "field \(field.name) of \(collection) takes \(field.type), not \(token.name)"
    )
  }

  private static func invalid(
    _ takes: String,
    _ reader: borrowing JSONReader,
    _ field: FieldDefinition,
    _ collection: String
  ) -> StorageError {
    reader.error(.invalidValue, "field \(field.name) of \(collection) \(takes)")
  }
}
