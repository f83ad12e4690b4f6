import Holdfast

/// Reads the records of a binary property list: an array of dictionaries of scalars.
///
/// Every offset and count is checked before it is used; nothing is recursive. Values may be shared
/// between records (some writers do that), up to a limit on the bytes that this unfolds to.
final class BinaryRecordReader: RecordReading {
  private let bytes: UnsafeRawBufferPointer
  private let fields: PropertyListFields
  private var isPresent: [Bool]
  private var positions: [Int: Int] = [:]
  private let scratch = OutputBuffer()
  private var offsetSize = 0
  private var referenceSize = 0
  private var objectCount = 0
  private var tableOffset = 0
  /// Where the references of the top array are, and how many.
  private var records: (start: Int, count: Int)?
  private var nextRecord = 0
  /// How many more bytes of values may be read.
  private var budget: Int

  init(_ bytes: UnsafeRawBufferPointer, _ collection: Collection) {
    self.bytes = bytes
    fields = PropertyListFields(collection)
    isPresent = Array(repeating: false, count: collection.fields.count)
    budget = max(64 << 20, bytes.count.multipliedReportingOverflow(by: 100).partialValue)
  }

  func next(into row: RowBuffer) throws(StorageError) -> Bool {
    if records == nil { try begin() }
    guard let records else { return false }
    guard nextRecord < records.count else { return false }
    let reference = try integer(
      at: records.start + nextRecord * referenceSize,
      size: referenceSize
    )
    nextRecord += 1
    try readRecord(reference, into: row)
    return true
  }

  private func malformed(_ message: String) -> StorageError {
    StorageError(.malformedInput, "not a binary property list of records: \(message)")
  }

  // MARK: Structure

  private func begin() throws(StorageError) {
    guard bytes.count >= 40 else { throw malformed("the file ends early") }
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    objectCount = try integer(at: trailer + 8, size: 8)
    let top = try integer(at: trailer + 16, size: 8)
    tableOffset = try integer(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), tableOffset >= 8,
      tableOffset <= trailer, objectCount <= (trailer - tableOffset) / offsetSize
    else { throw malformed("its table of objects is damaged") }
    let array = try object(top)
    guard array.marker == 0xA0 else { throw malformed("its top is not an array") }
    try checkReferences(array.start, array.count)
    records = (array.start, array.count)
  }

  private func readRecord(_ reference: Int, into row: RowBuffer) throws(StorageError) {
    let dictionary = try object(reference)
    guard dictionary.marker == 0xD0 else { throw malformed("a record is not a dictionary") }
    guard dictionary.count <= isPresent.count else { throw malformed("a record has too many keys") }
    try checkReferences(dictionary.start, dictionary.count * 2)
    row.reset(count: isPresent.count)
    for position in isPresent.indices { isPresent[position] = false }
    for member in 0..<dictionary.count {
      let key = try integer(
        at: dictionary.start + member * referenceSize,
        size: referenceSize
      )
      let value = try integer(
        at: dictionary.start + (dictionary.count + member) * referenceSize,
        size: referenceSize
      )
      let position = try position(ofKey: key)
      guard !isPresent[position] else {
        throw StorageError(
          .malformedInput,
          "field \(fields.collection.fields[position].name) occurs twice"
        )
      }
      isPresent[position] = true
      try fields.set(try scalar(value, position), position, into: row)
    }
  }

  private func position(ofKey reference: Int) throws(StorageError) -> Int {
    if let position = positions[reference] { return position }
    guard case .string(let key) = try scalar(reference, nil) else {
      throw malformed("a key is not a string")
    }
    guard let position = fields.position(of: key, expected: 0) else {
      throw StorageError(
        .unknownField,
        "there is no field \(String(decoding: key, as: UTF8.self).debugDescription)"
      )
    }
    positions[reference] = position
    return position
  }

  // MARK: Objects

  /// An object's kind, its count where it has one, and where its content begins.
  private func object(
    _ reference: Int
  ) throws(StorageError) -> (marker: UInt8, count: Int, start: Int) {
    guard reference < objectCount else { throw malformed("a reference to no object") }
    let offset = try integer(at: tableOffset + reference * offsetSize, size: offsetSize)
    guard offset >= 8, offset < tableOffset else { throw malformed("an object out of place") }
    let marker = bytes[offset] & 0xF0
    let low = Int(bytes[offset] & 0x0F)
    let isCounted = marker >= 0x40
    guard isCounted, low == 0x0F else { return (marker, low, offset + 1) }
    guard offset + 1 < tableOffset, bytes[offset + 1] & 0xF8 == 0x10 else {
      throw malformed("an object without its count")
    }
    let size = 1 << Int(bytes[offset + 1] & 0x07)
    guard size <= 8 else { throw malformed("an object without its count") }
    return (marker, try integer(at: offset + 2, size: size), offset + 2 + size)
  }

  private func scalar(
    _ reference: Int,
    _ position: Int?
  ) throws(StorageError) -> PropertyListScalar {
    let (marker, count, start) = try object(reference)
    switch marker {
    case 0x00 where count == 8 || count == 9: return .bool(count == 9)
    case 0x10: return try integerScalar(start, size: 1 << count)
    case 0x20 where count == 2:
      let bits = try unsigned(at: start, size: 4)
      return .real(Double(Float(bitPattern: UInt32(bits))))
    case 0x20 where count == 3:
      return .real(Double(bitPattern: try unsigned(at: start, size: 8)))
    case 0x30 where count == 3:
      return .date(Double(bitPattern: try unsigned(at: start, size: 8)))
    case 0x40: return .data(try content(start, count))
    case 0x50:
      let text = try content(start, count)
      guard text.allSatisfy({ $0 < 0x80 }) else { throw malformed("an ASCII string that is none") }
      return .string(text)
    case 0x60: return .string(try wideText(start, count))
    case 0xD0:
      if let position, fields.collection.fields[position].type == .any, count == 1 {
        return try wrappedText(start)
      }
      throw malformed("a dictionary where a single value belongs")
    default: throw malformed("a value of a kind that records do not have")
    }
  }

  private func wrappedText(_ start: Int) throws(StorageError) -> PropertyListScalar {
    try checkReferences(start, 2)
    let key = try scalar(try integer(at: start, size: referenceSize), nil)
    let value = try scalar(try integer(at: start + referenceSize, size: referenceSize), nil)
    guard case .string(let name) = key, name.elementsEqual("text".utf8),
      case .data(let text) = value
    else { throw malformed("a dictionary where a single value belongs") }
    return .wrappedText(text)
  }

  private func integerScalar(_ start: Int, size: Int) throws(StorageError) -> PropertyListScalar {
    if size <= 8 {
      return .integer(Int64(bitPattern: try unsigned(at: start, size: size)))
    }
    guard size == 16 else { throw malformed("an integer of \(size) bytes") }
    let high = Int64(bitPattern: try unsigned(at: start, size: 8))
    let low = Int64(bitPattern: try unsigned(at: start + 8, size: 8))
    return high == (low < 0 ? -1 : 0) ? .integer(low) : .bigInteger
  }

  private func wideText(_ start: Int, _ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count else { throw malformed("an object out of place") }
    let units = try content(start, count * 2)
    var text: [UInt16] = []
    text.reserveCapacity(count)
    for index in 0..<count {
      text.append(UInt16(units[index * 2]) << 8 | UInt16(units[index * 2 + 1]))
    }
    guard let string = String(validating: text, as: UTF16.self) else {
      throw malformed("a string that is not UTF-16")
    }
    scratch.truncate(to: 0)
    scratch.append(string)
    return scratch.bytes
  }

  // MARK: Bytes

  private func content(_ start: Int, _ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count <= tableOffset - start, start <= tableOffset else {
      throw malformed("an object out of place")
    }
    budget -= count
    guard budget >= 0 else { throw malformed("values shared so often that they do not fit") }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
  }

  private func checkReferences(_ start: Int, _ count: Int) throws(StorageError) {
    guard start <= tableOffset, count <= (tableOffset - start) / referenceSize else {
      throw malformed("an object out of place")
    }
  }

  private func unsigned(at offset: Int, size: Int) throws(StorageError) -> UInt64 {
    guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else {
      throw malformed("an object out of place")
    }
    var value: UInt64 = 0
    for index in 0..<size { value = value << 8 | UInt64(bytes[offset + index]) }
    return value
  }

  private func integer(at offset: Int, size: Int) throws(StorageError) -> Int {
    let value = try unsigned(at: offset, size: size)
    guard value <= UInt64(Int32.max) * 1024 else { throw malformed("a number out of range") }
    return Int(value)
  }
}
