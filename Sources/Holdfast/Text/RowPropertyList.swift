/// The one mapping between stored rows and property lists, for archives, exports and the tool.
///
/// A dictionary with the fields' names: `bool`, `integer`, `real`, data for blobs, strings for all
/// other types (`json` as its canonical text). A field that is null is absent. Text that XML cannot
/// hold, and text in a `json` field that is not canonical, is data; in a field of type `any` it is a
/// dictionary with the data under the key `text`. What ``write(_:to:)`` writes, ``read(from:into:)`` reads back to the same
/// values, bit for bit.
///
/// Holds scratch memory: use one for many rows, on one thread.
public final class RowPropertyList {
  /// The collection whose rows are read and written.
  public let collection: Collection
  private let usesDefaults: Bool
  /// Each field's key, which is its name wherever XML can hold it.
  private let keys: [[UInt8]]
  private var isPresent: [Bool]

  /// Prepares the mapping of a collection.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - usesDefaults: whether a required field that is absent takes its default when reading.
  public init(_ collection: Collection, usesDefaults: Bool = true) {
    self.collection = collection
    self.usesDefaults = usesDefaults
    keys = collection.fields.map { Array(Self.key(of: $0.name).utf8) }
    isPresent = Array(repeating: false, count: keys.count)
  }

  /// The key of a field: its name, but with U+FFFE and U+FFFF, which XML cannot hold, as `\uFFFE`
  /// and `\uFFFF` after a backslash at the start, and then with each backslash twice.
  static func key(of name: String) -> String {
    let needsEscapes = name.unicodeScalars.contains { $0.value == 0xFFFE || $0.value == 0xFFFF }
    guard needsEscapes || name.utf8.first == 0x5C else { return name }
    var key = "\\"
    for scalar in name.unicodeScalars {
      switch scalar.value {
      case 0xFFFE: key += "\\uFFFE"
      case 0xFFFF: key += "\\uFFFF"
      case 0x5C: key += "\\\\"
      default: key.unicodeScalars.append(scalar)
      }
    }
    return key
  }

  // MARK: Writing

  /// Writes a row as a dictionary.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a value does not fit its field's type or is not
  ///   UTF-8.
  public func write(
    _ row: RowView,
    to writer: inout PropertyListWriter
  ) throws(StorageError) {
    writer.beginDictionary()
    for (position, field) in collection.fields.enumerated() where !row.isNull(position) {
      let kind = row.kind(position)
      if let stored = field.type.storedKind, stored != kind {
        throw StorageError(
          .corrupt,
          "field \(field.name) of \(collection.name) holds \(kind) where \(field.type) belongs"
        )
      }
      keys[position].withUnsafeBytes { writer.key(utf8: $0) }
      switch kind {
      case .null: break
      case .integer where field.type == .bool: writer.bool(row.integer(position) != 0)
      case .integer: writer.integer(row.integer(position))
      case .real: writer.real(row.real(position))
      case .text: try write(text: row.bytes(position), field, to: &writer)
      case .blob where field.type == .uuid:
        let bytes = row.bytes(position)
        guard bytes.count == 16 else {
          throw StorageError(
            .corrupt,
            "field \(field.name) of \(collection.name) is not 16 bytes; restore a backup"
          )
        }
        try ValueJSON.withUUIDText(bytes) { (text) throws(StorageError) in
          writer.string(utf8: text)
        }
      case .blob: writer.data(row.bytes(position))
      }
    }
    writer.endDictionary()
  }

  private func write(
    text: UnsafeRawBufferPointer,
    _ field: FieldDefinition,
    to writer: inout PropertyListWriter
  ) throws(StorageError) {
    guard UTF8Check.isValid(text) else {
      throw StorageError(
        .corrupt,
        "field \(field.name) of \(collection.name) is not valid UTF-8; restore a backup"
      )
    }
    if PropertyListWriter.canHold(text), field.type != .json || JSON.isCanonical(text) {
      writer.string(utf8: text)
    } else if field.type == .any {
      writer.beginDictionary()
      writer.key("text")
      writer.data(text)
      writer.endDictionary()
    } else {
      writer.data(text)
    }
  }

  // MARK: Reading

  /// Reads the dictionary that comes next.
  ///
  /// - Throws: as ``readMembers(from:into:)``; ``StorageError/Code/typeMismatch`` if it is none.
  public func read(
    from reader: inout PropertyListReader,
    into row: RowBuffer
  ) throws(StorageError) {
    let token = try reader.next()
    guard token == .beginDictionary else {
      throw reader.error(
        .typeMismatch,
        "a record of \(collection.name) is a dictionary, not \(token.name)"
      )
    }
    try readMembers(from: &reader, into: row)
  }

  /// Reads the rest of a dictionary whose ``PropertyListToken/beginDictionary`` has been taken.
  ///
  /// Checks types, but not whether required fields are there; the store does that.
  ///
  /// - Throws: ``StorageError/Code/malformedInput``, ``StorageError/Code/unknownField``,
  ///   ``StorageError/Code/typeMismatch`` and ``StorageError/Code/invalidValue`` naming the field
  ///   and the place.
  public func readMembers(
    from reader: inout PropertyListReader,
    into row: RowBuffer
  ) throws(StorageError) {
    row.reset(count: keys.count)
    for index in isPresent.indices { isPresent[index] = false }
    var expected = 0
    while try reader.next() == .key {
      let position = try position(expected, reader)
      try read(try reader.next(), from: &reader, into: row, position)
      isPresent[position] = true
      expected = position + 1
    }
    guard usesDefaults else { return }
    for (position, field) in collection.fields.enumerated()
    where !isPresent[position] && !field.isOptional {
      if let value = field.defaultValue { row.set(position, value) }
    }
  }

  private func position(
    _ expected: Int,
    _ reader: PropertyListReader
  ) throws(StorageError) -> Int {
    let name = reader.bytes
    func isEqual(_ index: Int) -> Bool {
      keys[index].count == name.count
        && keys[index].withUnsafeBytes { Bytes.compare(name, $0) == 0 }
    }
    // Records tend to have their fields in the declared order.
    for index in expected..<keys.count where isEqual(index) { return index }
    for index in 0..<expected where isEqual(index) { return index }
    throw reader.error(
      .unknownField,
      "collection \(collection.name) has no field \(reader.text.debugDescription); it has "
        + collection.fields.map(\.name).joined(separator: ", ") + ";"
    )
  }

  private func read(
    _ token: PropertyListToken,
    from reader: inout PropertyListReader,
    into row: RowBuffer,
    _ index: Int
  ) throws(StorageError) {
    let field = collection.fields[index]
    switch (field.type, token) {
    case (.integer, .integer(let value)), (.any, .integer(let value)): row.setInteger(index, value)
    case (.integer, .bigInteger), (.any, .bigInteger):
      throw invalid("takes integers of 64 bits", field, reader)
    case (.real, .real(let value)), (.any, .real(let value)): row.setReal(index, value)
    case (.real, .integer(let value)):
      guard Int64(exactly: Double(value)) == value else {
        throw invalid("takes reals, and this integer is none exactly", field, reader)
      }
      row.setReal(index, Double(value))
    case (.bool, .bool(let value)): row.setInteger(index, value ? 1 : 0)
    case (.text, .string), (.any, .string): row.setText(index, reader.bytes)
    case (.text, .data), (.json, .data):
      guard UTF8Check.isValid(reader.bytes) else {
        throw invalid("takes text, and data only if it is UTF-8", field, reader)
      }
      row.setText(index, reader.bytes)
    case (.blob, .data), (.any, .data): row.setBlob(index, reader.bytes)
    case (.date, .date): row.setText(index, reader.bytes)
    case (.date, .string):
      if DateCoding.decode(utf8: reader.bytes) != nil {
        row.setText(index, reader.bytes)
      } else if let date = DateCoding.canonical(reader.text) {
        row.setText(index, date)
      } else {
        throw invalid("takes a date as 2026-01-31 or 2026-01-31T12:00:00Z", field, reader)
      }
    case (.uuid, .string):
      guard let bits = ValueJSON.uuid(reader.bytes) else {
        throw invalid("takes a UUID as 32 hexadecimal digits in five groups", field, reader)
      }
      withUnsafeBytes(of: bits) { row.setBlob(index, $0) }
    case (.decimal, .string):
      guard let decimal = DecimalCoding.canonical(reader.text) else {
        throw invalid("takes a decimal number", field, reader)
      }
      row.setText(index, decimal)
    case (.decimal, .integer(let value)): row.setText(index, String(value))
    case (.json, .string):
      guard let canonical = JSON.canonical(reader.bytes) else {
        throw invalid("takes JSON as text", field, reader)
      }
      canonical.withUnsafeBytes { row.setText(index, $0) }
    case (.json, .beginArray), (.json, .beginDictionary):
      var writer = JSONWriter()
      try copyJSON(token, from: &reader, field, to: &writer)
      let canonical = writer.bytes.withUnsafeBytes { JSON.canonical($0) }
      (canonical ?? writer.bytes).withUnsafeBytes { row.setText(index, $0) }
    case (.any, .beginDictionary):
      let takes = "takes as its only dictionary {text: data}"
      guard try reader.next() == .key, reader.text == "text", try reader.next() == .data,
        UTF8Check.isValid(reader.bytes)
      else { throw invalid(takes, field, reader) }
      row.setText(index, reader.bytes)
      guard try reader.next() == .endDictionary else { throw invalid(takes, field, reader) }
    default:
      throw reader.error(
        .typeMismatch,
        "field \(field.name) of \(collection.name) takes \(field.type), not \(token.name)"
      )
    }
  }

  /// Copies a nested value as JSON: dates as text, data as base64, infinities as text.
  private func copyJSON(
    _ token: PropertyListToken,
    from reader: inout PropertyListReader,
    _ field: FieldDefinition,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    switch token {
    case .beginArray:
      writer.beginArray()
      while true {
        let element = try reader.next()
        if element == .endArray { break }
        try copyJSON(element, from: &reader, field, to: &writer)
      }
      writer.endArray()
    case .beginDictionary:
      writer.beginObject()
      while try reader.next() == .key {
        writer.key(reader.text)
        try copyJSON(try reader.next(), from: &reader, field, to: &writer)
      }
      writer.endObject()
    case .string, .date: try writer.string(utf8: reader.bytes)
    case .data: writer.base64(reader.bytes)
    case .integer(let value): writer.integer(value)
    case .real(let value): writer.real(value)
    case .bool(let value): writer.bool(value)
    case .bigInteger, .endArray, .endDictionary, .key, .end:
      throw invalid("takes integers of 64 bits", field, reader)
    }
  }

  private func invalid(
    _ takes: String,
    _ field: FieldDefinition,
    _ reader: PropertyListReader
  ) -> StorageError {
    reader.error(.invalidValue, "field \(field.name) of \(collection.name) \(takes)")
  }
}
