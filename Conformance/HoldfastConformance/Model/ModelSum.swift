import Holdfast

/// The exact sum of numbers, as a fraction of two whole numbers of any size, the plain way: every
/// number is brought to units of 2⁻¹⁰⁷⁴, and the result is rounded once.
struct ModelSum {
  private let values: [Value]

  init(_ values: [Value]) { self.values = values }

  private var reals: [Double] {
    values.compactMap { value in
      if case .real(let real) = value { return real }
      return nil
    }
  }

  /// The total; null over nothing and for the sum of opposite infinities, nil for an integer total
  /// beyond 64 bits.
  var total: Value? {
    if values.isEmpty { return .null }
    if reals.isEmpty {
      var sum: Int128 = 0
      for case .integer(let integer) in values { sum += Int128(integer) }
      return Int64(exactly: sum).map { .integer($0) }
    }
    return infinite ?? .real(rounded(dividedBy: 1))
  }

  /// The mean; null as for the total.
  var mean: Value {
    if values.isEmpty { return .null }
    return infinite ?? .real(rounded(dividedBy: UInt32(values.count)))
  }

  private var infinite: Value? {
    let infinities = Set(reals.filter(\.isInfinite))
    if infinities.isEmpty { return nil }
    return infinities.count == 2 ? .null : .real(infinities.first ?? 0)
  }

  private func rounded(dividedBy divisor: UInt32) -> Double {
    var positive = WholeNumber()
    var negative = WholeNumber()
    for value in values {
      let (number, isNegative) = Self.units(value)
      if isNegative { negative.add(number) } else { positive.add(number) }
    }
    let isNegative = positive.isLess(than: negative)
    if isNegative { swap(&positive, &negative) }
    positive.subtract(negative)
    // 64 more binary places, so that what is dropped below decides nothing but a tie.
    positive.shiftLeft(64)
    let hasRemainder = positive.divide(by: divisor)
    let magnitude = positive.rounded(places: 1074 + 64, isMore: hasRemainder)
    return isNegative && magnitude != 0 ? -magnitude : magnitude
  }

  /// A number in units of 2⁻¹⁰⁷⁴.
  private static func units(_ value: Value) -> (WholeNumber, isNegative: Bool) {
    var number = WholeNumber()
    switch value {
    case .integer(let integer):
      number = WholeNumber(integer.magnitude)
      number.shiftLeft(1074)
      return (number, integer < 0)
    case .real(let real) where real.isFinite && real != 0:
      // A double is its significand, a whole number, times its unit in the last place.
      let unit = real.magnitude.ulp
      number = WholeNumber(UInt64(real.magnitude / unit))
      number.shiftLeft(Int(unit.exponent) + 1074)
      return (number, real < 0)
    default: return (number, false)
    }
  }
}

/// A whole number of any size, as bits in 32-bit digits, the least significant first.
private struct WholeNumber {
  private var digits: [UInt32] = []

  init() {}
  init(_ value: UInt64) { digits = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)] }

  private func digit(_ index: Int) -> UInt32 { index < digits.count ? digits[index] : 0 }
  private func bit(_ index: Int) -> Bool { digit(index / 32) >> UInt32(index % 32) & 1 == 1 }

  private var width: Int {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    return top * 32 + 32 - digits[top].leadingZeroBitCount
  }

  mutating func add(_ other: WholeNumber) {
    var carry: UInt64 = 0
    for index in 0...max(digits.count, other.digits.count) {
      carry += UInt64(digit(index)) + UInt64(other.digit(index))
      if index == digits.count { digits.append(0) }
      digits[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
  }

  /// Subtracts a number that is not greater.
  mutating func subtract(_ other: WholeNumber) {
    var borrow: Int64 = 0
    for index in digits.indices {
      borrow += Int64(digits[index]) - Int64(other.digit(index))
      digits[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
  }

  func isLess(than other: WholeNumber) -> Bool {
    for index in (0..<max(digits.count, other.digits.count)).reversed()
    where digit(index) != other.digit(index) {
      return digit(index) < other.digit(index)
    }
    return false
  }

  mutating func shiftLeft(_ places: Int) {
    var result = [UInt32](repeating: 0, count: digits.count + places / 32 + 1)
    for (index, digit) in digits.enumerated() {
      let wide = UInt64(digit) << UInt64(places % 32)
      result[index + places / 32] |= UInt32(truncatingIfNeeded: wide)
      result[index + places / 32 + 1] |= UInt32(wide >> 32)
    }
    digits = result
  }

  /// Divides, and says whether anything was left over.
  mutating func divide(by divisor: UInt32) -> Bool {
    var rest: UInt64 = 0
    for index in digits.indices.reversed() {
      let step = rest << 32 | UInt64(digits[index])
      digits[index] = UInt32(step / UInt64(divisor))
      rest = step % UInt64(divisor)
    }
    return rest != 0
  }

  /// The nearest double to this number, and a little more where `isMore`, with that many binary
  /// places; ties to even.
  func rounded(places: Int, isMore: Bool) -> Double {
    // At most 53 bits, and none below 2⁻¹⁰⁷⁴.
    let drop = max(width - 53, places - 1074)
    var kept: UInt64 = 0
    for index in (drop..<max(width, drop)).reversed() { kept = kept << 1 | (bit(index) ? 1 : 0) }
    let isHalf = drop > 0 && bit(drop - 1)
    let isAboveHalf = isMore || (0..<max(drop - 1, 0)).contains { bit($0) }
    if isHalf, isAboveHalf || kept & 1 == 1 { kept += 1 }
    let exponent = drop - places
    // In two steps, since the power of two itself may be out of range where the product is not.
    return Double(kept) * Double(sign: .plus, exponent: exponent / 2, significand: 1)
      * Double(sign: .plus, exponent: exponent - exponent / 2, significand: 1)
  }
}
