/// Finds parts of a canonical JSON text in place, without reading the rest of it.
///
/// A text that is no JSON has no parts; whatever it holds, nothing outside it is read.
struct JSONScanner {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The value at a path of member names, each as ``JSONWriter/quotedKey(_:)`` writes it; nil if
  /// there is none.
  ///
  /// O(n) in the bytes before it.
  static func part(of text: UnsafeRawBufferPointer, at path: [[UInt8]]) -> UnsafeRawBufferPointer? {
    var part = text
    for key in path {
      var found: UnsafeRawBufferPointer?
      forEachMember(of: part) { name, value in
        guard key.withUnsafeBytes({ Bytes.compare($0, name) == 0 }) else { return true }
        found = value
        return false
      }
      guard let found else { return nil }
      part = found
    }
    return part
  }

  /// Calls `body` with each member of an object, its name with quotes and colon, until it says
  /// false.
  static func forEachMember(
    of text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    var scanner = JSONScanner(text)
    guard scanner.take(0x7B) else { return }
    while scanner.position < text.count {
      let start = scanner.position
      guard scanner.skipString(), scanner.take(0x3A) else { return }
      let name = scanner.slice(from: start)
      let valueStart = scanner.position
      guard scanner.skipValue(), body(name, scanner.slice(from: valueStart)), scanner.take(0x2C)
      else { return }
    }
  }

  /// Calls `body` with each element of an array until it says false; says whether it is an array.
  @discardableResult
  static func forEachElement(
    of text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var scanner = JSONScanner(text)
    guard scanner.take(0x5B) else { return false }
    while scanner.position < text.count {
      let start = scanner.position
      guard scanner.skipValue(), body(scanner.slice(from: start)), scanner.take(0x2C) else {
        return true
      }
    }
    return true
  }

  /// How many elements an array, or members an object, has; nil for other values.
  static func count(of text: UnsafeRawBufferPointer) -> Int? {
    var count = 0
    if forEachElement(
      of: text,
      { _ in
        count += 1; return true
      }
    ) {
      return count
    }
    guard text.first == 0x7B else { return nil }
    forEachMember(of: text) { _, _ in
      count += 1; return true
    }
    return count
  }

  /// Calls `body` with the bytes of a string without quotes and escapes; nil for other values.
  static func withString<T>(
    _ text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> T
  ) -> T? {
    guard text.count >= 2, text.first == 0x22, text.last == 0x22 else { return nil }
    let inner = UnsafeRawBufferPointer(rebasing: text[1..<(text.count - 1)])
    guard inner.contains(0x5C) else { return body(inner) }
    var reader = JSONReader(ByteSource(text))
    do throws(StorageError) {
      guard try reader.next() == .string else { return nil }
    } catch {
      return nil
    }
    return body(reader.bytes)
  }

  /// A number, a string, `true` as 1, `false` as 0, or null; nil for arrays and objects.
  static func scalar(_ text: UnsafeRawBufferPointer) -> Value? {
    switch text.first {
    case 0x22: return withString(text) { .text(String(decoding: $0, as: UTF8.self)) }
    case 0x74: return 1
    case 0x66: return 0
    case 0x6E: return .null
    case 0x5B, 0x7B, nil: return nil
    default:
      let digits = String(decoding: text, as: UTF8.self)
      return Int64(digits).map { .integer($0) } ?? Double(digits).map { .real($0) }
    }
  }

  // MARK: Steps

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private func slice(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  private mutating func skipString() -> Bool {
    guard take(0x22) else { return false }
    while position < bytes.count {
      let byte = bytes[position]
      position += byte == 0x5C ? 2 : 1
      if byte == 0x22 { return true }
    }
    position = bytes.count
    return false
  }

  private mutating func skipValue() -> Bool {
    guard position < bytes.count else { return false }
    switch bytes[position] {
    case 0x22: return skipString()
    case 0x5B, 0x7B: return skipContainer()
    default:
      let start = position
      while position < bytes.count {
        let byte = bytes[position]
        if byte == 0x2C || byte == 0x5D || byte == 0x7D { break }
        position += 1
      }
      return position > start
    }
  }

  private mutating func skipContainer() -> Bool {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case 0x22:
        guard skipString() else { return false }
        continue
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      default: break
      }
      position += 1
      if depth == 0 { return true }
    }
    return false
  }
}
