/// Decimal text of integers.
enum IntegerText {
  /// Appends the digits of a value, after a minus if it is negative.
  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var start = digits.count
      var magnitude = value.magnitude
      repeat {
        start -= 1
        digits[start] = 0x30 + UInt8(magnitude % 10)
        magnitude /= 10
      } while magnitude > 0
      if value < 0 {
        start -= 1
        digits[start] = 0x2D
      }
      bytes.append(contentsOf: digits[start...])
    }
  }
}
