/// Writes a property list as XML or in the binary format.
///
/// Strings cannot hold every Unicode text; see ``canHold(_:)``. Reals are written so that they
/// read back bit for bit. The bytes may be taken out and emptied at any time, so that a list of any
/// length is written in little memory; the binary format keeps eight bytes a value until the end.
///
/// ```swift
/// var writer = PropertyListWriter(.xml)
/// writer.beginArray()
/// writer.integer(1)
/// writer.endArray()
/// writer.finish()
/// ```
public struct PropertyListWriter {
  /// A way to write property lists.
  public enum Format: String, Sendable, CaseIterable {
    /// XML, version 1.0.
    case xml
    /// Apple's binary format, `bplist00`.
    case binary
  }

  /// The format.
  public let format: Format
  /// How many levels of XML have their values on lines of their own; what is deeper shares a line.
  private let lineLevels: Int
  /// What has been written since it was last taken out.
  public var bytes: [UInt8] = []

  private var depth = 0
  private var binary = BinaryPropertyListObjects()

  /// Creates a writer that has written no value.
  ///
  /// - Parameters:
  ///   - format: the format.
  ///   - lineLevels: how many levels of XML have their values on lines of their own; with 1, each
  ///     value of a list is one line.
  public init(_ format: Format, lineLevels: Int = .max) {
    self.format = format
    self.lineLevels = lineLevels
    switch format {
    case .xml:
      append(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """
      )
    case .binary:
      append("bplist00")
    }
  }

  /// Whether strings can hold `utf8`: XML has no control characters other than tab and line feed, no
  /// U+FFFE and U+FFFF, and turns carriage returns into line feeds.
  ///
  /// The same for both formats, so that what was written in one can be converted to the other.
  public static func canHold(_ utf8: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < utf8.count {
      if index + 8 <= utf8.count {
        let word = utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        // Eight bytes from space to delete, which all are allowed.
        if (word | (word &- 0x2020_2020_2020_2020)) & 0x8080_8080_8080_8080 == 0 {
          index += 8
          continue
        }
      }
      let byte = utf8[index]
      if byte < 0x20, byte != 0x09, byte != 0x0A { return false }
      if byte == 0xEF, index + 2 < utf8.count, utf8[index + 1] == 0xBF, utf8[index + 2] >= 0xBE {
        return false
      }
      index += 1
    }
    return true
  }

  /// Begins an array.
  public mutating func beginArray() {
    if format == .binary { return binary.open(isDictionary: false) }
    beginElement("<array>")
  }

  /// Ends an array.
  public mutating func endArray() {
    if format == .binary { return binary.close(&bytes) }
    endElement("</array>")
  }

  /// Begins a dictionary.
  public mutating func beginDictionary() {
    if format == .binary { return binary.open(isDictionary: true) }
    beginElement("<dict>")
  }

  /// Ends a dictionary.
  public mutating func endDictionary() {
    if format == .binary { return binary.close(&bytes) }
    endElement("</dict>")
  }

  /// Writes a dictionary's key; its value must follow.
  ///
  /// - Precondition: it is valid UTF-8, and strings can hold it.
  public mutating func key(utf8: UnsafeRawBufferPointer) {
    if format == .binary { return binary.key(utf8, &bytes) }
    indent()
    append("<key>")
    appendEscaped(utf8)
    append("</key>")
    endLine()
  }

  /// Writes a dictionary's key; its value must follow.
  ///
  /// - Precondition: strings can hold it.
  public mutating func key(_ name: String) {
    var copy = name
    copy.withUTF8 { key(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string.
  ///
  /// - Precondition: it is valid UTF-8, and strings can hold it.
  public mutating func string(utf8: UnsafeRawBufferPointer) {
    if format == .binary { return binary.string(utf8, &bytes) }
    indent()
    append("<string>")
    appendEscaped(utf8)
    append("</string>")
    endLine()
  }

  /// Writes a string.
  ///
  /// - Precondition: strings can hold it.
  public mutating func string(_ value: String) {
    var copy = value
    copy.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Writes data.
  public mutating func data(_ value: UnsafeRawBufferPointer) {
    if format == .binary { return binary.data(value, &bytes) }
    indent()
    append("<data>")
    Base64.append(value, to: &bytes)
    append("</data>")
    endLine()
  }

  /// Writes an integer.
  public mutating func integer(_ value: Int64) {
    if format == .binary { return binary.integer(value, &bytes) }
    indent()
    append("<integer>")
    IntegerText.append(value, to: &bytes)
    append("</integer>")
    endLine()
  }

  /// Writes a real.
  ///
  /// - Precondition: the value is not NaN, which no store holds.
  public mutating func real(_ value: Double) {
    precondition(!value.isNaN, "NaN cannot be written")
    if format == .binary { return binary.real(value, &bytes) }
    indent()
    append("<real>")
    if value.isFinite {
      bytes.append(contentsOf: value.description.utf8)
    } else {
      append(value > 0 ? "+infinity" : "-infinity")
    }
    append("</real>")
    endLine()
  }

  /// Writes true or false.
  public mutating func bool(_ value: Bool) {
    if format == .binary { return binary.bool(value, &bytes) }
    indent()
    append(value ? "<true/>" : "<false/>")
    endLine()
  }

  /// Ends the property list; nothing may be written after it.
  public mutating func finish() {
    if format == .binary { return binary.finish(&bytes) }
    append("</plist>\n")
  }

  // MARK: XML

  private mutating func beginElement(_ tag: StaticString) {
    indent()
    append(tag)
    depth += 1
    if depth <= lineLevels { bytes.append(0x0A) }
  }

  private mutating func endElement(_ tag: StaticString) {
    depth -= 1
    if depth < lineLevels { indent() }
    append(tag)
    endLine()
  }

  private mutating func indent() {
    guard depth <= lineLevels else { return }
    for _ in 0..<depth { bytes.append(0x09) }
  }

  private mutating func endLine() {
    if depth <= lineLevels { bytes.append(0x0A) }
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    )
  }

  private mutating func appendEscaped(_ utf8: UnsafeRawBufferPointer) {
    var rest = utf8
    while let index = Self.firstEscape(rest) {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<index]))
      append(rest[index] == 0x26 ? "&amp;" : rest[index] == 0x3C ? "&lt;" : "&gt;")
      rest = UnsafeRawBufferPointer(rebasing: rest[(index + 1)...])
    }
    bytes.append(contentsOf: rest)
  }

  /// Where the first `&`, `<` or `>` is, found eight bytes at a time where there is none.
  private static func firstEscape(_ utf8: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while index + 8 <= utf8.count {
      let word = utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // `<` and `>` are alike but for one bit.
      let ampersand = word ^ 0x2626_2626_2626_2626
      let bracket = (word | 0x0202_0202_0202_0202) ^ 0x3E3E_3E3E_3E3E_3E3E
      if hasZeroByte(ampersand) || hasZeroByte(bracket) { break }
      index += 8
    }
    while index < utf8.count {
      if utf8[index] == 0x26 || utf8[index] == 0x3C || utf8[index] == 0x3E { return index }
      index += 1
    }
    return nil
  }

  private static func hasZeroByte(_ word: UInt64) -> Bool {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
  }
}
