import Foundation

/// A number computed from one stored number and constants, step by step.
///
/// Every step is monotonic, rounding included, so that a comparison of the outcome is a comparison
/// of the stored number with a threshold, which is found by halving. This is exact: it asks the very
/// operations that Swift would perform.
struct Arithmetic {
  enum Step {
    case add(Number)
    case multiply(Number)
    case divide(Number)
  }

  /// An integer, wide enough for sums and products of two, or a double.
  enum Number {
    case integer(Int128)
    case real(Double)

    init?(_ value: Any) {
      if let real = value as? Double {
        guard real.isFinite else { return nil }
        self = .real(real)
      } else if let integer = value as? any FixedWidthInteger {
        self = .integer(Int128(integer))
      } else {
        return nil
      }
    }

    var negated: Number {
      switch self {
      case .integer(let value): .integer(-value)
      case .real(let value): .real(-value)
      }
    }

    var isZero: Bool {
      switch self {
      case .integer(let value): value == 0
      case .real(let value): value == 0
      }
    }

    var isNegative: Bool {
      switch self {
      case .integer(let value): value < 0
      case .real(let value): value < 0
      }
    }
  }

  let place: Place
  let isReal: Bool
  private(set) var steps: [Step] = []
  private(set) var isDecreasing = false

  /// A stored number; nil for types whose arithmetic is not that of integers or doubles.
  init?(_ place: Place, _ type: Any.Type) {
    self.place = place
    if type == Double.self {
      isReal = true
    } else if type is any FixedWidthInteger.Type {
      isReal = false
    } else {
      return nil
    }
  }

  /// The same with one more step; nil if it would not be monotonic.
  func then(_ step: Step) -> Arithmetic? {
    var result = self
    switch step {
    case .add: break
    case .multiply(let factor), .divide(let factor):
      if factor.isZero { return nil }
      if factor.isNegative { result.isDecreasing.toggle() }
    }
    result.steps.append(step)
    return result
  }

  // MARK: Comparing

  /// The comparison as one of the stored number.
  func compare(
    _ comparison: Comparison,
    _ value: Any,
    _ translator: PredicateTranslator,
    _ expression: some PredicateExpression
  ) throws -> Filter {
    if let real = value as? Double, real.isNaN { return comparison == .notEqual ? .all : .nothing }
    let present = translator.isPresent(place)
    func at(_ comparison: Comparison, _ threshold: Any?, beyond: Filter) throws -> Filter {
      guard let threshold else { return beyond }
      return try translator.compare(place, comparison, threshold, expression)
    }
    let (lower, upper) = try thresholds(value, translator, expression)
    // Decreasing functions are negated, and so is what they are compared with.
    let comparison = isDecreasing ? comparison.mirrored : comparison
    func below(_ threshold: Any?) throws -> Filter { try at(.less, threshold, beyond: present) }
    func from(_ threshold: Any?) throws -> Filter {
      try at(.greaterOrEqual, threshold, beyond: .nothing)
    }
    switch comparison {
    case .less: return try below(lower)
    case .lessOrEqual: return try below(upper)
    case .greaterOrEqual: return try from(lower)
    case .greater: return try from(upper)
    case .equal: return .both(try from(lower), try below(upper))
    case .notEqual: return Filter.both(try from(lower), try below(upper)).negated
    }
  }

  /// The smallest stored numbers whose outcome is at least, and above, a value; nil for none.
  private func thresholds(
    _ value: Any,
    _ translator: PredicateTranslator,
    _ expression: some PredicateExpression
  ) throws -> (lower: Any?, upper: Any?) {
    if isReal, let limit = value as? Double {
      let target = isDecreasing ? -limit : limit
      func outcome(_ rank: Int64) -> Double {
        let outcome = real(Self.double(rank))
        return isDecreasing ? -outcome : outcome
      }
      let first = Self.rank(-.infinity)
      let last = Self.rank(.infinity)
      return (
        Self.first(first, last) { outcome($0) >= target }.map(Self.double),
        Self.first(first, last) { outcome($0) > target }.map(Self.double)
      )
    }
    guard !isReal, case .integer(let limit)? = Number(value) else {
      throw translator.refusal(expression)
    }
    // Beyond 128 bits nothing is exact any more.
    guard integer(Int128(Int64.min)) != nil, integer(Int128(Int64.max)) != nil else {
      throw translator.refusal(expression, "the numbers are too large")
    }
    let target = isDecreasing ? -limit : limit
    func outcome(_ stored: Int64) -> Int128 {
      let outcome = integer(Int128(stored)) ?? 0
      return isDecreasing ? -outcome : outcome
    }
    return (
      Self.first(.min, .max) { outcome($0) >= target },
      Self.first(.min, .max) { outcome($0) > target }
    )
  }

  private func real(_ stored: Double) -> Double {
    var value = stored
    for step in steps {
      switch step {
      case .add(.real(let term)): value += term
      case .multiply(.real(let factor)): value *= factor
      case .divide(.real(let divisor)): value /= divisor
      case .add, .multiply, .divide: break
      }
    }
    return value
  }

  private func integer(_ stored: Int128) -> Int128? {
    var value = stored
    for step in steps {
      let outcome: (partialValue: Int128, overflow: Bool)
      switch step {
      case .add(.integer(let term)): outcome = value.addingReportingOverflow(term)
      case .multiply(.integer(let factor)): outcome = value.multipliedReportingOverflow(by: factor)
      case .divide(.integer(let divisor)): outcome = value.dividedReportingOverflow(by: divisor)
      case .add, .multiply, .divide: outcome = (value, false)
      }
      if outcome.overflow { return nil }
      value = outcome.partialValue
    }
    return value
  }

  // MARK: Halving

  /// The first number in a range for which a monotonic condition holds; nil if it never does.
  private static func first(_ lowest: Int64, _ highest: Int64, _ holds: (Int64) -> Bool) -> Int64? {
    guard holds(highest) else { return nil }
    var low = lowest
    var high = highest
    while low < high {
      // Halfway without overflow.
      let middle = low + Int64((UInt64(bitPattern: high) &- UInt64(bitPattern: low)) / 2)
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// A double's place among all doubles in ascending order.
  private static func rank(_ value: Double) -> Int64 {
    let bits = Int64(bitPattern: value.bitPattern)
    return bits >= 0 ? bits : Int64.min - bits
  }

  private static func double(_ rank: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: rank >= 0 ? rank : Int64.min - rank))
  }
}
