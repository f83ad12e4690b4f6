/// Decimal text of integers.
enum IntegerText {
  /// Appends the digits of a value, after a minus if it is negative.
  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    var magnitude = value.magnitude
    if magnitude < 10 {
      if value < 0 { bytes.append(0x2D) }
      bytes.append(UInt8(truncatingIfNeeded: magnitude) | 0x30)
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      while magnitude > 0 {
        start -= 1
        let (rest, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
        digits[start] = UInt8(truncatingIfNeeded: digit) | 0x30
        magnitude = rest
      }
      if value < 0 { bytes.append(0x2D) }
      bytes.append(contentsOf: digits[start..<20])
    }
  }
}
