import Holdfast

/// Writes records as a binary property list, streaming: only the offsets of its objects are kept.
///
/// Source of the format: CoreFoundation, `CFBinaryPList.c` (`bplist00`). The number of objects must
/// be known first, since it sets the width of references; see ``objectCount(_:)``.
struct BinaryRecordWriter {
  private let fields: PropertyListFields
  private let referenceSize: Int
  private var offsets: [UInt64] = []
  private var records: [UInt32] = []
  /// The object of the key `text`, for dictionaries that wrap text in `any` fields.
  private let wrapperKey: Int
  private let scratch = OutputBuffer()

  /// Prepares a file of as many objects as ``objectCount(_:_:)`` gives for all rows together.
  init(_ collection: Collection, objectCount: Int) {
    fields = PropertyListFields(collection)
    let total = objectCount + collection.fields.count + 2
    referenceSize = total <= 0xFF ? 1 : total <= 0xFFFF ? 2 : 4
    wrapperKey = collection.fields.count
  }

  /// How many objects a row takes: its dictionary, and each value that is not null.
  static func objectCount(_ row: RowView, _ collection: Collection) -> Int {
    var count = 1
    for position in 0..<row.count where !row.isNull(position) {
      count += isWrapped(row, position, collection) ? 2 : 1
    }
    return count
  }

  private static func isWrapped(_ row: RowView, _ position: Int, _ collection: Collection) -> Bool {
    collection.fields[position].type == .any && row.kind(position) == .text
      && !PropertyListFields.isXMLText(row.bytes(position))
  }

  mutating func begin(_ file: FileWriter) {
    file.output.append("bplist00")
    for key in fields.keys { appendString(key, to: file) }
    appendString("text", to: file)
  }

  mutating func append(_ row: RowView, to file: FileWriter) throws(StorageError) {
    var keys: [Int] = []
    var values: [Int] = []
    for position in 0..<row.count where !row.isNull(position) {
      keys.append(position)
      values.append(try appendValue(row, position, to: file))
      try file.flushIfLarge()
    }
    records.append(UInt32(truncatingIfNeeded: offsets.count))
    appendDictionary(keys, values, to: file)
  }

  mutating func end(_ file: FileWriter) throws(StorageError) {
    let top = offsets.count
    beginObject(file)
    appendHead(0xA0, records.count, to: file.output)
    for record in records {
      file.output.appendBigEndian(UInt64(record), size: referenceSize)
      try file.flushIfLarge()
    }
    let table = UInt64(file.count)
    let offsetSize = table <= 0xFF ? 1 : table <= 0xFFFF ? 2 : table <= 0xFFFF_FFFF ? 4 : 8
    for offset in offsets {
      file.output.appendBigEndian(offset, size: offsetSize)
      try file.flushIfLarge()
    }
    for _ in 0..<6 { file.output.append(0) }
    file.output.append(UInt8(offsetSize))
    file.output.append(UInt8(referenceSize))
    file.output.appendBigEndian(UInt64(offsets.count), size: 8)
    file.output.appendBigEndian(UInt64(top), size: 8)
    file.output.appendBigEndian(table, size: 8)
  }

  // MARK: Objects

  private mutating func beginObject(_ file: FileWriter) { offsets.append(UInt64(file.count)) }

  private mutating func appendValue(
    _ row: RowView,
    _ position: Int,
    to file: FileWriter
  ) throws(StorageError) -> Int {
    let type = fields.collection.fields[position].type
    let object = offsets.count
    beginObject(file)
    switch row.kind(position) {
    case .null: break
    case .integer where type == .bool:
      file.output.append(row.integer(position) == 0 ? 0x08 : 0x09)
    case .integer: appendInteger(row.integer(position), to: file.output)
    case .real:
      file.output.append(0x23)
      file.output.appendBigEndian(row.real(position).bitPattern, size: 8)
    case .text where PropertyListFields.isXMLText(row.bytes(position)):
      try appendString(row.bytes(position), to: file.output)
    case .text: appendData(row.bytes(position), to: file.output)
    case .blob where type == .uuid:
      appendHead(0x50, UUIDText.length, to: file.output)
      UUIDText.append(row.bytes(position), to: file.output)
    case .blob: appendData(row.bytes(position), to: file.output)
    }
    guard Self.isWrapped(row, position, fields.collection) else { return object }
    let wrapper = offsets.count
    appendDictionary([wrapperKey], [object], to: file)
    return wrapper
  }

  private mutating func appendString(_ text: String, to file: FileWriter) {
    beginObject(file)
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    appendHead(isASCII ? 0x50 : 0x60, text.utf16.count, to: file.output)
    for unit in text.utf16 { file.output.appendBigEndian(UInt64(unit), size: isASCII ? 1 : 2) }
  }

  private func appendString(
    _ bytes: UnsafeRawBufferPointer,
    to output: OutputBuffer
  ) throws(StorageError) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      appendHead(0x50, bytes.count, to: output)
      output.append(bytes)
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StorageError(
        .corrupt,
        "a text of \(fields.collection.name) is not valid UTF-8; restore a backup"
      )
    }
    appendHead(0x60, text.utf16.count, to: output)
    for unit in text.utf16 { output.appendBigEndian(UInt64(unit), size: 2) }
  }

  private func appendData(_ bytes: UnsafeRawBufferPointer, to output: OutputBuffer) {
    appendHead(0x40, bytes.count, to: output)
    output.append(bytes)
  }

  private mutating func appendDictionary(_ keys: [Int], _ values: [Int], to file: FileWriter) {
    beginObject(file)
    appendHead(0xD0, keys.count, to: file.output)
    for key in keys { file.output.appendBigEndian(UInt64(key), size: referenceSize) }
    for value in values { file.output.appendBigEndian(UInt64(value), size: referenceSize) }
  }

  /// Appends an object's marker with its count.
  private func appendHead(_ marker: UInt8, _ count: Int, to output: OutputBuffer) {
    if count < 15 {
      output.append(marker | UInt8(count))
    } else {
      output.append(marker | 0x0F)
      appendInteger(Int64(count), to: output)
    }
  }

  /// Appends an integer object: one, two and four bytes are unsigned, eight are signed.
  private func appendInteger(_ value: Int64, to output: OutputBuffer) {
    let bits = UInt64(bitPattern: value)
    if bits <= 0xFF {
      output.append(0x10)
      output.appendBigEndian(bits, size: 1)
    } else if bits <= 0xFFFF {
      output.append(0x11)
      output.appendBigEndian(bits, size: 2)
    } else if bits <= 0xFFFF_FFFF {
      output.append(0x12)
      output.appendBigEndian(bits, size: 4)
    } else {
      output.append(0x13)
      output.appendBigEndian(bits, size: 8)
    }
  }
}
