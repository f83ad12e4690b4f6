import Foundation

extension PredicateTranslator {
  /// One step of arithmetic on a stored number; nil if it has no translation.
  fileprivate func step<T>(
    _ left: Operand,
    _ right: Operand,
    _ type: T.Type,
    constant: (T, T) -> T?,
    onLeft: (Arithmetic, Arithmetic.Number) -> Arithmetic?,
    onRight: (Arithmetic, Arithmetic.Number) -> Arithmetic?
  ) -> Operand? {
    switch (left, right) {
    case (.choice(let test, let first, let second), _):
      guard
        let first = step(
          first,
          right,
          type,
          constant: constant,
          onLeft: onLeft,
          onRight: onRight
        ),
        let second = step(
          second,
          right,
          type,
          constant: constant,
          onLeft: onLeft,
          onRight: onRight
        )
      else { return nil }
      return .choice(test, first, second)
    case (_, .choice(let test, let first, let second)):
      guard
        let first = step(left, first, type, constant: constant, onLeft: onLeft, onRight: onRight),
        let second = step(left, second, type, constant: constant, onLeft: onLeft, onRight: onRight)
      else { return nil }
      return .choice(test, first, second)
    case (.constant(let left as T), .constant(let right as T)):
      return constant(left, right).map { .constant($0) }
    case (_, .constant(let value)):
      guard let number = Arithmetic.Number(value), let base = arithmetic(left, type) else {
        return nil
      }
      return onLeft(base, number).map { .number($0) }
    case (.constant(let value), _):
      guard let number = Arithmetic.Number(value), let base = arithmetic(right, type) else {
        return nil
      }
      return onRight(base, number).map { .number($0) }
    default: return nil
    }
  }

  fileprivate func arithmetic(_ operand: Operand, _ type: Any.Type) -> Arithmetic? {
    switch operand {
    case .number(let number): number
    case .place(let place): Arithmetic(place, type)
    default: nil
    }
  }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let minusOne: Arithmetic.Number = LHS.Output.self == Double.self ? .real(-1) : .integer(-1)
    let outcome = translator.step(
      try translator.operand(lhs),
      try translator.operand(rhs),
      LHS.Output.self
    ) { left, right in
      switch op {
      case .add: left + right
      case .subtract: left - right
      case .multiply: left * right
      @unknown default: nil
      }
    } onLeft: { number, constant in
      switch op {
      case .add: number.then(.add(constant))
      case .subtract: number.then(.add(constant.negated))
      case .multiply: number.then(.multiply(constant))
      @unknown default: nil
      }
    } onRight: { number, constant in
      switch op {
      case .add: number.then(.add(constant))
      case .subtract: number.then(.multiply(minusOne))?.then(.add(constant))
      case .multiply: number.then(.multiply(constant))
      @unknown default: nil
      }
    }
    guard let outcome else { throw translator.refusal(self) }
    return outcome
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let isReal = Wrapped.Output.self == Double.self
    guard
      let number = translator.arithmetic(try translator.operand(wrapped), Wrapped.Output.self)?
        .then(.multiply(isReal ? .real(-1) : .integer(-1)))
    else { throw translator.refusal(self) }
    return .number(number)
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let outcome = translator.step(
      try translator.operand(lhs),
      try translator.operand(rhs),
      LHS.Output.self,
      constant: { $1 == 0 ? nil : $0 / $1 },
      onLeft: { $0.then(.divide($1)) },
      onRight: { _, _ in nil }
    )
    guard let outcome else { throw translator.refusal(self) }
    return outcome
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let outcome = translator.step(
      try translator.operand(lhs),
      try translator.operand(rhs),
      LHS.Output.self,
      constant: { $0 / $1 },
      onLeft: { $0.then(.divide($1)) },
      onRight: { _, _ in nil }
    )
    guard let outcome else { throw translator.refusal(self) }
    return outcome
  }
}
