/// Writes JSON without white space to bytes.
///
/// Commas are put by the writer; that objects and arrays are closed and that members have names is
/// up to the caller. Only what must be escaped is: quotes, backslashes and control characters.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("name")
/// writer.string("Ada")
/// writer.endObject()
/// ```
public struct JSONWriter {
  /// What has been written; may be taken out and emptied between values.
  public var bytes: [UInt8] = []
  private var needsComma = false

  /// Creates a writer that has written nothing.
  public init() {}

  /// What has been written, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes `{`.
  public mutating func beginObject() { open(0x7B) }
  /// Writes `}`.
  public mutating func endObject() { close(0x7D) }
  /// Writes `[`.
  public mutating func beginArray() { open(0x5B) }
  /// Writes `]`.
  public mutating func endArray() { close(0x5D) }

  /// Writes the name of a member.
  public mutating func key(_ name: String) {
    separate()
    Self.appendQuoted(name, to: &bytes)
    bytes.append(0x3A)
    needsComma = false
  }

  /// Writes the name of a member that was made by ``quotedKey(_:)``.
  public mutating func key(quoted name: [UInt8]) {
    separate()
    bytes.append(contentsOf: name)
    needsComma = false
  }

  /// The bytes of a name with quotes and colon, to write many times.
  public static func quotedKey(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    appendQuoted(name, to: &bytes)
    bytes.append(0x3A)
    return bytes
  }

  /// Writes `null`.
  public mutating func null() { word("null") }
  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

  /// Writes an integer.
  public mutating func integer(_ value: Int64) {
    separate()
    IntegerText.append(value, to: &bytes)
  }

  /// Writes the shortest text that reads back as the same double, always with a fraction or an
  /// exponent; infinities as the strings `"Infinity"` and `"-Infinity"`.
  ///
  /// - Precondition: the value is not NaN, which no store holds.
  public mutating func real(_ value: Double) {
    precondition(!value.isNaN, "NaN cannot be written")
    guard value.isFinite else {
      string(value > 0 ? "Infinity" : "-Infinity")
      return
    }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a string.
  public mutating func string(_ value: String) {
    separate()
    Self.appendQuoted(value, to: &bytes)
  }

  /// Writes a string of UTF-8 bytes.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` if they are not valid UTF-8.
  public mutating func string(utf8: UnsafeRawBufferPointer) throws(StorageError) {
    guard UTF8Check.isValid(utf8) else {
      throw StorageError(.invalidValue, "a text is not valid UTF-8; it cannot be written as JSON")
    }
    separate()
    Self.appendQuoted(utf8, to: &bytes)
  }

  /// Writes bytes as a base64 string (RFC 4648, section 4).
  public mutating func base64(_ value: UnsafeRawBufferPointer) {
    separate()
    bytes.append(0x22)
    Base64.append(value, to: &bytes)
    bytes.append(0x22)
  }

  /// Writes a value that is JSON already.
  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    bytes.append(contentsOf: json)
  }

  // MARK: Parts

  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  private mutating func word(_ word: StaticString) {
    separate()
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    )
  }

  /// Forgets that a comma is due: what follows begins a text of its own, as on a line.
  public mutating func beginText() { needsComma = false }

  static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    var copy = text
    copy.withUTF8 { appendQuoted(UnsafeRawBufferPointer($0), to: &bytes) }
  }

  static func appendQuoted(_ utf8: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    utf8.withMemoryRebound(to: UInt8.self) { text in
      guard let base = text.baseAddress else { return }
      var high: UInt64 = 0
      var start = 0
      while true {
        let end = JSONPlainText.end(base, start, text.count, &high)
        bytes.append(contentsOf: UnsafeBufferPointer(start: base + start, count: end - start))
        if end == text.count { return }
        appendEscape(text[end], to: &bytes)
        start = end + 1
      }
    }
    bytes.append(0x22)
  }

  private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(0x5C)
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x08: bytes.append(0x62)
    case 0x0C: bytes.append(0x66)
    case 0x0A: bytes.append(0x6E)
    case 0x0D: bytes.append(0x72)
    case 0x09: bytes.append(0x74)
    default:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: [0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }
  }
}
