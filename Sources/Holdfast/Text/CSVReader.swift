/// A strict reader for comma-separated values (RFC 4180) in UTF-8.
///
/// Lines end in LF or CRLF; a byte order mark is skipped. A quote within an unquoted field, text
/// behind a closing quote, a quote that is never closed and a carriage return alone are errors.
/// Whether a row has as many fields as the header is for the caller to say.
public struct CSVReader: ~Copyable {
  private struct Field {
    var start: Int
    var end: Int
    var isQuoted: Bool
  }

  private var window: ByteWindow
  private var record = ByteStack(capacity: 512)
  private var fields: [Field] = []
  private let maximumRecordLength: Int

  /// The line on which the record begins that was read last, from 1.
  public private(set) var line = 0
  private var nextLine = 1

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - maximumRecordLength: the longest record, in bytes.
  public init(
    _ source: ByteSource,
    maximumRecordLength: Int = JSONReader.defaultMaximumTokenLength
  ) {
    window = ByteWindow(source, maximumTokenLength: maximumRecordLength)
    self.maximumRecordLength = maximumRecordLength
  }

  /// The number of fields of the record.
  public var count: Int { fields.count }

  /// The bytes of field `index`, quotes resolved: valid UTF-8, borrowed until the next record.
  public func bytes(_ index: Int) -> UnsafeRawBufferPointer {
    let field = fields[index]
    return UnsafeRawBufferPointer(rebasing: record.bytes[field.start..<field.end])
  }

  /// The text of field `index`.
  public func text(_ index: Int) -> String { String(decoding: bytes(index), as: UTF8.self) }

  /// Whether field `index` is empty and not quoted, which stands for null.
  public func isNull(_ index: Int) -> Bool {
    let field = fields[index]
    return field.start == field.end && !field.isQuoted
  }

  /// Reads the next record; false at the end of the input.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` naming the line; what the source throws.
  public mutating func next() throws(StorageError) -> Bool {
    if window.position == 0, window.discarded == 0 { try skipByteOrderMark() }
    guard try hasByte() else { return false }
    line = nextLine
    record.truncate(to: 0)
    fields.removeAll(keepingCapacity: true)
    while true {
      let isQuoted = window.base[window.position] == 0x22
      let start = record.count
      let hasMore = isQuoted ? try quotedField() : try plainField()
      fields.append(Field(start: start, end: record.count, isQuoted: isQuoted))
      guard hasMore else { break }
      guard try hasByte() else {
        // A comma at the very end is followed by one more empty field.
        fields.append(Field(start: record.count, end: record.count, isQuoted: false))
        break
      }
    }
    if !UTF8Check.isValid(record.bytes) { throw malformed("invalid UTF-8") }
    return true
  }

  /// Makes an error that names the line of the record.
  public func error(_ code: StorageError.Code, _ message: String) -> StorageError {
    StorageError(code, "\(message) at line \(line)")
  }

  private func malformed(_ message: String) -> StorageError {
    error(.malformedInput, "not CSV: \(message) in the record")
  }

  // MARK: Fields

  /// Reads a field without quotes; returns whether a comma follows it.
  private mutating func plainField() throws(StorageError) -> Bool {
    while true {
      guard try hasByte() else { return false }
      let base = window.base
      let start = window.position
      var index = start
      while index < window.end {
        let byte = base[index]
        if byte == 0x2C || byte == 0x0A || byte == 0x0D || byte == 0x22 { break }
        index += 1
      }
      try append(start, index)
      if index == window.end { continue }
      guard base[index] != 0x22 else { throw malformed("a quote within an unquoted field") }
      return try separator()
    }
  }

  private mutating func quotedField() throws(StorageError) -> Bool {
    window.position += 1
    while true {
      guard try hasByte() else { throw malformed("a field without its closing quote") }
      let base = window.base
      let start = window.position
      var index = start
      while index < window.end, base[index] != 0x22 {
        if base[index] == 0x0A { nextLine += 1 }
        index += 1
      }
      try append(start, index)
      if index == window.end { continue }
      window.position += 1
      guard try hasByte() else { return false }
      guard window.base[window.position] == 0x22 else { return try separator() }
      record.append(0x22)
      window.position += 1
    }
  }

  /// Reads what ends a field; returns whether it is a comma.
  private mutating func separator() throws(StorageError) -> Bool {
    let byte = window.base[window.position]
    window.position += 1
    switch byte {
    case 0x2C: return true
    case 0x0A:
      nextLine += 1
      return false
    case 0x0D:
      guard try hasByte(), window.base[window.position] == 0x0A else {
        throw malformed("a carriage return without a line feed")
      }
      window.position += 1
      nextLine += 1
      return false
    default: throw malformed("text behind a closing quote")
    }
  }

  private mutating func append(_ start: Int, _ end: Int) throws(StorageError) {
    record.append(UnsafeRawBufferPointer(start: window.base + start, count: end - start))
    window.position = end
    guard record.count <= maximumRecordLength else {
      throw malformed("more than \(maximumRecordLength) bytes")
    }
  }

  // MARK: Bytes

  @inline(__always)
  private mutating func hasByte() throws(StorageError) -> Bool {
    if window.position < window.end { return true }
    window.start = window.position
    return try window.more()
  }

  private mutating func skipByteOrderMark() throws(StorageError) {
    while window.end < 3, try window.more() {}
    if window.end >= 3, window.base[0] == 0xEF, window.base[1] == 0xBB, window.base[2] == 0xBF {
      window.position = 3
    }
  }
}
