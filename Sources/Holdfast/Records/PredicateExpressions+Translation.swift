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
    .constant(Wrapped?.none as Any)
  }
}

// MARK: Properties

extension PredicateExpressions.KeyPath: TranslatableExpression, KeyPathExpression {
  var anyKeyPath: AnyKeyPath { keyPath }

  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try operand(of: try translator.operand(root), translator)
  }

  private func operand(
    of root: PredicateTranslator.Operand,
    _ translator: PredicateTranslator
  ) throws -> PredicateTranslator.Operand {
    switch root {
    case .model:
      return .place(try translator.place(of: keyPath, in: nil))
    case .constant(let value as Root.Output):
      return .constant(value[keyPath: keyPath])
    case .place(let place):
      if let property = try property(of: place, translator) { return property }
      return .place(try translator.place(of: keyPath, in: place))
    case .choice(let test, let first, let second):
      return .choice(test, try operand(of: first, translator), try operand(of: second, translator))
    default:
      throw translator.refusal(self)
    }
  }

  /// What a text or list is asked for that it does not store: whether it is empty, how long it is.
  private func property(of place: Place, _ translator: PredicateTranslator) throws
    -> PredicateTranslator.Operand?
  {
    switch kind {
    case .collectionIsEmpty?:
      if Root.Output.self is any StringProtocol.Type {
        return .filter(translator.test(place, .compare(.equal, "")))
      }
      if Root.Output.self is any StoredList.Type {
        return .filter(translator.test(place, .count(.equal, 0)))
      }
      if translator.layout.types[place.position] == .blob {
        return .filter(.equal(translator.name(place), .blob([])))
      }
    case .collectionCount? where Root.Output.self is any StoredList.Type: return .count(place)
    case nil: return nil
    default: break
    }
    throw translator.refusal(self)
  }
}

/// A list that encodes as a JSON array or object with as many elements.
protocol StoredList {}
extension Array: StoredList {}
extension ContiguousArray: StoredList {}
extension ArraySlice: StoredList {}
extension Set: StoredList {}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.place(let place), .constant(let key)) =
        (try translator.operand(wrapped), try translator.operand(key))
    else { throw translator.refusal(self) }
    var inner = place
    // Dictionaries by other keys are stored as arrays.
    switch key {
    case let key as String: inner.path.append(key)
    case let key as Int: inner.path.append(String(key))
    default: throw translator.refusal(self)
    }
    return .place(inner)
  }
}

// MARK: Optionals

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

// MARK: Logic

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

// MARK: Comparisons

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
  fileprivate func holds(_ order: Int?) -> Bool {
    order.map { holds($0) } ?? (self == .notEqual)
  }
}

// MARK: Arithmetic

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

// MARK: Sequences and ranges

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let sequence = try translator.operand(sequence)
    let element = try translator.operand(element)
    let filter = try translator.distribute(sequence) { sequence in
      try translator.distribute(element) { element in
        switch (sequence, element) {
        case (.constant(let list as LHS.Output), .place(let place)):
          return try translator.isIn(place, list, self)
        case (.constant(let list as LHS.Output), .constant(let value as RHS.Output)):
          return list.contains(value) ? .all : .nothing
        case (.place(let place), .constant(let value)) where LHS.Output.self is any StoredList.Type:
          if translator.layout.types[place.position] == .json {
            return try translator.holds(place, value, self)
          }
          return try translator.match(sequence, element, atStart: false, self)
        default:
          return try translator.match(sequence, element, atStart: false, self)
        }
      }
    }
    return .filter(filter)
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.match(
        try translator.operand(base),
        try translator.operand(other),
        atStart: false,
        self
      )
    )
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.match(
        try translator.operand(base),
        try translator.operand(prefix),
        atStart: true,
        self
      )
    )
  }
}

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
