extension XMLPropertyListParser {
  /// Reads the text of an element to the end of its end tag into ``value``.
  mutating func content(_ isEmpty: Bool, _ name: String) throws(StorageError) {
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

  mutating func characterData() throws(StorageError) -> UInt8 {
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

  mutating func reference() throws(StorageError) {
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

  func checkText() throws(StorageError) {
    guard UTF8Check.isValid(value.bytes) else { throw malformed("invalid UTF-8") }
    let bytes = value.bytes
    var index = 0
    while index + 2 < bytes.count {
      if bytes[index] == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
        throw malformed("a character that XML cannot hold")
      }
      index += 1
    }
  }
}
