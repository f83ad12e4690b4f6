/// The exact total of integers and reals: one long number in units of 2⁻¹⁰⁷⁴, the smallest
/// distance of two doubles, rounded once at the end.
///
/// Values that are no numbers do not count.
struct PlainTotal {
  /// 32 bits each, least significant first, with room for carries.
  private var limbs = [Int64](repeating: 0, count: 70)
  private var whole: Int128 = 0
  private var count: UInt64 = 0
  private var hasPositiveInfinity = false
  private var hasNegativeInfinity = false

  init(_ values: [Plain]) {
    for value in values {
      switch value {
      case .integer(let integer):
        count += 1
        whole += Int128(integer)
        add(integer.magnitude, at: 1074, isNegative: integer < 0)
      case .real(let real):
        count += 1
        if real == .infinity {
          hasPositiveInfinity = true
        } else if real == -.infinity {
          hasNegativeInfinity = true
        } else {
          let hidden: UInt64 = real.isNormal ? 1 << 52 : 0
          let place = max(Int(real.exponentBitPattern), 1) - 1
          add(real.significandBitPattern | hidden, at: place, isNegative: real.sign == .minus)
        }
      case .nothing, .text, .blob: break
      }
    }
  }

  private mutating func add(_ magnitude: UInt64, at place: Int, isNegative: Bool) {
    var shifted = UInt128(magnitude) << UInt128(place % 32)
    var limb = place / 32
    while shifted > 0 {
      let part = Int64(shifted & 0xFFFF_FFFF)
      limbs[limb] += isNegative ? -part : part
      shifted >>= 32
      limb += 1
    }
  }

  /// The total of integers.
  func integer() throws(PlainTable.Refusal) -> Plain {
    if count == 0 { return .nothing }
    guard let total = Int64(exactly: whole) else { throw .overflow }
    return .integer(total)
  }

  /// The total as a real; opposite infinities have none.
  func real() -> Plain { rounded(dividedBy: 1) }

  /// The mean as a real.
  func mean() -> Plain { rounded(dividedBy: count) }

  private func rounded(dividedBy divisor: UInt64) -> Plain {
    if count == 0 || (hasPositiveInfinity && hasNegativeInfinity) { return .nothing }
    if hasPositiveInfinity { return .real(.infinity) }
    if hasNegativeInfinity { return .real(-.infinity) }
    var digits = limbs
    let isNegative = Self.carry(&digits) < 0
    if isNegative {
      digits = digits.map { -$0 }
      _ = Self.carry(&digits)
    }
    // Two limbs more below the unit, then a division from the top.
    var quotient = [Int64](repeating: 0, count: 2) + digits
    var remainder: UInt64 = 0
    for index in quotient.indices.reversed() {
      let part = remainder << 32 | UInt64(quotient[index])
      quotient[index] = Int64(part / divisor)
      remainder = part % divisor
    }
    let magnitude = Self.nearest(quotient, hasMore: remainder != 0)
    return .real(isNegative && magnitude > 0 ? -magnitude : magnitude)
  }

  /// Brings each limb into 0 ..< 2³²; the last carry is −1 for a negative number.
  private static func carry(_ limbs: inout [Int64]) -> Int64 {
    var carry: Int64 = 0
    for index in limbs.indices {
      let part = limbs[index] + carry
      limbs[index] = part & 0xFFFF_FFFF
      carry = part >> 32
    }
    return carry
  }

  /// The nearest double to a number in units of 2⁻¹¹³⁸, ties to even.
  private static func nearest(_ limbs: [Int64], hasMore: Bool) -> Double {
    func bit(_ place: Int) -> UInt64 { UInt64(limbs[place / 32] >> Int64(place % 32)) & 1 }
    guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = top * 32 + 63 - limbs[top].leadingZeroBitCount
    let lowest = max(highest - 52, 64)
    var kept: UInt64 = 0
    for place in stride(from: max(highest, lowest), through: lowest, by: -1) {
      kept = kept << 1 | bit(place)
    }
    let isHalf = bit(lowest - 1) == 1
    let isMore = hasMore || (0..<(lowest - 1)).contains { bit($0) == 1 }
    if isHalf, isMore || kept & 1 == 1 { kept += 1 }
    return Double(sign: .plus, exponent: lowest - 1138, significand: Double(kept))
  }
}
