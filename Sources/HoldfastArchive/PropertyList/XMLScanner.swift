import Holdfast

/// A strict scanner for the XML that property lists use: elements without attributes, character
/// data, entities, CDATA sections, comments.
///
/// Document types have no contents, so there are no entity bombs; nothing is recursive, so there is
/// no depth to run out of.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition; `PropertyList-1.0.dtd`.
struct XMLScanner {
  enum Tag: Equatable {
    case open
    case close
    /// `<name/>`
    case empty
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// The name of the last tag.
  private(set) var name: UnsafeRawBufferPointer
  /// The attributes of the last tag, as they are written.
  private var attributes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    name = UnsafeRawBufferPointer(start: nil, count: 0)
    attributes = name
  }

  /// The line of the scanner, from 1.
  var line: Int {
    var line = 1
    for index in 0..<min(position, bytes.count) where bytes[index] == 0x0A { line += 1 }
    return line
  }

  func malformed(_ message: String) -> StorageError {
    StorageError(
      .malformedInput,
      "not a property list: \(message) at line \(line), byte \(position)"
    )
  }

  /// Whether the last tag has this name.
  func isNamed(_ expected: StaticString) -> Bool {
    name.elementsEqual(
      UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount)
    )
  }

  // MARK: Structure

  /// Reads up to the document's first element: the declaration and the document type.
  mutating func prologue() throws(StorageError) {
    if starts("\u{FEFF}") { position += 3 }
    if starts("<?xml") {
      let start = position
      try skip(past: "?>")
      try checkEncoding(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
    }
    try skipSpaceAndComments()
    guard starts("<!DOCTYPE") else { return }
    while position < bytes.count, bytes[position] != 0x3E {
      if bytes[position] == 0x5B { throw malformed("a document type with contents") }
      position += 1
    }
    guard position < bytes.count else { throw malformed("an unfinished document type") }
    position += 1
  }

  private func checkEncoding(_ declaration: UnsafeRawBufferPointer) throws(StorageError) {
    let text = String(decoding: declaration, as: UTF8.self).lowercased()
    guard !text.contains("encoding") || text.contains("utf-8") || text.contains("us-ascii") else {
      throw malformed("an encoding other than UTF-8")
    }
  }

  /// Reads the next tag; between tags only white space and comments may stand.
  mutating func tag() throws(StorageError) -> Tag {
    try skipSpaceAndComments()
    guard position < bytes.count else { throw malformed("the file ends early") }
    guard bytes[position] == 0x3C else { throw malformed("expected a tag") }
    position += 1
    var tag = Tag.open
    if position < bytes.count, bytes[position] == 0x2F {
      tag = .close
      position += 1
    }
    let start = position
    while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
    name = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    let attributesStart = position
    while position < bytes.count, bytes[position] != 0x3E {
      if bytes[position] == 0x3C { throw malformed("an unfinished tag") }
      position += 1
    }
    guard position < bytes.count, !name.isEmpty else { throw malformed("an unfinished tag") }
    var attributesEnd = position
    position += 1
    if attributesEnd > attributesStart, bytes[attributesEnd - 1] == 0x2F {
      guard tag == .open else { throw malformed("a closing tag that is empty") }
      tag = .empty
      attributesEnd -= 1
    }
    attributes = UnsafeRawBufferPointer(rebasing: bytes[attributesStart..<attributesEnd])
    let mayHaveAttributes = isNamed("plist")
    for byte in attributes where !mayHaveAttributes && !Self.isSpace(byte) {
      throw malformed("an attribute")
    }
    return tag
  }

  /// Reads the closing tag of an element.
  mutating func close(_ expected: StaticString) throws(StorageError) {
    guard try tag() == .close, isNamed(expected) else {
      throw malformed("expected </\(expected)>")
    }
  }

  /// Checks that nothing follows.
  mutating func end() throws(StorageError) {
    try skipSpaceAndComments()
    guard position == bytes.count else { throw malformed("something after the property list") }
  }

  // MARK: Character data

  /// Reads the character data of the open element and its closing tag.
  ///
  /// Gives valid UTF-8, borrowed from the file or, where it cannot be, from `scratch`.
  mutating func text(
    closing element: StaticString,
    scratch: OutputBuffer
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let start = position
    var isPlain = true
    var isASCII = true
    while position < bytes.count, bytes[position] != 0x3C {
      let byte = bytes[position]
      if byte == 0x26 || byte == 0x0D { isPlain = false }
      if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
        throw malformed("a control character")
      }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    if isPlain, starts("</") {
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
      try close(element)
      return try checked(text, isASCII: isASCII)
    }
    position = start
    scratch.truncate(to: 0)
    while !starts("</") {
      guard position < bytes.count else { throw malformed("the file ends early") }
      if starts("<![CDATA[") {
        position += 9
        while !starts("]]>") { try appendCharacter(to: scratch) }
        position += 3
      } else if starts("<!--") {
        try skipComment()
      } else if bytes[position] == 0x3C {
        throw malformed("an element inside <\(element)>")
      } else if bytes[position] == 0x26 {
        try appendEntity(to: scratch)
      } else {
        try appendCharacter(to: scratch)
      }
    }
    try close(element)
    return try checked(scratch.bytes, isASCII: false)
  }

  private func checked(
    _ text: UnsafeRawBufferPointer,
    isASCII: Bool
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    guard isASCII || String(validating: text, as: UTF8.self) != nil else {
      throw malformed("text that is not UTF-8 before this place")
    }
    return text
  }

  /// Appends one byte, with line ends made newlines (section 2.11).
  private mutating func appendCharacter(to scratch: OutputBuffer) throws(StorageError) {
    guard position < bytes.count else { throw malformed("the file ends early") }
    let byte = bytes[position]
    position += 1
    guard byte == 0x0D else {
      if byte < 0x20, byte != 0x09, byte != 0x0A { throw malformed("a control character") }
      scratch.append(byte)
      return
    }
    scratch.append(0x0A)
    if position < bytes.count, bytes[position] == 0x0A { position += 1 }
  }

  private mutating func appendEntity(to scratch: OutputBuffer) throws(StorageError) {
    let start = position + 1
    var end = start
    while end < bytes.count, bytes[end] != 0x3B, end - start < 12 { end += 1 }
    guard end < bytes.count, bytes[end] == 0x3B else { throw malformed("an unfinished entity") }
    let entity = String(decoding: bytes[start..<end], as: UTF8.self)
    position = end + 1
    switch entity {
    case "amp": scratch.append(0x26)
    case "lt": scratch.append(0x3C)
    case "gt": scratch.append(0x3E)
    case "quot": scratch.append(0x22)
    case "apos": scratch.append(0x27)
    default:
      guard entity.first == "#" else { throw malformed("an unknown entity") }
      let digits = entity.dropFirst()
      let code =
        digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
      guard let code, code == 9 || code == 10 || code == 13 || code >= 0x20, code & ~1 != 0xFFFE,
        let scalar = Unicode.Scalar(code)
      else { throw malformed("a character reference to no character") }
      scratch.append(String(Character(scalar)))
    }
  }

  // MARK: Bytes

  private func starts(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for index in 0..<count where bytes[position + index] != literal.utf8Start[index] {
      return false
    }
    return true
  }

  private mutating func skip(past literal: StaticString) throws(StorageError) {
    while !starts(literal) {
      guard position < bytes.count else { throw malformed("the file ends early") }
      position += 1
    }
    position += literal.utf8CodeUnitCount
  }

  private mutating func skipComment() throws(StorageError) {
    position += 4
    try skip(past: "-->")
  }

  private mutating func skipSpaceAndComments() throws(StorageError) {
    while position < bytes.count {
      if Self.isSpace(bytes[position]) {
        position += 1
      } else if starts("<!--") {
        try skipComment()
      } else {
        return
      }
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A)
  }
}
