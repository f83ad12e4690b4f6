import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try translator.variable(key, self)
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .constant(Int?.none as Any)
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    switch try translator.operand(root) {
    case .model:
      return .field(try translator.position(of: keyPath))
    case .constant(let value as Root.Output):
      return .constant(value[keyPath: keyPath])
    case .field(let position)
    where translator.layout.types[position] == .text && keyPath == \String.isEmpty:
      return .filter(.equal(translator.name(position), ""))
    default:
      throw translator.unknown(self)
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try translator.operand(inner)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    switch try translator.operand(lhs) {
    case .field(let position):
      guard case .constant(let value) = try translator.operand(rhs) else { break }
      if let value = value as? Bool, translator.layout.types[position] == .bool {
        let isTrue = Filter.equal(translator.name(position), true)
        return .filter(value ? .or([isTrue, translator.isNull(position)]) : isTrue)
      }
      return .fieldOr(position, value)
    case .optionalFilter(let filter, let presence):
      let otherwise = try translator.filter(rhs)
      return .filter(.or([.and([presence, filter]), .and([.not(presence), otherwise])]))
    default: break
    }
    throw translator.unknown(self)
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let source = try translator.operand(wrapped)
    translator.bind(variable.key, to: source)
    guard case .field(let position) = source else { throw translator.unknown(self) }
    let presence = Filter.not(translator.isNull(position))
    switch try translator.operand(transform) {
    case .filter(let filter): return .optionalFilter(filter, presence: presence)
    case .field(position): return .field(position)
    default: throw translator.unknown(self)
    }
  }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(.and([try translator.filter(lhs), try translator.filter(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(.or([try translator.filter(lhs), try translator.filter(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(.not(try translator.filter(wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let test = try translator.filter(self.test)
    return .filter(
      .or([
        .and([test, try translator.filter(trueBranch)]),
        .and([.not(test), try translator.filter(falseBranch)]),
      ])
    )
  }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.compare(
        try translator.operand(lhs),
        .equal,
        try translator.operand(rhs),
        self
      )
    )
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.compare(
        try translator.operand(lhs),
        .notEqual,
        try translator.operand(rhs),
        self
      )
    )
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
      @unknown default: throw translator.unknown(self)
      }
    return .filter(
      try translator.compare(
        try translator.operand(lhs),
        comparison,
        try translator.operand(rhs),
        self
      )
    )
  }
}

// MARK: Sequences and ranges

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    switch (try translator.operand(sequence), try translator.operand(element)) {
    case (.constant(let list as any Sequence), .field(let position)):
      return .filter(try translator.isIn(position, list))
    case (.field(let position), .constant(let value)):
      return .filter(
        .contains(translator.name(position), try translator.pattern(value, position, self))
      )
    default:
      throw translator.unknown(self)
    }
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.field(let position), .constant(let value)) =
        (try translator.operand(base), try translator.operand(other))
    else { throw translator.unknown(self) }
    return .filter(
      .contains(translator.name(position), try translator.pattern(value, position, self))
    )
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.field(let position), .constant(let value)) =
        (try translator.operand(base), try translator.operand(prefix))
    else { throw translator.unknown(self) }
    return .filter(
      .startsWith(translator.name(position), try translator.pattern(value, position, self))
    )
  }
}

extension PredicateExpressions.Range: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.constant(let low), .constant(let high)) =
        (try translator.operand(lower), try translator.operand(upper))
    else { throw translator.unknown(self) }
    return .range(lower: low, upper: high, isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.constant(let low), .constant(let high)) =
        (try translator.operand(lower), try translator.operand(upper))
    else { throw translator.unknown(self) }
    return .range(lower: low, upper: high, isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard case .field(let position) = try translator.operand(element) else {
      throw translator.unknown(self)
    }
    let range = try translator.operand(self.range)
    switch range {
    case .range(let lower, let upper, let isClosed):
      return .filter(try translator.within(position, lower, upper, isClosed: isClosed))
    case .constant(let value as any ConstantRange):
      return .filter(
        try translator.within(
          position,
          value.lowerEnd,
          value.upperEnd,
          isClosed: value.isClosed
        )
      )
    default:
      throw translator.unknown(self)
    }
  }
}

extension PredicateTranslator {
  /// Whether a field lies within constant ends.
  fileprivate func within(_ position: Int, _ lower: Any, _ upper: Any, isClosed: Bool) throws
    -> Filter
  {
    .and([
      .greaterOrEqual(name(position), try layout.value(of: lower, position)),
      .compare(
        name(position),
        isClosed ? .lessOrEqual : .less,
        try layout.value(of: upper, position)
      ),
    ])
  }
}

/// A captured range.
private protocol ConstantRange {
  var lowerEnd: Any { get }
  var upperEnd: Any { get }
  var isClosed: Bool { get }
}

extension Range: ConstantRange {
  fileprivate var lowerEnd: Any { lowerBound }
  fileprivate var upperEnd: Any { upperBound }
  fileprivate var isClosed: Bool { false }
}

extension ClosedRange: ConstantRange {
  fileprivate var lowerEnd: Any { lowerBound }
  fileprivate var upperEnd: Any { upperBound }
  fileprivate var isClosed: Bool { true }
}
