extension XMLPropertyListParser {
  /// Reads a tag's name and to its `>`; returns whether it ends in `/>`.
  mutating func startTag() throws(StorageError) -> Bool {
    tag.truncate(to: 0)
    if takePlainTag() { return false }
    while true {
      let next = try peek()
      if next == 0x3E || next == 0x2F || Self.isSpace(next) { break }
      guard next > 0x20, next < 0x80, tag.count < 64 else { throw malformed("a tag of no name") }
      tag.append(try byte())
    }
    guard tag.count > 0 else { throw malformed("a tag of no name") }
    let takesAttributes = tag.bytes.elementsEqual("plist".utf8)
    var isEmpty = false
    while true {
      let next = try byte()
      switch next {
      case 0x3E: return isEmpty
      case 0x3C: throw malformed("a tag that does not end")
      case _ where isEmpty: throw malformed("a tag that goes on after its /")
      case 0x2F: isEmpty = true
      case _ where Self.isSpace(next): continue
      case _ where !takesAttributes: throw malformed("an attribute")
      case 0x22, 0x27: while try byte() != next {}
      default: continue
      }
    }
  }

  /// Takes a tag that is just a short name and `>`, as nearly all are, if the window has it whole.
  @inline(__always)
  private mutating func takePlainTag() -> Bool {
    let start = window.base + window.position
    let limit = min(window.end - window.position, 16)
    var count = 0
    while count < limit, start[count] >= 0x61, start[count] <= 0x7A { count += 1 }
    guard count > 0, count < limit, start[count] == 0x3E else { return false }
    tag.append(UnsafeRawBufferPointer(start: start, count: count))
    window.position += count + 1
    return true
  }

  /// Reads `!` with what follows: a comment or the document type.
  mutating func declaration() throws(StorageError) {
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

  mutating func comment() throws(StorageError) {
    try expect("--")
    try skip(past: "-->")
  }

  mutating func expect(_ word: StaticString) throws(StorageError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard try byte() == word.utf8Start[index] else { throw malformed("unknown markup") }
    }
  }

  mutating func skip(past word: StaticString) throws(StorageError) {
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
  mutating func instruction() throws(StorageError) {
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
}
