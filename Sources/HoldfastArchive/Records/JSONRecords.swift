import Holdfast

/// Reads the records of a JSON file: an array of objects.
final class JSONRecordReader: RecordReading {
  private var reader: JSONReader
  private let rows: RowJSON
  private var hasBegun = false

  init(_ bytes: UnsafeRawBufferPointer, _ collection: Collection) {
    reader = JSONReader(ByteSource(bytes))
    rows = RowJSON(collection, omitsNulls: true, usesDefaults: false)
  }

  func next(into row: RowBuffer) throws(StorageError) -> Bool {
    if !hasBegun {
      guard try reader.next() == .beginArray else {
        throw reader.error(.malformedInput, "expected the records as an array")
      }
      hasBegun = true
    }
    let token = try reader.next()
    if token == .beginObject {
      try rows.readMembers(from: &reader, into: row)
      return true
    }
    guard token == .endArray else {
      throw reader.error(.typeMismatch, "expected a record as an object, not \(token.name)")
    }
    _ = try reader.next()
    return false
  }
}

/// Writes records as a JSON array, one record a line, so that it reads and compares well.
struct JSONRecordWriter: RecordWriting {
  private var writer = JSONWriter()
  private let rows: RowJSON
  private var isFirst = true

  init(_ collection: Collection) {
    rows = RowJSON(collection, omitsNulls: true, usesDefaults: false)
    writer.bytes.append(contentsOf: "[\n".utf8)
  }

  mutating func append(_ row: RowView, to file: FileWriter) throws(StorageError) {
    if !isFirst { writer.bytes.append(contentsOf: ",\n".utf8) }
    isFirst = false
    writer.beginText()
    try rows.write(row, to: &writer)
    try file.takeIfLarge(&writer.bytes)
  }

  mutating func end(_ file: FileWriter) throws(StorageError) {
    writer.bytes.append(contentsOf: (isFirst ? "]\n" : "\n]\n").utf8)
    try file.take(&writer.bytes)
  }
}
