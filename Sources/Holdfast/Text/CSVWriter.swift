/// Writes comma-separated values (RFC 4180), with LF at the end of lines.
///
/// Null is an empty field, empty text is `""`, so the two stay apart; other fields are quoted where
/// they must be.
public struct CSVWriter {
  /// What has been written; may be taken out and emptied between records.
  public var bytes: [UInt8] = []
  private var needsComma = false

  /// Creates a writer that has written nothing.
  public init() {}

  /// Writes a null field.
  public mutating func null() { separate() }

  /// Writes a field.
  public mutating func field(_ utf8: UnsafeRawBufferPointer) {
    separate()
    let needsQuotes =
      utf8.isEmpty
      || utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
    guard needsQuotes else {
      bytes.append(contentsOf: utf8)
      return
    }
    bytes.append(0x22)
    var runStart = 0
    for index in 0..<utf8.count where utf8[index] == 0x22 {
      bytes.append(contentsOf: utf8[runStart...index])
      runStart = index
    }
    bytes.append(contentsOf: utf8[runStart...])
    bytes.append(0x22)
  }

  /// Writes a field.
  public mutating func field(_ text: String) {
    var copy = text
    copy.withUTF8 { field(UnsafeRawBufferPointer($0)) }
  }

  /// Ends the record.
  public mutating func endRecord() {
    bytes.append(0x0A)
    needsComma = false
  }

  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }
}
