import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(.both(try translator.filter(lhs), try translator.filter(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(try translator.filter(lhs).or(try translator.filter(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(try translator.filter(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .choice(
      try translator.filter(test),
      try translator.operand(trueBranch),
      try translator.operand(falseBranch)
    )
  }
}

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case .constant(let value) = try translator.operand(expression),
      let inner = value as? Transformation.Output
    else { throw translator.refusal(self) }
    for (variable, input) in repeat (each inner.variable, each input) {
      translator.bind(variable.key, to: try translator.operand(input))
    }
    return try translator.operand(inner.expression)
  }
}
