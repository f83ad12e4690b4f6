/// Base64 with padding (RFC 4648, section 4), strict: one spelling for each sequence of bytes.
///
/// The loops use plain pointers, which are fast in builds without optimization too.
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

  /// Appends the text of `source`, by way of a piece of the stack.
  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let length = bytes.count + (source.count + 2) / 3 * 4
    if length > bytes.capacity { bytes.reserveCapacity(max(length, 2 * bytes.capacity)) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { text in
      source.withMemoryRebound(to: UInt8.self) { source in
        alphabet.withUnsafeBufferPointer { alphabet in
          guard let from = source.baseAddress, let to = text.baseAddress,
            let alphabet = alphabet.baseAddress
          else { return }
          var start = 0
          while start < source.count {
            let count = min(768, source.count - start)
            encode(from + start, count, to, alphabet)
            bytes.append(contentsOf: UnsafeBufferPointer(start: to, count: (count + 2) / 3 * 4))
            start += count
          }
        }
      }
    }
  }

  private static func encode(
    _ from: UnsafePointer<UInt8>,
    _ count: Int,
    _ to: UnsafeMutablePointer<UInt8>,
    _ alphabet: UnsafePointer<UInt8>
  ) {
    var index = 0
    var end = 0
    while index &+ 2 < count {
      let first = Int(from[index])
      let second = Int(from[index &+ 1])
      let third = Int(from[index &+ 2])
      to[end] = alphabet[first &>> 2]
      to[end &+ 1] = alphabet[(first &<< 4 | second &>> 4) & 63]
      to[end &+ 2] = alphabet[(second &<< 2 | third &>> 6) & 63]
      to[end &+ 3] = alphabet[third & 63]
      index &+= 3
      end &+= 4
    }
    guard index < count else { return }
    let first = Int(from[index])
    let second = index &+ 1 < count ? Int(from[index &+ 1]) : 0
    to[end] = alphabet[first &>> 2]
    to[end &+ 1] = alphabet[(first &<< 4 | second &>> 4) & 63]
    to[end &+ 2] = index &+ 1 < count ? alphabet[second &<< 2 & 63] : 0x3D
    to[end &+ 3] = 0x3D
  }

  /// The bytes of a text, or nil if it is not exactly what ``append(_:to:)`` would write.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    guard text.count > 0 else { return [] }
    let padding = text[text.count - 1] != 0x3D ? 0 : text[text.count - 2] != 0x3D ? 1 : 2
    let count = text.count / 4 * 3 - padding
    return text.withMemoryRebound(to: UInt8.self) { text in
      values.withUnsafeBufferPointer { values -> [UInt8]? in
        guard let text = text.baseAddress, let values = values.baseAddress else { return nil }
        var isRight = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
          guard let to = bytes.baseAddress else { return }
          isRight = decode(text, to, count, values)
          initialized = isRight ? count : 0
        }
        return isRight ? bytes : nil
      }
    }
  }

  /// Decodes to `count` bytes; whether the text is right.
  private static func decode(
    _ text: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>,
    _ count: Int,
    _ values: UnsafePointer<UInt8>
  ) -> Bool {
    var index = 0
    var end = 0
    while end < count {
      let rest = count &- end
      let first = values[Int(text[index])]
      let second = values[Int(text[index &+ 1])]
      let third = rest > 1 ? values[Int(text[index &+ 2])] : 0
      let fourth = rest > 2 ? values[Int(text[index &+ 3])] : 0
      // Values have six bits, and what is none has all eight.
      if (first | second | third | fourth) & 0x80 != 0 { return false }
      to[end] = first &<< 2 | second &>> 4
      // What is left over of the last byte's characters must be zero.
      if rest > 1 {
        to[end &+ 1] = second &<< 4 | third &>> 2
      } else if second & 15 != 0 {
        return false
      }
      if rest > 2 {
        to[end &+ 2] = third &<< 6 | fourth
      } else if rest == 2, third & 3 != 0 {
        return false
      }
      index &+= 4
      end &+= 3
    }
    return true
  }
}
