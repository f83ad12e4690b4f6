extension JSONReader {
  /// The nearest double to the number that ``next()`` returned last, for real fields that are
  /// written as integers of any length.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` if it is beyond every double.
  public func nearestReal() throws(StorageError) -> Double {
    guard let real = RealText.parse(bytes), real.isFinite else {
      throw error(.invalidValue, "a number is beyond the range of doubles")
    }
    return real
  }

  /// Reads the number at the position.
  mutating func number(_ first: UInt8) throws(StorageError) -> JSONToken {
    isUnescaped = false
    let isNegative = first == 0x2D
    if isNegative { window.position += 1 }
    let digitsStart = window.position - window.start
    var magnitude: UInt64 = 0
    var overflows = false
    var count = 0
    while let digit = try digit() {
      let (product, high) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if high || carry { overflows = true }
      magnitude = sum
      count += 1
    }
    guard count > 0 else { throw malformed("expected a digit") }
    if count > 1, window.base[window.start + digitsStart] == 0x30 {
      throw malformed("a number with a leading zero")
    }
    var isReal = false
    if try at(0x2E, or: 0x2E) {
      isReal = true
      window.position += 1
      guard try skipDigits() > 0 else { throw malformed("expected a digit after the point") }
    }
    if try at(0x65, or: 0x45) {
      isReal = true
      window.position += 1
      if try at(0x2B, or: 0x2D) { window.position += 1 }
      guard try skipDigits() > 0 else { throw malformed("expected a digit in the exponent") }
    }
    tokenStart = window.start
    tokenEnd = window.position
    if isReal {
      let real = try nearestReal()
      return .real(real == 0 ? 0 : real)
    }
    if overflows || magnitude > (isNegative ? 1 << 63 : UInt64(Int64.max)) { return .bigInteger }
    return .integer(
      isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude)
    )
  }

  /// Takes the next digit, or nil.
  @inline(__always)
  private mutating func digit() throws(StorageError) -> UInt8? {
    if window.position == window.end, try !window.more() { return nil }
    let value = window.base[window.position] &- 0x30
    guard value < 10 else { return nil }
    window.position += 1
    return value
  }

  private mutating func skipDigits() throws(StorageError) -> Int {
    var count = 0
    while try digit() != nil { count += 1 }
    return count
  }

  @inline(__always)
  private mutating func at(_ byte: UInt8, or other: UInt8) throws(StorageError) -> Bool {
    if window.position == window.end, try !window.more() { return false }
    return window.base[window.position] == byte || window.base[window.position] == other
  }
}
