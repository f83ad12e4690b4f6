/// The bytes that stand for themselves in a JSON string: all but quotes, backslashes and control
/// characters.
enum JSONPlainText {
  /// The position of the next byte that does not, or the end; gathers in `high` the high bits of what
  /// lies before it.
  ///
  /// Looks at eight bytes at a time.
  @inline(__always)
  static func end(
    _ base: UnsafePointer<UInt8>,
    _ start: Int,
    _ end: Int,
    _ high: inout UInt64
  ) -> Int {
    let bytes = UnsafeRawPointer(base)
    var position = start
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    while position + 8 <= end {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // A byte below the subtracted one borrows into its top bit; false hits are settled below.
      let found =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        | ((word &- (ones &* 0x20)) & ~word)
      if found & tops != 0 { break }
      high |= word & tops
      position += 8
    }
    while position < end {
      let byte = base[position]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      high |= UInt64(byte & 0x80)
      position += 1
    }
    return position
  }
}
