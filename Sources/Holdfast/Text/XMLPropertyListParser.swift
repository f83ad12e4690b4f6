/// Reads XML property lists: the elements of the format, and of XML what such files use.
final class XMLPropertyListParser {
  private enum Frame {
    case array
    case dictionaryAtKey
    case dictionaryAtValue
  }
  private enum Stage { case prolog, value, epilog, finished }

  private var window: ByteWindow
  private var value = ByteStack()
  private var frames: [Frame] = []
  private var keys = JSONKeys()
  private var stage = Stage.prolog
  /// The end of a container that was written as one empty element.
  private var pending: PropertyListToken?
  private var tag = ByteStack()
  private let maximumTokenLength: Int

  init(_ source: ByteSource, maximumTokenLength: Int) {
    window = ByteWindow(source, maximumTokenLength: maximumTokenLength)
    self.maximumTokenLength = maximumTokenLength
  }

  /// The bytes of the last key, string, data or date.
  var bytes: UnsafeRawBufferPointer { value.bytes }

  /// The place of the current token, for errors.
  var place: String { window.place(window.position) }

  func next() throws(StorageError) -> PropertyListToken {
    if let token = pending {
      pending = nil
      return close(token)
    }
    while true {
      try skipSpace()
      guard try hasByte() else {
        guard stage == .finished else { throw malformed("the input ends early") }
        return .end
      }
      guard try byte() == 0x3C else { throw malformed("text outside of an element") }
      switch try peek() {
      case 0x3F: try instruction()
      case 0x21: try declaration()
      case 0x2F:
        _ = try byte()
        if let token = try endTag() { return token }
      default:
        if let token = try element() { return token }
      }
    }
  }

  private func malformed(_ message: String) -> StorageError {
    StorageError(.malformedInput, "not a property list: \(message) at \(place)")
  }

  // MARK: Elements

  /// Reads `name …>` or `name …/>`; nil for the element around the whole.
  private func element() throws(StorageError) -> PropertyListToken? {
    let isEmpty = try startTag()
    let name = String(decoding: tag.bytes, as: UTF8.self)
    if name == "plist" {
      guard stage == .prolog, !isEmpty else { throw malformed("<plist> where it does not belong") }
      stage = .value
      return nil
    }
    if stage == .prolog { throw malformed("<\(name.prefix(20))> before <plist>") }
    guard stage == .value else { throw malformed("a second value") }
    if name == "key" {
      guard case .dictionaryAtKey? = frames.last else {
        throw malformed("<key> where a value belongs")
      }
      try content(isEmpty, "key")
      guard keys.insert(bytes) else {
        let name = String(decoding: bytes, as: UTF8.self)
        throw malformed("the key \(name.debugDescription) twice in one dictionary")
      }
      frames[frames.count - 1] = .dictionaryAtValue
      return .key
    }
    if case .dictionaryAtKey? = frames.last { throw malformed("a value without its key") }
    switch name {
    case "dict": return try open(.dictionaryAtKey, isEmpty, .beginDictionary, .endDictionary)
    case "array": return try open(.array, isEmpty, .beginArray, .endArray)
    case "true", "false":
      try content(isEmpty, name)
      guard value.count == 0 else { throw malformed("text in <\(name)>") }
      finishValue()
      return .bool(name == "true")
    case "string", "integer", "real", "data", "date":
      try content(isEmpty, name)
      let token = try scalar(name)
      finishValue()
      return token
    default:
      throw malformed("<\(name.prefix(20).debugDescription.dropFirst().dropLast())> is no element")
    }
  }

  private func open(
    _ frame: Frame,
    _ isEmpty: Bool,
    _ begin: PropertyListToken,
    _ end: PropertyListToken
  ) throws(StorageError) -> PropertyListToken {
    guard frames.count < PropertyListReader.maximumDepth else {
      throw malformed("more than \(PropertyListReader.maximumDepth) levels of nesting")
    }
    frames.append(frame)
    if begin == .beginDictionary { keys.open() }
    if isEmpty { pending = end }
    return begin
  }

  private func close(_ token: PropertyListToken) -> PropertyListToken {
    frames.removeLast()
    if token == .endDictionary { keys.close() }
    finishValue()
    return token
  }

  private func finishValue() {
    guard let frame = frames.last else {
      stage = .epilog
      return
    }
    if case .dictionaryAtValue = frame { frames[frames.count - 1] = .dictionaryAtKey }
  }

  private func endTag() throws(StorageError) -> PropertyListToken? {
    guard try !startTag() else { throw malformed("an end tag that makes no sense") }
    let name = String(decoding: tag.bytes, as: UTF8.self)
    switch (name, frames.last) {
    case ("plist", nil) where stage == .epilog:
      stage = .finished
      return nil
    case ("array", .array?): return close(.endArray)
    case ("dict", .dictionaryAtKey?): return close(.endDictionary)
    case ("dict", .dictionaryAtValue?): throw malformed("a key without its value")
    default: throw malformed("an end tag that makes no sense")
    }
  }

  private func scalar(_ name: String) throws(StorageError) -> PropertyListToken {
    switch name {
    case "string": return .string
    case "data":
      let text = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 1)
      defer { text.deallocate() }
      var count = 0
      for byte in value.bytes where byte != 0x20 && byte != 0x0A && byte != 0x09 {
        text[count] = byte
        count += 1
      }
      guard let data = Base64.decode(UnsafeRawBufferPointer(rebasing: text[..<count])) else {
        throw malformed("<data> that is not base64 with padding")
      }
      value.truncate(to: 0)
      data.withUnsafeBytes { value.append($0) }
      return .data
    case "date":
      guard let date = DateCoding.canonical(trimmed) else {
        throw malformed("<date> without a date as 2026-01-31T12:00:00Z")
      }
      value.truncate(to: 0)
      for byte in date.utf8 { value.append(byte) }
      return .date
    case "integer": return try integer()
    default: return .real(try real())
    }
  }

  private var trimmed: String {
    var text = Substring(decoding: value.bytes, as: UTF8.self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }

  private func integer() throws(StorageError) -> PropertyListToken {
    let text = trimmed
    if let integer = Int64(text) { return .integer(integer) }
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" || $0 == "+" }
    if digits.count + 1 >= text.count {
      let lowered = digits.lowercased()
      if lowered.hasPrefix("0x"), let magnitude = UInt64(lowered.dropFirst(2), radix: 16),
        !lowered.dropFirst(2).hasPrefix("+"), magnitude <= UInt64(Int64.max)
      {
        return .integer(isNegative ? -Int64(magnitude) : Int64(magnitude))
      }
      if !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
        return .bigInteger
      }
    }
    throw malformed("<integer> without an integer")
  }

  private func real() throws(StorageError) -> Double {
    let text = trimmed
    switch text.lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    let isDecimal = text.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 == 0x45
        || $0 == 0x65
    }
    guard isDecimal, let value = Double(text), value.isFinite else {
      throw malformed("<real> without a number that a double can hold")
    }
    return value == 0 ? 0 : value
  }

  // MARK: Markup

  /// Reads a tag's name and to its `>`; returns whether it ends in `/>`.
  private func startTag() throws(StorageError) -> Bool {
    tag.truncate(to: 0)
    while true {
      let next = try peek()
      if next == 0x3E || next == 0x2F || Self.isSpace(next) { break }
      guard next > 0x20, next < 0x80, tag.count < 64 else { throw malformed("a tag of no name") }
      tag.append(try byte())
    }
    guard tag.count > 0 else { throw malformed("a tag of no name") }
    var isEmpty = false
    while true {
      let next = try byte()
      switch next {
      case 0x3E: return isEmpty
      case 0x22, 0x27:
        while try byte() != next {}
        isEmpty = false
      case 0x3C: throw malformed("a tag that does not end")
      default: isEmpty = next == 0x2F
      }
    }
  }

  /// Reads `!` with what follows: a comment or the document type.
  private func declaration() throws(StorageError) {
    _ = try byte()
    if try peek() == 0x2D { return try comment() }
    guard stage == .prolog else { throw malformed("a declaration within the list") }
    try expect("DOCTYPE")
    while true {
      let next = try byte()
      switch next {
      case 0x3E: return
      case 0x5B: throw malformed("declarations of its own, which are not read,")
      case 0x22, 0x27: while try byte() != next {}
      default: break
      }
    }
  }

  private func comment() throws(StorageError) {
    try expect("--")
    try skip(past: "-->")
  }

  private func expect(_ word: StaticString) throws(StorageError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard try byte() == word.utf8Start[index] else { throw malformed("unknown markup") }
    }
  }

  private func skip(past word: StaticString) throws(StorageError) {
    let count = word.utf8CodeUnitCount
    var matched = 0
    while matched < count {
      let next = try byte()
      if next == word.utf8Start[matched] {
        matched += 1
      } else if matched != 2 || next != word.utf8Start[1] {
        // A third hyphen before `>` leaves the first two of `-->` matched.
        matched = next == word.utf8Start[0] ? 1 : 0
      }
    }
  }

  /// Reads a processing instruction; of the XML declaration, the encoding must be UTF-8.
  private func instruction() throws(StorageError) {
    tag.truncate(to: 0)
    var last: UInt8 = 0
    _ = try byte()
    while true {
      let next = try byte()
      if last == 0x3F, next == 0x3E { break }
      if tag.count < 200 { tag.append(next) }
      last = next
    }
    let text = String(decoding: tag.bytes, as: UTF8.self).lowercased()
    guard text.hasPrefix("xml"), text.contains("encoding") else { return }
    guard text.contains("utf-8") || text.contains("us-ascii") else {
      throw malformed("an encoding other than UTF-8; convert the file first,")
    }
  }

  // MARK: Text

  /// Reads the text of an element to the end of its end tag into ``value``.
  private func content(_ isEmpty: Bool, _ name: String) throws(StorageError) {
    value.truncate(to: 0)
    if isEmpty { return }
    var high: UInt8 = 0
    while true {
      guard try hasByte() else { throw malformed("the input ends early") }
      let base = window.base
      let start = window.position
      var index = start
      while index < window.end {
        let byte = base[index]
        if byte == 0x3C || byte == 0x26 || (byte < 0x20 && byte != 0x0A && byte != 0x09) { break }
        high |= byte
        index += 1
      }
      value.append(UnsafeRawBufferPointer(start: base + start, count: index - start))
      window.position = index
      guard value.count <= maximumTokenLength else {
        throw malformed("a text longer than \(maximumTokenLength) bytes")
      }
      if index == window.end { continue }
      switch try byte() {
      case 0x26: try reference()
      case 0x0D:
        if try hasByte(), window.base[window.position] == 0x0A { _ = try byte() }
        value.append(0x0A)
      case 0x3C:
        let next = try peek()
        if next == 0x21 {
          _ = try byte()
          if try peek() == 0x2D { try comment() } else { high |= try characterData() }
          continue
        }
        guard next == 0x2F else { throw malformed("an element within <\(name)>") }
        _ = try byte()
        guard try !startTag(), tag.bytes.elementsEqual(name.utf8) else {
          throw malformed("<\(name)> without its end")
        }
        if high >= 0x80 { try checkText() }
        return
      default: throw malformed("a control character, which XML cannot hold,")
      }
    }
  }

  private func characterData() throws(StorageError) -> UInt8 {
    try expect("[CDATA[")
    let start = value.count
    var high: UInt8 = 0
    while true {
      let next = try byte()
      if next == 0x3E, value.count >= start + 2, value.bytes[value.count - 1] == 0x5D,
        value.bytes[value.count - 2] == 0x5D
      {
        value.truncate(to: value.count - 2)
        return high
      }
      guard next >= 0x20 || next == 0x0A || next == 0x09 || next == 0x0D else {
        throw malformed("a control character, which XML cannot hold,")
      }
      if next == 0x0D {
        if try hasByte(), window.base[window.position] == 0x0A { continue }
        value.append(0x0A)
      } else {
        high |= next
        value.append(next)
      }
      guard value.count <= maximumTokenLength else {
        throw malformed("a text longer than \(maximumTokenLength) bytes")
      }
    }
  }

  private func reference() throws(StorageError) {
    tag.truncate(to: 0)
    while try peek() != 0x3B {
      guard tag.count < 12 else { throw malformed("an entity that XML does not have") }
      tag.append(try byte())
    }
    _ = try byte()
    let name = String(decoding: tag.bytes, as: UTF8.self)
    switch name {
    case "lt": value.append(0x3C)
    case "gt": value.append(0x3E)
    case "amp": value.append(0x26)
    case "quot": value.append(0x22)
    case "apos": value.append(0x27)
    default:
      let isHex = name.hasPrefix("#x")
      let digits = name.dropFirst(isHex ? 2 : 1)
      guard name.hasPrefix("#"), digits.first != "+", digits.first != "-",
        let code = UInt32(digits, radix: isHex ? 16 : 10), Unicode.Scalar(code) != nil,
        code >= 0x20 || code == 0x09 || code == 0x0A || code == 0x0D, code != 0xFFFE,
        code != 0xFFFF
      else { throw malformed("an entity that XML does not have") }
      value.append(scalar: code)
    }
  }

  private func checkText() throws(StorageError) {
    guard UTF8Check.firstError(value.bytes) == nil else { throw malformed("invalid UTF-8") }
    let bytes = value.bytes
    var index = 0
    while index + 2 < bytes.count {
      if bytes[index] == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
        throw malformed("a character that XML cannot hold")
      }
      index += 1
    }
  }

  // MARK: Bytes

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private func skipSpace() throws(StorageError) {
    if window.position == 0, window.discarded == 0, stage == .prolog { try skipByteOrderMark() }
    while try hasByte(), Self.isSpace(window.base[window.position]) { window.position += 1 }
  }

  private func skipByteOrderMark() throws(StorageError) {
    while window.end < 3, try window.more() {}
    if window.end >= 3, window.base[0] == 0xEF, window.base[1] == 0xBB, window.base[2] == 0xBF {
      window.position = 3
    }
  }

  /// Whether there is a byte at the position; nothing before it is needed any more.
  @inline(__always)
  private func hasByte() throws(StorageError) -> Bool {
    if window.position < window.end { return true }
    window.start = window.position
    return try window.more()
  }

  private func peek() throws(StorageError) -> UInt8 {
    guard try hasByte() else { throw malformed("the input ends early") }
    return window.base[window.position]
  }

  @inline(__always)
  private func byte() throws(StorageError) -> UInt8 {
    guard try hasByte() else { throw malformed("the input ends early") }
    let byte = window.base[window.position]
    window.position += 1
    return byte
  }
}
