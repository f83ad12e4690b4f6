/// Base64 with padding (RFC 4648, section 4), strict: one spelling for each sequence of bytes.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  /// The value of each character, 255 for those that are none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Appends the text of `source`.
  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    var end = bytes.count
    bytes.append(contentsOf: repeatElement(0x3D, count: (source.count + 2) / 3 * 4))
    bytes.withUnsafeMutableBufferPointer { bytes in
      alphabet.withUnsafeBufferPointer { alphabet in
        for index in stride(from: 0, to: source.count, by: 3) {
          let rest = source.count - index
          let first = UInt32(source[index])
          let second = rest > 1 ? UInt32(source[index + 1]) : 0
          let third = rest > 2 ? UInt32(source[index + 2]) : 0
          let bits = first << 16 | second << 8 | third
          bytes[end] = alphabet[Int(bits >> 18)]
          bytes[end + 1] = alphabet[Int(bits >> 12 & 63)]
          if rest > 1 { bytes[end + 2] = alphabet[Int(bits >> 6 & 63)] }
          if rest > 2 { bytes[end + 3] = alphabet[Int(bits & 63)] }
          end += 4
        }
      }
    }
  }

  /// The bytes of a text, or nil if it is not exactly what ``append(_:to:)`` would write.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    guard text.count > 0 else { return [] }
    let padding = text[text.count - 1] != 0x3D ? 0 : text[text.count - 2] != 0x3D ? 1 : 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 - padding)
    return values.withUnsafeBufferPointer { values -> [UInt8]? in
      var index = 0
      while index < text.count {
        let isLast = index + 4 == text.count
        let real = isLast ? 4 - padding : 4
        var bits: UInt32 = 0
        for offset in 0..<4 {
          let value = offset < real ? values[Int(text[index + offset])] : 0
          guard value != 255 else { return nil }
          bits = bits << 6 | UInt32(value)
        }
        bytes.append(UInt8(bits >> 16 & 255))
        if real > 2 { bytes.append(UInt8(bits >> 8 & 255)) }
        if real > 3 { bytes.append(UInt8(bits & 255)) }
        if real == 3, bits & 0xFF != 0 { return nil }
        if real == 2, bits & 0xFFFF != 0 { return nil }
        index += 4
      }
      return bytes
    }
  }
}
