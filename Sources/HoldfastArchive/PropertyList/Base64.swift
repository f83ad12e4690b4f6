/// Base64 with padding (RFC 4648, section 4) for data in XML property lists, which may be wrapped.
enum Base64 {
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// Appends the text of some bytes.
  static func append(_ bytes: UnsafeRawBufferPointer, to output: OutputBuffer) {
    let letters = alphabet.utf8Start
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let first = UInt32(bytes[index])
      let second = rest > 1 ? UInt32(bytes[index + 1]) : 0
      let third = rest > 2 ? UInt32(bytes[index + 2]) : 0
      let bits = first << 16 | second << 8 | third
      output.append(letters[Int(bits >> 18)])
      output.append(letters[Int(bits >> 12 & 63)])
      output.append(rest > 1 ? letters[Int(bits >> 6 & 63)] : 0x3D)
      output.append(rest > 2 ? letters[Int(bits & 63)] : 0x3D)
      index += 3
    }
  }

  /// Appends the bytes of a text, white space between its characters left out; false if it is none.
  static func decode(_ text: UnsafeRawBufferPointer, into output: OutputBuffer) -> Bool {
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text {
      if XMLScanner.isSpace(byte) { continue }
      var digit: UInt32 = 0
      if byte == 0x3D {
        padding += 1
        guard padding <= 2, count >= 2 else { return false }
      } else {
        guard padding == 0, let value = value(of: byte) else { return false }
        digit = value
      }
      bits = bits << 6 | digit
      count += 1
      guard count == 4 else { continue }
      for place in 0..<(3 - padding) {
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - place * 8)))
      }
      bits = 0
      count = 0
    }
    return count == 0
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61 + 26)
    case 0x30...0x39: UInt32(byte - 0x30 + 52)
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
