/// Decimal text of doubles: exact in both directions.
enum RealText {
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// The nearest double to a JSON number; infinite beyond the range, nil if it is no number.
  ///
  /// Short numbers take one exact multiplication or division (Clinger, “How to Read Floating Point
  /// Numbers Accurately”); others go to the standard library's parser.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> Double? {
    var mantissa: UInt64 = 0
    var digits = 0
    var scale = 0
    var index = 0
    let isNegative = bytes.first == 0x2D
    if isNegative { index = 1 }
    var isAfterPoint = false
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x2E {
        isAfterPoint = true
      } else {
        let digit = byte &- 0x30
        guard digit < 10 else { break }
        if digits > 0 || digit > 0 { digits += 1 }
        if digits > 18 { return slow(bytes) }
        mantissa = mantissa * 10 + UInt64(digit)
        if isAfterPoint { scale -= 1 }
      }
      index += 1
    }
    if index < bytes.count {
      index += 1
      var isExponentNegative = false
      if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
        isExponentNegative = bytes[index] == 0x2D
        index += 1
      }
      var exponent = 0
      while index < bytes.count, exponent < 10_000 {
        exponent = exponent * 10 + Int(bytes[index] &- 0x30)
        index += 1
      }
      scale += isExponentNegative ? -exponent : exponent
    }
    if mantissa == 0 { return isNegative ? -0.0 : 0 }
    guard mantissa <= 1 << 53, scale >= -22, scale <= 22 else { return slow(bytes) }
    let whole = Double(mantissa)
    let value = scale < 0 ? whole / powersOfTen[-scale] : whole * powersOfTen[scale]
    return isNegative ? -value : value
  }

  private static func slow(_ bytes: UnsafeRawBufferPointer) -> Double? {
    Double(Substring(decoding: bytes, as: UTF8.self))
  }
}
