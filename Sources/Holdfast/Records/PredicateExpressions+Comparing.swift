import Foundation

extension PredicateExpressions.Equal: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let filter = try translator.compare(
      try translator.operand(lhs),
      .equal,
      try translator.operand(rhs),
      self
    ) { left, right in
      guard let left = left as? LHS.Output, let right = right as? LHS.Output else { return nil }
      return left == right
    }
    return .filter(filter)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let filter = try translator.compare(
      try translator.operand(lhs),
      .notEqual,
      try translator.operand(rhs),
      self
    ) { left, right in
      guard let left = left as? LHS.Output, let right = right as? LHS.Output else { return nil }
      return left != right
    }
    return .filter(filter)
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let comparison: Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw translator.refusal(self)
      }
    guard StoredOrder.isNative(LHS.Output.self) else {
      throw translator.refusal(self, "\(LHS.Output.self) is not stored in its own order")
    }
    let filter = try translator.compare(
      try translator.operand(lhs),
      comparison,
      try translator.operand(rhs),
      self
    ) { left, right in
      guard let left = left as? LHS.Output, let right = right as? LHS.Output else { return nil }
      return comparison.holds(left < right ? -1 : left == right ? 0 : left > right ? 1 : nil)
    }
    return .filter(filter)
  }
}

extension Comparison {
  /// Whether it holds for the outcome of an ordering; nil, of NaN, is no order.
  func holds(_ order: Int?) -> Bool {
    order.map { holds($0) } ?? (self == .notEqual)
  }
}
