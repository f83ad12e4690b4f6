extension JSONReader {
  /// Reads the string at the position, which is at its opening quote, into the token.
  mutating func string() throws(StorageError) {
    window.position += 1
    isUnescaped = false
    var high: UInt64 = 0
    while true {
      let position = JSONPlainText.end(window.base, window.position, window.end, &high)
      window.position = position
      if position == window.end {
        guard try window.more() else { throw malformed("a string without its closing quote") }
        continue
      }
      switch window.base[position] {
      case 0x22:
        // The window may have moved since the token began; its start went along.
        tokenStart = window.start + 1
        tokenEnd = position
        window.position = position + 1
        if high != 0 { try checkUTF8() }
        return
      case 0x5C:
        try stringWithEscapes()
        return
      default:
        throw malformed("a control character in a string must be escaped")
      }
    }
  }

  /// Reads the rest of a string from its first backslash, with what came before.
  private mutating func stringWithEscapes() throws(StorageError) {
    unescaped.truncate(to: 0)
    var runStart = window.start + 1
    while true {
      var high: UInt64 = 0
      let position = JSONPlainText.end(window.base, window.position, window.end, &high)
      unescaped.append(
        UnsafeRawBufferPointer(start: window.base + runStart, count: position - runStart)
      )
      window.position = position
      if position == window.end {
        window.start = position
        guard unescaped.count < maximumTokenLength else {
          throw malformed("a string longer than \(maximumTokenLength) bytes")
        }
        guard try window.more() else { throw malformed("a string without its closing quote") }
        runStart = window.position
        continue
      }
      switch window.base[position] {
      case 0x22:
        window.position = position + 1
        window.start = position
        isUnescaped = true
        try checkUTF8()
        return
      case 0x5C:
        try escape()
        runStart = window.position
      default:
        throw malformed("a control character in a string must be escaped")
      }
    }
  }

  private mutating func checkUTF8() throws(StorageError) {
    if !UTF8Check.isValid(bytes) { throw malformed("a string is not valid UTF-8") }
  }

  /// Reads an escape sequence and appends what it stands for.
  private mutating func escape() throws(StorageError) {
    window.start = window.position
    window.position += 1
    let letter = try byteOfEscape()
    switch letter {
    case 0x22, 0x5C, 0x2F: unescaped.append(letter)
    case 0x62: unescaped.append(0x08)
    case 0x66: unescaped.append(0x0C)
    case 0x6E: unescaped.append(0x0A)
    case 0x72: unescaped.append(0x0D)
    case 0x74: unescaped.append(0x09)
    case 0x75: unescaped.append(scalar: try escapedScalar())
    default: throw malformed("an escape that JSON does not have")
    }
  }

  private mutating func escapedScalar() throws(StorageError) -> UInt32 {
    let first = try fourHexDigits()
    guard first & 0xF800 == 0xD800 else { return first }
    guard first < 0xDC00, try byteOfEscape() == 0x5C, try byteOfEscape() == 0x75 else {
      throw malformed("half of a surrogate pair")
    }
    let second = try fourHexDigits()
    guard second & 0xFC00 == 0xDC00 else { throw malformed("half of a surrogate pair") }
    return 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
  }

  private mutating func fourHexDigits() throws(StorageError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = try byteOfEscape()
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x37
      case 0x61...0x66: digit = byte - 0x57
      default: throw malformed("expected four hexadecimal digits after \\u")
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private mutating func byteOfEscape() throws(StorageError) -> UInt8 {
    if window.position == window.end, try !window.more() {
      throw malformed("a string without its closing quote")
    }
    let byte = window.base[window.position]
    window.position += 1
    return byte
  }
}
