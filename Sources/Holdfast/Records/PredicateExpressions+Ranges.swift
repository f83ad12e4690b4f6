import Foundation

extension PredicateExpressions.Range: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .range(try translator.operand(lower), try translator.operand(upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .range(try translator.operand(lower), try translator.operand(upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    typealias Bound = RangeExpression.Output.Bound
    guard StoredOrder.isNative(Bound.self) else {
      throw translator.refusal(self, "\(Bound.self) is not stored in its own order")
    }
    let element = try translator.operand(element)
    let ends: (PredicateTranslator.Operand?, PredicateTranslator.Operand?, Bool)
    switch try translator.operand(range) {
    case .range(let lower, let upper, let isClosed): ends = (lower, upper, isClosed)
    case .constant(let value as any ConstantRange):
      ends = (
        value.lowerEnd.map { .constant($0) }, value.upperEnd.map { .constant($0) }, value.isClosed
      )
    default: throw translator.refusal(self)
    }
    func side(_ comparison: Comparison, _ end: PredicateTranslator.Operand?) throws -> Filter {
      guard let end else { return .all }
      return try translator.compare(element, comparison, end, self) { left, right in
        guard let left = left as? Bound, let right = right as? Bound else { return nil }
        return comparison.holds(left < right ? -1 : left == right ? 0 : left > right ? 1 : nil)
      }
    }
    return .filter(
      .both(
        try side(.greaterOrEqual, ends.0),
        try side(ends.2 ? .lessOrEqual : .less, ends.1)
      )
    )
  }
}

/// A captured range.
private protocol ConstantRange {
  var lowerEnd: Any? { get }
  var upperEnd: Any? { get }
  var isClosed: Bool { get }
}

extension Range: ConstantRange {
  fileprivate var lowerEnd: Any? { lowerBound }
  fileprivate var upperEnd: Any? { upperBound }
  fileprivate var isClosed: Bool { false }
}

extension ClosedRange: ConstantRange {
  fileprivate var lowerEnd: Any? { lowerBound }
  fileprivate var upperEnd: Any? { upperBound }
  fileprivate var isClosed: Bool { true }
}

extension PartialRangeFrom: ConstantRange {
  fileprivate var lowerEnd: Any? { lowerBound }
  fileprivate var upperEnd: Any? { nil }
  fileprivate var isClosed: Bool { false }
}

extension PartialRangeUpTo: ConstantRange {
  fileprivate var lowerEnd: Any? { nil }
  fileprivate var upperEnd: Any? { upperBound }
  fileprivate var isClosed: Bool { false }
}

extension PartialRangeThrough: ConstantRange {
  fileprivate var lowerEnd: Any? { nil }
  fileprivate var upperEnd: Any? { upperBound }
  fileprivate var isClosed: Bool { true }
}
