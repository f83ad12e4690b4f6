/// Totals and means of the exact sum, rounded once, so that they depend neither on the engine nor
/// on the order of rows.
///
/// Reals are added into a fixed-point number wide enough for every double (a superaccumulator of
/// 32-bit digits over 2⁻¹⁰⁷⁴), integers into 128 bits. Not thread-safe.
public struct ExactSum {
  private var integers: Int128 = 0
  private var digits: [Int64] = []
  private var pending = 0
  private var infinity = 0.0
  /// How many values were added.
  public private(set) var count = 0
  private var hasReals = false

  /// Creates an empty sum.
  public init() {}

  /// Adds an integer.
  public mutating func add(_ value: Int64) {
    integers += Int128(value)
    count += 1
  }

  /// Adds a real that is not NaN.
  public mutating func add(_ value: Double) {
    count += 1
    hasReals = true
    guard value.isFinite else {
      infinity += value
      return
    }
    if value == 0 { return }
    if digits.isEmpty { digits = Array(repeating: 0, count: 72) }
    let exponent = max(Int(value.bitPattern >> 52 & 0x7FF), 1)
    var mantissa = value.bitPattern & 0xF_FFFF_FFFF_FFFF
    if value.bitPattern >> 52 & 0x7FF != 0 { mantissa |= 1 << 52 }
    let shift = exponent - 1
    let digit = shift / 32
    let wide = UInt128(mantissa) << UInt128(shift % 32)
    let sign: Int64 = value < 0 ? -1 : 1
    digits[digit] += sign * Int64(truncatingIfNeeded: wide & 0xFFFF_FFFF)
    digits[digit + 1] += sign * Int64(truncatingIfNeeded: wide >> 32 & 0xFFFF_FFFF)
    digits[digit + 2] += sign * Int64(truncatingIfNeeded: wide >> 64)
    pending += 1
    if pending == 1 << 29 { digits = Self.carried(digits) }
    if pending == 1 << 29 { pending = 0 }
  }

  /// The total: an integer if only integers were added; null over nothing, and for the undefined
  /// sum of opposite infinities.
  ///
  /// - Throws: ``StorageError/Code/overflow`` for an integer total that does not fit.
  public func total() throws(StorageError) -> Value {
    if count == 0 { return .null }
    if hasReals { return real(dividedBy: 1) }
    guard let total = Int64(exactly: integers) else {
      throw StorageError(.overflow, "the sum does not fit in 64 bits; sum fewer records")
    }
    return .integer(total)
  }

  /// The mean as a real; null over nothing.
  public func mean() -> Value {
    if count == 0 { return .null }
    if hasReals { return real(dividedBy: UInt64(count)) }
    let magnitude = integers.magnitude
    let divisor = UInt128(count)
    var quotient = magnitude / divisor
    var shift = 0
    if magnitude >> 53 == 0 {
      let mean = Double(UInt64(magnitude)) / Double(count)
      return .real(integers < 0 ? -mean : mean)
    }
    shift = max(0, 56 - (128 - quotient.leadingZeroBitCount))
    let scaled = magnitude << UInt128(shift)
    quotient = scaled / divisor
    if scaled % divisor != 0 { quotient |= 1 }
    let mean = Self.round(quotient) * Double(sign: .plus, exponent: -shift, significand: 1)
    return .real(integers < 0 ? -mean : mean)
  }

  /// Rounds to nearest, ties to even.
  private static func round(_ value: UInt128) -> Double {
    let width = 128 - value.leadingZeroBitCount
    if width <= 53 { return Double(UInt64(value)) }
    let drop = width - 53
    var kept = UInt64(value >> UInt128(drop))
    let rest = value & (1 << UInt128(drop) - 1)
    let half = UInt128(1) << UInt128(drop - 1)
    if rest > half || (rest == half && kept & 1 == 1) { kept += 1 }
    return Double(sign: .plus, exponent: drop, significand: Double(kept))
  }

  private static func carried(_ digits: [Int64]) -> [Int64] {
    var digits = digits
    for index in 0..<digits.count - 1 {
      let carry = digits[index] >> 32
      digits[index] -= carry << 32
      digits[index + 1] += carry
    }
    return digits
  }

  private func real(dividedBy divisor: UInt64) -> Value {
    if infinity.isNaN { return .null }
    if infinity != 0 { return .real(infinity) }
    if digits.isEmpty { return .real(0) }
    var digits = Self.carried(self.digits)
    let isNegative = digits[digits.count - 1] < 0
    if isNegative { digits = Self.carried(digits.map { -$0 }) }
    // Long division, most significant digit first; the remainder only makes the result inexact.
    var remainder: UInt64 = 0
    var quotient = [UInt64](repeating: 0, count: digits.count)
    for index in digits.indices.reversed() {
      let step = UInt128(remainder) << 32 | UInt128(UInt64(digits[index]))
      quotient[index] = UInt64(step / UInt128(divisor))
      remainder = UInt64(step % UInt128(divisor))
    }
    let top = quotient.lastIndex { $0 != 0 } ?? 0
    let width = top * 32 + 64 - quotient[top].leadingZeroBitCount
    let drop = max(0, width - 53)
    func bit(_ index: Int) -> UInt64 { quotient[index / 32] >> UInt64(index % 32) & 1 }
    var kept: UInt64 = 0
    for index in (drop..<width).reversed() { kept = kept << 1 | bit(index) }
    if drop > 0, bit(drop - 1) == 1 {
      let isSticky = remainder != 0 || (0..<drop - 1).contains { bit($0) == 1 }
      if isSticky || kept & 1 == 1 { kept += 1 }
    } else if drop == 0, remainder != 0, UInt128(remainder) * 2 >= UInt128(divisor) {
      if UInt128(remainder) * 2 > UInt128(divisor) || kept & 1 == 1 { kept += 1 }
    }
    // Scaled in two steps, both exact: the result has no more bits than fit.
    let value = Self.scaled(kept, by: drop - 1074)
    return .real(isNegative && value != 0 ? -value : value)
  }

  private static func scaled(_ significand: UInt64, by exponent: Int) -> Double {
    let half = exponent / 2
    return Double(significand) * Double(sign: .plus, exponent: half, significand: 1)
      * Double(sign: .plus, exponent: exponent - half, significand: 1)
  }
}
