/// Checks that bytes are well-formed UTF-8: The Unicode Standard, table 3-7.
package enum UTF8Check {
  /// Whether all bytes are well formed.
  ///
  /// O(n).
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { form(of: bytes) != .invalid }

  /// What bytes are as UTF-8.
  package enum Form {
    case ascii
    /// Valid, and not ASCII alone.
    case unicode
    case invalid
  }

  /// Checks bytes: ASCII is taken eight or 32 at a time, everything else a scalar at a time as one
  /// little-endian word.
  ///
  /// O(n).
  package static func form(of bytes: UnsafeRawBufferPointer) -> Form {
    guard let base = bytes.baseAddress else { return .ascii }
    let count = bytes.count
    var isASCII = true
    var index = 0
    while index < count {
      while index &+ 32 <= count, isASCII32(base + index) { index &+= 32 }
      let high = word(base, index, count) & 0x8080_8080_8080_8080
      if high == 0 {
        index &+= 8
        continue
      }
      index &+= high.trailingZeroBitCount >> 3
      isASCII = false
      repeat {
        let length = scalarLength(UInt32(truncatingIfNeeded: word(base, index, count)))
        if length == 0 { return .invalid }
        index &+= length
      } while index < count && base.load(fromByteOffset: index, as: UInt8.self) >= 0x80
    }
    return isASCII ? .ascii : .unicode
  }

  @inline(__always)
  private static func isASCII32(_ start: UnsafeRawPointer) -> Bool {
    let bytes = start.loadUnaligned(as: SIMD4<UInt64>.self)
    return (bytes[0] | bytes[1] | bytes[2] | bytes[3]) & 0x8080_8080_8080_8080 == 0
  }

  /// Up to eight bytes from `index` on, the first one lowest; zeros, which are ASCII and continue no
  /// scalar, behind the last.
  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ index: Int, _ count: Int) -> UInt64 {
    if index &+ 8 <= count {
      return UInt64(littleEndian: (base + index).loadUnaligned(as: UInt64.self))
    }
    if count >= 8 {
      let last = UInt64(littleEndian: (base + (count &- 8)).loadUnaligned(as: UInt64.self))
      return last >> UInt64((index &+ 8 &- count) &* 8)
    }
    var word: UInt64 = 0
    for offset in index..<count {
      let byte = base.load(fromByteOffset: offset, as: UInt8.self)
      word |= UInt64(byte) << UInt64((offset &- index) &* 8)
    }
    return word
  }

  /// How many bytes the scalar takes that begins a word and is not ASCII; 0 if there is none.
  @inline(__always)
  private static func scalarLength(_ word: UInt32) -> Int {
    // Two bytes: 110xxxxx 10xxxxxx, not C0 or C1.
    if word & 0xC0E0 == 0x80C0 { return word & 0x1E == 0 ? 0 : 2 }
    // Three: 1110xxxx 10xxxxxx 10xxxxxx, not E0 80…9F and not ED A0…BF, the surrogates.
    if word & 0xC0_C0F0 == 0x80_80E0 {
      let head = word & 0x200F
      return head == 0 || head == 0x200D ? 0 : 3
    }
    // Four: 11110xxx and three more, from F0 90 to F4 8F.
    if word & 0xC0C0_C0F8 == 0x8080_80F0 {
      let head = (word & 0x7) << 2 | (word >> 12) & 0x3
      return head >= 1 && head <= 16 ? 4 : 0
    }
    return 0
  }
}
