import Holdfast

/// SQL as UTF-8 bytes.
///
/// Compared and hashed by bytes: `String` takes two names in different normal forms for equal,
/// SQLite does not.
struct SQLText {
  private(set) var bytes: [UInt8]

  init(_ text: String = "") { bytes = Array(text.utf8) }

  /// A text that begins with another, with room for more.
  init(_ start: SQLText, room: Int) {
    bytes = []
    bytes.reserveCapacity(start.bytes.count + room)
    bytes.append(contentsOf: start.bytes)
  }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Forgets what was appended behind the first `count` bytes.
  mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

  mutating func append(_ text: SQLText) { bytes.append(contentsOf: text.bytes) }

  /// Appends an identifier in double quotes, which make any name safe.
  mutating func appendName(_ name: String) {
    bytes.append(0x22)
    for byte in name.utf8 {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }

  /// Appends names, separated by commas.
  mutating func appendNames(_ names: some Sequence<String>) {
    var isFirst = true
    for name in names {
      if !isFirst { append(", ") }
      isFirst = false
      appendName(name)
    }
  }

  /// Appends the names of some fields, separated by commas.
  mutating func appendFields(_ positions: some Sequence<Int>, of collection: Collection) {
    appendNames(positions.lazy.map { collection.fields[$0].name })
  }
}

extension SQLText: Hashable {
  static func == (left: SQLText, right: SQLText) -> Bool { left.bytes == right.bytes }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
