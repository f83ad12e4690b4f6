import Holdfast

/// Reads one line of a script, from left to right.
///
/// ``ModelStep/line`` writes what it reads.
struct ModelScriptReader {
  /// What is wrong with a line.
  struct Fault: Error {
    var message: String
  }

  private static let longestText = 1 << 24

  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ line: some StringProtocol) { bytes = Array(line.utf8) }

  /// The steps of a script, with the number of the line of each.
  ///
  /// Empty lines and lines that begin with `#` are left out.
  /// - Throws: `StorageError.Code.malformedInput` that names the line.
  static func steps(_ script: String) throws(StorageError) -> [(line: Int, step: ModelStep)] {
    var steps: [(line: Int, step: ModelStep)] = []
    let lines = script.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      var reader = ModelScriptReader(String(Substring(line)))
      reader.skipBlanks()
      if reader.isAtEnd || reader.peek == UInt8(ascii: "#") { continue }
      do throws(Fault) {
        steps.append((index + 1, try reader.wholeStep()))
      } catch {
        throw StorageError(.malformedInput, "line \(index + 1): \(error.message)")
      }
    }
    return steps
  }

  // MARK: Tokens

  var isAtEnd: Bool { position >= bytes.count }
  var peek: UInt8? { isAtEnd ? nil : bytes[position] }

  static func isWord(_ byte: UInt8) -> Bool {
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A) || byte == 0x5F
      || (byte >= 0x61 && byte <= 0x7A)
  }

  mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D { position += 1 }
  }

  /// Takes a character of its own if it comes next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func need(_ character: Unicode.Scalar) throws(Fault) {
    guard take(character) else { throw expected("'\(character)'") }
  }

  /// Takes a word if this one comes next.
  mutating func takeWord(_ word: String) -> Bool {
    let start = position
    if plainWord() == word { return true }
    position = start
    return false
  }

  /// The plain word that comes next; empty if none does.
  mutating func plainWord() -> String {
    skipBlanks()
    let start = position
    while let byte = peek, Self.isWord(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  func expected(_ what: String, from start: Int? = nil) -> Fault {
    let rest = String(decoding: bytes[(start ?? position)...].prefix(20), as: UTF8.self)
    return Fault(
      message: "expected \(what) " + (rest.isEmpty ? "at the end" : "at \(ExactText.quoted(rest))")
    )
  }

  /// A name, plain or in quotes.
  mutating func name() throws(Fault) -> String {
    skipBlanks()
    if peek == UInt8(ascii: "\"") { return try quoted() }
    let word = plainWord()
    guard !word.isEmpty else { throw expected("a name") }
    return word
  }

  /// Things between an opening and a closing character, with commas or other characters between
  /// them.
  mutating func list<Element>(
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    separator: Unicode.Scalar = ",",
    _ element: (inout ModelScriptReader) throws(Fault) -> Element
  ) throws(Fault) -> [Element] {
    try need(open)
    var elements: [Element] = []
    if take(close) { return elements }
    while true {
      elements.append(try element(&self))
      if take(close) { return elements }
      try need(separator)
    }
  }

  mutating func names() throws(Fault) -> [String] {
    try list("(", ")") { reader throws(Fault) in try reader.name() }
  }

  mutating func integer() throws(Fault) -> Int {
    let sign = take("-") ? "-" : ""
    let start = position
    guard let number = Int(sign + plainWord()) else {
      position = start
      throw expected("a whole number")
    }
    return number
  }

  private mutating func numberText() -> String {
    let start = position
    while let byte = peek,
      Self.isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: ".")
    {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  // MARK: Values

  mutating func values() throws(Fault) -> [Value] {
    try list("[", "]") { reader throws(Fault) in try reader.value() }
  }

  mutating func value() throws(Fault) -> Value {
    skipBlanks()
    let start = position
    switch peek {
    case UInt8(ascii: "\""):
      var text = ""
      try runs { reader throws(Fault) in
        let part = try reader.quoted()
        return (part.utf8.count, { text += String(repeating: part, count: $0) })
      }
      return .text(text)
    case UInt8(ascii: "x") where position + 1 < bytes.count && bytes[position + 1] == 0x27:
      var blob: [UInt8] = []
      try runs { reader throws(Fault) in
        let part = try reader.hexadecimal()
        return (part.count, { blob += [[UInt8]](repeating: part, count: $0).joined() })
      }
      return .blob(blob)
    default:
      let text = numberText()
      if text == "null" { return .null }
      if let integer = Int64(text) { return .integer(integer) }
      let isReal =
        text == "inf" || text == "-inf" || text == "nan" || text.contains(".")
        || text.contains("e")
      if isReal, let real = Double(text) { return .real(real) }
      position = start
      throw expected("a value")
    }
  }

  /// Literals joined by `+`, each with a count after `*`.
  private mutating func runs(
    _ literal: (inout ModelScriptReader) throws(Fault) -> (size: Int, append: (Int) -> Void)
  ) throws(Fault) {
    var total = 0
    repeat {
      skipBlanks()
      let (size, append) = try literal(&self)
      let count = take("*") ? try integer() : 1
      let (added, overflow) = size.multipliedReportingOverflow(by: count)
      guard count >= 0, !overflow, added <= Self.longestText - total else {
        throw Fault(message: "a value longer than \(Self.longestText) bytes")
      }
      total += added
      append(count)
    } while take("+")
  }

  private mutating func quoted() throws(Fault) -> String {
    try need("\"")
    var out: [UInt8] = []
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: out, as: UTF8.self) else {
          throw Fault(message: "a text that is no UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        guard peek == UInt8(ascii: "u") else { throw expected("u{…} after the backslash") }
        position += 1
        try need("{")
        let digits = plainWord()
        guard let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
          throw expected("a Unicode scalar as hexadecimal digits")
        }
        try need("}")
        out += Array(String(scalar).utf8)
      default: out.append(byte)
      }
    }
    throw expected("'\"'")
  }

  private mutating func hexadecimal() throws(Fault) -> [UInt8] {
    guard take("x") else { throw expected("x'…'") }
    try need("'")
    let digits = Array(plainWord().utf8)
    try need("'")
    guard digits.count.isMultiple(of: 2) else { throw Fault(message: "half a byte in x'…'") }
    var out: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else {
        throw Fault(message: "\(pair) is no byte in x'…'")
      }
      out.append(byte)
    }
    return out
  }
}
