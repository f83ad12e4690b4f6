import Foundation

/// A property equals a value; nil asks for null.
public func == <M: Model, V: Equatable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> {
  condition(on: property) { PredicateExpressions.build_Equal(lhs: $0, rhs: Constant(value)) }
}

/// A property differs from a value; true for null unless the value is nil.
public func != <M: Model, V: Equatable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> {
  condition(on: property) { PredicateExpressions.build_NotEqual(lhs: $0, rhs: Constant(value)) }
}

/// A property is less than a value.
public func < <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { compared(property, .lessThan, value) }

/// A property is less than a value or equal.
public func <= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { compared(property, .lessThanOrEqual, value) }

/// A property is greater than a value.
public func > <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { compared(property, .greaterThan, value) }

/// A property is greater than a value or equal.
public func >= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { compared(property, .greaterThanOrEqual, value) }

/// A property is there and less than a value.
public func < <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> { comparedIfPresent(property, .lessThan, value) }

/// A property is there, and less than a value or equal.
public func <= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> { comparedIfPresent(property, .lessThanOrEqual, value) }

/// A property is there and greater than a value.
public func > <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> { comparedIfPresent(property, .greaterThan, value) }

/// A property is there, and greater than a value or equal.
public func >= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> { comparedIfPresent(property, .greaterThanOrEqual, value) }

/// A property is one of some values; nil among them matches null.
public func ~= <M: Model, V: Equatable & Codable & Sendable>(
  values: [V],
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  condition(on: property) { PredicateExpressions.build_contains(Constant(values), $0) }
}

/// A property is within a range.
public func ~= <M: Model, V: Comparable & Codable & Sendable>(
  range: ClosedRange<V>,
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  condition(on: property) { PredicateExpressions.build_contains(Constant(range), $0) }
}

/// A property is within a range, its upper end left out.
public func ~= <M: Model, V: Comparable & Codable & Sendable>(
  range: Range<V>,
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  condition(on: property) { PredicateExpressions.build_contains(Constant(range), $0) }
}

private typealias Constant<V> = PredicateExpressions.Value<V>
private typealias Property<M, V> = PredicateExpressions.KeyPath<PredicateExpressions.Variable<M>, V>

/// The condition that an expression of a property states.
private func condition<M: Model, V>(
  on property: any KeyPath<M, V> & Sendable,
  _ body: (Property<M, V>) -> any StandardPredicateExpression<Bool>
) -> Condition<M> {
  Condition(Predicate { body(PredicateExpressions.build_KeyPath(root: $0, keyPath: property)) })
}

private func compared<M: Model, V: Comparable & Codable & Sendable>(
  _ property: any KeyPath<M, V> & Sendable,
  _ operation: PredicateExpressions.ComparisonOperator,
  _ value: V
) -> Condition<M> {
  condition(on: property) {
    PredicateExpressions.build_Comparison(lhs: $0, rhs: Constant(value), op: operation)
  }
}

/// The comparison of an optional property, which is false for null.
private func comparedIfPresent<M: Model, V: Comparable & Codable & Sendable>(
  _ property: any KeyPath<M, V?> & Sendable,
  _ operation: PredicateExpressions.ComparisonOperator,
  _ value: V
) -> Condition<M> {
  condition(on: property) {
    PredicateExpressions.build_NilCoalesce(
      lhs: PredicateExpressions.build_flatMap($0) {
        PredicateExpressions.build_Comparison(lhs: $0, rhs: Constant(value), op: operation)
      },
      rhs: Constant(false)
    )
  }
}
