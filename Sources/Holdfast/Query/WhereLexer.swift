/// Splits a condition into tokens, for ``WhereParser``.
///
/// Works on Unicode scalars.
struct WhereLexer {
  /// A piece of the text.
  struct Token {
    enum Content {
      /// A bare name or a keyword.
      case word(String)
      /// A name in double quotes.
      case quotedName(String)
      /// A text in single quotes.
      case text(String)
      /// A number or a blob.
      case value(Value)
      /// An operator, a parenthesis or a comma.
      case symbol(String)
      case end
    }
    let content: Content
    /// Where it begins, as a position among the scalars.
    let start: Int
    /// Where it ends.
    let end: Int
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  // MARK: Errors

  /// The column, in characters from 1, of a position among the scalars.
  func column(of position: Int) -> Int { characterCount(0, position) + 1 }

  /// How many characters lie between two positions among the scalars.
  func characterCount(_ start: Int, _ end: Int) -> Int { string(start, end).count }

  /// An error that points at a position.
  func error(at position: Int, _ message: String) -> StorageError {
    StorageError(.invalidQuery, "column \(column(of: position)): \(message)")
  }

  /// A token as people recognize it: as written, short, without control characters.
  func description(of token: Token) -> String {
    if case .end = token.content { return "the end" }
    let written = string(token.start, token.end)
    var shown = ""
    for scalar in written.unicodeScalars.prefix(24) {
      let isPlain = scalar.properties.generalCategory != .control && !Self.isLineBreak(scalar)
      shown.unicodeScalars.append(isPlain ? scalar : "\u{FFFD}")
    }
    if token.end - token.start > 24 { shown += "…" }
    return shown.hasPrefix("'") ? shown : "'\(shown)'"
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  private func string(_ start: Int, _ end: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<end])
    return String(text)
  }

  // MARK: Tokens

  private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
    position + offset < scalars.count ? scalars[position + offset] : nil
  }

  /// The next token; ``Token/Content/end`` for ever at the end.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery``.
  mutating func next() throws(StorageError) -> Token {
    while let scalar = scalar(), scalar.properties.isWhitespace { position += 1 }
    let start = position
    let content = try content()
    return Token(content: content, start: start, end: position)
  }

  private mutating func content() throws(StorageError) -> Token.Content {
    guard let first = scalar() else { return .end }
    switch first {
    case "'": return .text(try delimited("'", "text"))
    case "\"":
      let start = position
      let name = try delimited("\"", "name")
      if name.isEmpty { throw error(at: start, "a field name cannot be empty") }
      return .quotedName(name)
    case "(", ")", ",":
      position += 1
      return .symbol(String(first))
    case "=", "!", "<", ">": return try comparison()
    case "x" where scalar(1) == "'", "X" where scalar(1) == "'": return try blob()
    case "0"..."9", "-", "+", ".": return try number()
    default:
      guard first == "_" || first.properties.isXIDStart else {
        throw error(
          at: position,
          "unexpected \(description(of: Token(content: .symbol(""), start: position, end: position + 1)))"
        )
      }
      return .word(word())
    }
  }

  private mutating func word() -> String {
    let start = position
    while let scalar = scalar(), Self.continuesWord(scalar) { position += 1 }
    return string(start, position)
  }

  private static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue
  }

  /// A text or name between `quote`s; a quote in it is doubled.
  private mutating func delimited(_ quote: Unicode.Scalar, _ what: String) throws(StorageError)
    -> String
  {
    let start = position
    position += 1
    var text = String.UnicodeScalarView()
    while let next = scalar() {
      position += 1
      if next == quote {
        guard scalar() == quote else { return String(text) }
        position += 1
      }
      text.append(next)
    }
    throw error(at: start, "the \(what) that begins here has no closing \(quote)")
  }

  private mutating func comparison() throws(StorageError) -> Token.Content {
    let start = position
    var symbol = ""
    while let next = scalar(), symbol.count < 2, "=!<>".unicodeScalars.contains(next) {
      symbol.unicodeScalars.append(next)
      position += 1
    }
    switch symbol {
    case "=", "==", "!=", "<>", "<", "<=", ">", ">=": return .symbol(symbol)
    default: throw error(at: start, "unknown operator '\(symbol)'; use = != < <= > or >=")
    }
  }

  private mutating func blob() throws(StorageError) -> Token.Content {
    let start = position
    position += 1
    let digits = Array(try delimited("'", "blob").utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let nibble = Self.nibble(digit) else {
        throw error(at: start, "a blob is written as pairs of hex digits, x'00ff'")
      }
      if let first = high {
        bytes.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    guard high == nil else {
      throw error(at: start, "a blob is written as pairs of hex digits; one digit is missing")
    }
    return .value(.blob(bytes))
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }

  private mutating func number() throws(StorageError) -> Token.Content {
    let start = position
    var isInteger = true
    if scalar() == "-" || scalar() == "+" { position += 1 }
    var digits = skipDigits()
    if scalar() == "." {
      isInteger = false
      position += 1
      digits += skipDigits()
    }
    if digits > 0, scalar() == "e" || scalar() == "E" {
      isInteger = false
      position += 1
      if scalar() == "-" || scalar() == "+" { position += 1 }
      if skipDigits() == 0 { digits = 0 }
    }
    if digits == 0 || scalar().map(Self.continuesWord) == true || scalar() == "." {
      while let next = scalar(), Self.continuesWord(next) || next == "." { position += 1 }
      let token = Token(content: .symbol(""), start: start, end: position)
      throw error(at: start, "\(description(of: token)) is no number")
    }
    return .value(try value(string(start, position), isInteger: isInteger, at: start))
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let scalar = scalar(), scalar >= "0", scalar <= "9" { position += 1 }
    return position - start
  }

  /// An integer too long for 64 bits is taken as a real only where a real equals it.
  private func value(_ text: String, isInteger: Bool, at start: Int) throws(StorageError) -> Value {
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let real = Double(text), real.isFinite else {
      throw error(at: start, "the number is too large")
    }
    if isInteger {
      guard abs(real) >= 0x1p63, Self.spells(real, text) else {
        throw error(at: start, "the integer has more than 64 bits")
      }
    }
    return .real(real == 0 ? 0 : real)
  }

  /// Whether an integer of 19 to 38 digits is exactly `real`.
  private static func spells(_ real: Double, _ text: String) -> Bool {
    guard let wide = Int128(text), let exact = Int128(exactly: real) else { return false }
    return wide == exact
  }
}
