/// Reads XML property lists: the elements of the format, and of XML what such files use.
struct XMLPropertyListParser: ~Copyable {
  enum Frame {
    case array
    case dictionaryAtKey
    case dictionaryAtValue
  }
  enum Stage { case prolog, value, epilog, finished }

  var window: ByteWindow
  var value = ByteStack()
  private var frames: [Frame] = []
  private var keys = JSONKeys()
  var stage = Stage.prolog
  /// The end of a container that was written as one empty element.
  private var pending: PropertyListToken?
  var tag = ByteStack()
  let maximumTokenLength: Int

  init(_ source: ByteSource, maximumTokenLength: Int) {
    window = ByteWindow(source, maximumTokenLength: maximumTokenLength)
    self.maximumTokenLength = maximumTokenLength
  }

  /// The bytes of the last key, string, data or date.
  var bytes: UnsafeRawBufferPointer { value.bytes }

  /// The place of the current token, for errors.
  var place: String { window.place(window.position) }

  mutating func next() throws(StorageError) -> PropertyListToken {
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

  func malformed(_ message: String) -> StorageError {
    StorageError(.malformedInput, "not a property list: \(message) at \(place)")
  }

  // MARK: Elements

  /// Reads `name …>` or `name …/>`; nil for the element around the whole.
  private mutating func element() throws(StorageError) -> PropertyListToken? {
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

  private mutating func open(
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

  private mutating func close(_ token: PropertyListToken) -> PropertyListToken {
    frames.removeLast()
    if token == .endDictionary { keys.close() }
    finishValue()
    return token
  }

  private mutating func finishValue() {
    guard let frame = frames.last else {
      stage = .epilog
      return
    }
    if case .dictionaryAtValue = frame { frames[frames.count - 1] = .dictionaryAtKey }
  }

  private mutating func endTag() throws(StorageError) -> PropertyListToken? {
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

  // MARK: Bytes

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  mutating func skipSpace() throws(StorageError) {
    if window.position == 0, window.discarded == 0, stage == .prolog { try skipByteOrderMark() }
    while try hasByte() {
      var position = window.position
      while position < window.end, Self.isSpace(window.base[position]) { position += 1 }
      window.position = position
      if position < window.end { return }
    }
  }

  private mutating func skipByteOrderMark() throws(StorageError) {
    while window.end < 3, try window.more() {}
    if window.end >= 3, window.base[0] == 0xEF, window.base[1] == 0xBB, window.base[2] == 0xBF {
      window.position = 3
    }
  }

  /// Whether there is a byte at the position; nothing before it is needed any more.
  @inline(__always)
  mutating func hasByte() throws(StorageError) -> Bool {
    if window.position < window.end { return true }
    window.start = window.position
    return try window.more()
  }

  mutating func peek() throws(StorageError) -> UInt8 {
    guard try hasByte() else { throw malformed("the input ends early") }
    return window.base[window.position]
  }

  @inline(__always)
  mutating func byte() throws(StorageError) -> UInt8 {
    guard try hasByte() else { throw malformed("the input ends early") }
    let byte = window.base[window.position]
    window.position += 1
    return byte
  }
}
