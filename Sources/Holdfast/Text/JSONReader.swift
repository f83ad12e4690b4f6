/// A strict pull parser for JSON (RFC 8259) in UTF-8.
///
/// It reads from memory or from chunks, allocates nothing per token, and refuses what other parsers
/// let pass: repeated names in one object, numbers that a double cannot hold, lone surrogates,
/// control characters, invalid UTF-8, anything after the value, nesting beyond 512. A byte order
/// mark at the start is skipped.
///
/// ```swift
/// var reader = JSONReader(ByteSource(descriptor: file, name: path))
/// while true {
///   switch try reader.next() {
///   case .key: print(reader.text)
///   case .end: return
///   default: continue
///   }
/// }
/// ```
public struct JSONReader: ~Copyable {
  /// The deepest nesting that is read, unless told otherwise.
  public static let maximumDepth = 512
  /// The longest string or number, in bytes, unless told otherwise: a blob of 1 GiB in base64 fits.
  public static let defaultMaximumTokenLength = 0x6000_0000

  enum State: UInt8 {
    /// A value, at the top or after `[` and a comma.
    case value
    /// A value or `]`.
    case firstElement
    /// A name or `}`.
    case firstKey
    /// A name.
    case key
    /// `:` and a value.
    case colon
    /// A comma or the end of the container.
    case comma
    /// Only white space.
    case finished
  }

  var window: ByteWindow
  var state = State.value
  private var isObject: [Bool] = []
  private var keys = JSONKeys()
  private let isSequence: Bool
  private let depthLimit: Int

  /// Where the current token's bytes are: in the window, or unescaped.
  var tokenStart = 0
  var tokenEnd = 0
  var isUnescaped = false
  var unescaped = ByteStack()
  let maximumTokenLength: Int
  private var hasPassedLine = false

  /// How many containers are open.
  public var depth: Int { isObject.count }

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - isSequence: whether several values follow each other, each on lines of its own (JSON
  ///     lines), instead of one.
  ///   - maximumDepth: the deepest nesting that is read.
  ///   - maximumTokenLength: the longest string or number that is read from chunks, in bytes.
  public init(
    _ source: ByteSource,
    isSequence: Bool = false,
    maximumDepth: Int = JSONReader.maximumDepth,
    maximumTokenLength: Int = JSONReader.defaultMaximumTokenLength
  ) {
    window = ByteWindow(source, maximumTokenLength: maximumTokenLength)
    self.isSequence = isSequence
    depthLimit = maximumDepth
    self.maximumTokenLength = maximumTokenLength
  }

  // MARK: Tokens

  /// The bytes of the key, string or number that ``next()`` returned last, escapes resolved.
  ///
  /// Valid UTF-8, borrowed until the next call of a mutating member.
  public var bytes: UnsafeRawBufferPointer {
    if isUnescaped { return unescaped.bytes }
    return UnsafeRawBufferPointer(start: window.base + tokenStart, count: tokenEnd - tokenStart)
  }

  /// The text of the key, string or number that ``next()`` returned last.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads the next token.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` with line, column and byte offset; what the
  ///   source throws. After an error the reader is of no more use.
  public mutating func next() throws(StorageError) -> JSONToken {
    while true {
      guard let byte = try skipSpace() else { return try endOfInput() }
      switch state {
      case .value:
        return try value(byte)
      case .firstElement:
        if byte == 0x5D { return close(.endArray) }
        return try value(byte)
      case .comma:
        if byte == 0x2C {
          window.position += 1
          state = isInObject ? .key : .value
          continue
        }
        if byte == 0x7D, isInObject { return close(.endObject) }
        if byte == 0x5D, !isInObject { return close(.endArray) }
        throw malformed(
          isInObject ? "expected a comma or } after a value" : "expected a comma or ] after a value"
        )
      case .firstKey:
        if byte == 0x7D { return close(.endObject) }
        return try key(byte)
      case .key:
        return try key(byte)
      case .colon:
        guard byte == 0x3A else { throw malformed("expected a colon after a name") }
        window.position += 1
        state = .value
      case .finished:
        guard isSequence else { throw malformed("expected nothing after the value") }
        guard hasPassedLine else { throw malformed("expected each value on a line of its own") }
        state = .value
      }
    }
  }

  /// Reads over the value that begins with the next token, or the rest of the one that `token`
  /// began.
  ///
  /// - Throws: as ``next()``.
  public mutating func skipValue(after token: JSONToken? = nil) throws(StorageError) {
    let first: JSONToken
    if let token { first = token } else { first = try next() }
    guard first == .beginObject || first == .beginArray else { return }
    let outer = depth - 1
    while depth > outer { _ = try next() }
  }

  // MARK: Errors

  /// The line that the reader is on, from 1.
  public var line: Int { window.location(window.position).line }

  /// Makes an error about the current token with its place.
  public func error(_ code: StorageError.Code, _ message: String) -> StorageError {
    StorageError(code, "\(message) at \(window.place(min(window.start, window.position)))")
  }

  func malformed(_ message: String) -> StorageError {
    StorageError(.malformedInput, "not JSON: \(message) at \(window.place(window.position))")
  }

  // MARK: Structure

  private var isInObject: Bool { isObject.last ?? false }

  private mutating func value(_ byte: UInt8) throws(StorageError) -> JSONToken {
    switch byte {
    case 0x22:
      try string()
      finishValue()
      return .string
    case 0x7B: return try open(object: true)
    case 0x5B: return try open(object: false)
    case 0x2D, 0x30...0x39:
      let token = try number(byte)
      finishValue()
      return token
    case 0x74: return try literal("true", .bool(true))
    case 0x66: return try literal("false", .bool(false))
    case 0x6E: return try literal("null", .null)
    default: throw malformed("expected a value")
    }
  }

  private mutating func key(_ byte: UInt8) throws(StorageError) -> JSONToken {
    guard byte == 0x22 else { throw malformed("expected a name in quotes") }
    try string()
    guard keys.insert(bytes) else {
      let name = text
      throw StorageError(
        .malformedInput,
        "the name \(name.debugDescription) occurs twice in one object at \(window.place(window.start))"
      )
    }
    state = .colon
    return .key
  }

  private mutating func open(object: Bool) throws(StorageError) -> JSONToken {
    guard depth < depthLimit else {
      throw malformed("more than \(depthLimit) levels of nesting")
    }
    window.position += 1
    isObject.append(object)
    if object { keys.open() }
    state = object ? .firstKey : .firstElement
    return object ? .beginObject : .beginArray
  }

  private mutating func close(_ token: JSONToken) -> JSONToken {
    window.position += 1
    if isObject.removeLast() { keys.close() }
    finishValue()
    return token
  }

  @inline(__always)
  private mutating func finishValue() {
    if !isObject.isEmpty {
      state = .comma
    } else {
      state = .finished
      hasPassedLine = false
    }
  }

  private mutating func literal(
    _ word: StaticString,
    _ token: JSONToken
  ) throws(StorageError) -> JSONToken {
    for index in 0..<word.utf8CodeUnitCount {
      if window.position == window.end, try !window.more() { throw malformed("unfinished word") }
      guard window.base[window.position] == word.utf8Start[index] else {
        throw malformed("expected \(word)")
      }
      window.position += 1
    }
    finishValue()
    return token
  }

  private mutating func endOfInput() throws(StorageError) -> JSONToken {
    let isComplete =
      state == .finished || (isSequence && state == .value && isObject.isEmpty)
    guard isComplete else { throw malformed("the input ends early") }
    return .end
  }

  // MARK: White space

  /// Moves to the next byte that is not white space and makes it the start of the token.
  private mutating func skipSpace() throws(StorageError) -> UInt8? {
    while true {
      let base = window.base
      let end = window.end
      var position = window.position
      while position < end {
        let byte = base[position]
        if byte > 0x20 || (byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09) {
          window.position = position
          window.start = position
          if byte == 0xEF, position == 0, window.discarded == 0, state == .value, depth == 0,
            try skipByteOrderMark()
          {
            break
          }
          return window.base[window.position]
        }
        if byte == 0x0A { hasPassedLine = true }
        position += 1
      }
      if position == end {
        window.position = end
        window.start = end
        if try !window.more() { return nil }
      }
    }
  }

  private mutating func skipByteOrderMark() throws(StorageError) -> Bool {
    while window.end < 3, try window.more() {}
    guard window.end >= 3, window.base[1] == 0xBB, window.base[2] == 0xBF else { return false }
    window.position = 3
    return true
  }
}
