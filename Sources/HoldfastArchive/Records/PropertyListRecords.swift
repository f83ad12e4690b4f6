import Holdfast

/// Reads the records of a property list, XML or binary: an array of dictionaries.
final class PropertyListRecordReader: RecordReading {
  private var reader: PropertyListReader
  private let rows: RowPropertyList
  private var hasBegun = false

  init(_ bytes: UnsafeRawBufferPointer, _ collection: Collection) throws(StorageError) {
    reader = try PropertyListReader(bytes)
    rows = RowPropertyList(collection, usesDefaults: false)
  }

  func next(into row: RowBuffer) throws(StorageError) -> Bool {
    if !hasBegun {
      guard try reader.next() == .beginArray else {
        throw reader.error(.malformedInput, "expected the records as an array")
      }
      hasBegun = true
    }
    let token = try reader.next()
    if token == .beginDictionary {
      try rows.readMembers(from: &reader, into: row)
      return true
    }
    guard token == .endArray else {
      throw reader.error(.typeMismatch, "expected a record as a dictionary, not \(token.name)")
    }
    _ = try reader.next()
    return false
  }
}

/// Writes records as a property list; in XML one record a line, so that it reads and compares well.
struct PropertyListRecordWriter: RecordWriting {
  private var writer: PropertyListWriter
  private let rows: RowPropertyList

  init(_ collection: Collection, _ format: PropertyListWriter.Format) {
    writer = PropertyListWriter(format, lineLevels: 1)
    rows = RowPropertyList(collection)
    writer.beginArray()
  }

  mutating func append(_ row: RowView, to file: FileWriter) throws(StorageError) {
    try rows.write(row, to: &writer)
    try file.takeIfLarge(&writer.bytes)
  }

  mutating func end(_ file: FileWriter) throws(StorageError) {
    writer.endArray()
    writer.finish()
    try file.take(&writer.bytes)
  }
}
