/// A property equals a value; nil asks for null.
public func == <M: Model, V: Equatable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> {
  compared(property, .equal, value) { $0 == value }
}

/// A property differs from a value; true for null unless the value is nil.
public func != <M: Model, V: Equatable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> {
  compared(property, .notEqual, value) { $0 != value }
}

/// A property is less than a value.
public func < <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { ordered(property, .less, value) { $0 < value } }

/// A property is less than a value or equal.
public func <= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { ordered(property, .lessOrEqual, value) { $0 <= value } }

/// A property is greater than a value.
public func > <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { ordered(property, .greater, value) { $0 > value } }

/// A property is greater than a value or equal.
public func >= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V> & Sendable,
  value: V
) -> Condition<M> { ordered(property, .greaterOrEqual, value) { $0 >= value } }

/// A property is there and less than a value.
public func < <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> {
  ordered(property, .less, value) { $0.map { $0 < value } ?? false }
}

/// A property is there, and less than a value or equal.
public func <= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> {
  ordered(property, .lessOrEqual, value) { $0.map { $0 <= value } ?? false }
}

/// A property is there and greater than a value.
public func > <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> {
  ordered(property, .greater, value) { $0.map { $0 > value } ?? false }
}

/// A property is there, and greater than a value or equal.
public func >= <M: Model, V: Comparable & Codable & Sendable>(
  property: any KeyPath<M, V?> & Sendable,
  value: V
) -> Condition<M> {
  ordered(property, .greaterOrEqual, value) { $0.map { $0 >= value } ?? false }
}

/// A property is one of some values; nil among them matches null.
public func ~= <M: Model, V: Equatable & Codable & Sendable>(
  values: [V],
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  Condition(property, evaluate: values.contains) { translator, place, operation in
    try translator.isIn(place, values, operation)
  }
}

/// A property is within a range.
public func ~= <M: Model, V: Comparable & Codable & Sendable>(
  range: ClosedRange<V>,
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  ordered(property, .greaterOrEqual, range.lowerBound) { $0 >= range.lowerBound }
    && ordered(property, .lessOrEqual, range.upperBound) { $0 <= range.upperBound }
}

/// A property is within a range, its upper end left out.
public func ~= <M: Model, V: Comparable & Codable & Sendable>(
  range: Range<V>,
  property: any KeyPath<M, V> & Sendable
) -> Condition<M> {
  ordered(property, .greaterOrEqual, range.lowerBound) { $0 >= range.lowerBound }
    && ordered(property, .less, range.upperBound) { $0 < range.upperBound }
}

/// A property against a value.
private func compared<M: Model, V, Literal: Codable & Sendable>(
  _ property: any KeyPath<M, V> & Sendable,
  _ comparison: Comparison,
  _ value: Literal,
  evaluate: @escaping @Sendable (V) -> Bool
) -> Condition<M> {
  Condition(property, evaluate: evaluate) { translator, place, operation in
    try translator.compare(place, comparison, value, operation)
  }
}

/// A property against a value by their order.
private func ordered<M: Model, V, Literal: Comparable & Codable & Sendable>(
  _ property: any KeyPath<M, V> & Sendable,
  _ comparison: Comparison,
  _ value: Literal,
  evaluate: @escaping @Sendable (V) -> Bool
) -> Condition<M> {
  Condition(property, evaluate: evaluate) { translator, place, operation in
    guard StoredOrder.isNative(Literal.self) else {
      throw translator.refusal(operation, "\(Literal.self) is not stored in its own order")
    }
    return try translator.compare(place, comparison, value, operation)
  }
}
