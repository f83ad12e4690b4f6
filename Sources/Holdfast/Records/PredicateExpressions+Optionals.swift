import Foundation

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try translator.operand(inner)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    coalesce(try translator.operand(lhs), try translator.operand(rhs), translator)
  }

  private func coalesce(
    _ value: PredicateTranslator.Operand,
    _ other: PredicateTranslator.Operand,
    _ translator: PredicateTranslator
  ) -> PredicateTranslator.Operand {
    switch value {
    case .constant(let constant):
      if case .some(let wrapped)? = constant as? LHS.Output { return .constant(wrapped) }
      return other
    case .place(let place): return .choice(translator.isPresent(place), value, other)
    case .choice(let test, let first, let second):
      return .choice(
        test,
        coalesce(first, other, translator),
        coalesce(second, other, translator)
      )
    case .model, .number, .count, .filter, .range: return value
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try map(try translator.operand(wrapped), translator)
  }

  private func map(
    _ source: PredicateTranslator.Operand,
    _ translator: PredicateTranslator
  ) throws -> PredicateTranslator.Operand {
    let absent = PredicateTranslator.Operand.constant(RHS.Output?.none as Any)
    switch source {
    case .place(let place):
      translator.bind(variable.key, to: source)
      return .choice(translator.isPresent(place), try translator.operand(transform), absent)
    case .constant(let value):
      guard case .some(let wrapped)? = value as? LHS.Output else { return absent }
      translator.bind(variable.key, to: .constant(wrapped))
      return try translator.operand(transform)
    case .choice(let test, let first, let second):
      return .choice(test, try map(first, translator), try map(second, translator))
    case .model, .number, .count, .filter, .range:
      translator.bind(variable.key, to: source)
      return try translator.operand(transform)
    }
  }
}
