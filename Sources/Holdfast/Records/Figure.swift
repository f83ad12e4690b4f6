/// One figure over the records of a selection, with the Swift type of its outcome.
///
/// ```swift
/// let (count, total) = try await orders.all.figures(.count, .sum(\.price))
/// ```
///
/// Nulls are left out; over nothing every figure is nil, but `count` is 0.
public struct Figure<M: Model, Outcome: Sendable>: Sendable {
  /// The figure by stored names.
  let aggregate: @Sendable (ResolvedSchema<M>) throws(StorageError) -> Aggregate
  /// The outcome of a value, decoded as the field is.
  let outcome: @Sendable (Value, RowLayout, ResolvedSchema<M>) throws -> Outcome

  private init<V: Decodable & Sendable>(
    _ property: any PartialKeyPath<M> & Sendable,
    _ make: @escaping @Sendable (String) -> Aggregate
  ) where Outcome == V? {
    aggregate = { schema throws(StorageError) in
      make(schema.layout.names[try schema.position(of: property)])
    }
    outcome = { value, layout, schema in
      // A total of floats need not be one; it is rounded.
      if V.self == Float.self, case .real(let real) = value { return Float(real) as? V }
      return try value.decoded(V?.self, at: try schema.position(of: property), of: layout)
    }
  }

  private init(
    average property: any PartialKeyPath<M> & Sendable
  ) where Outcome == Double? {
    aggregate = { schema throws(StorageError) in
      .average(schema.layout.names[try schema.position(of: property)])
    }
    outcome = { value, _, _ in if case .real(let mean) = value { mean } else { nil } }
  }
}

extension Figure where Outcome == Int {
  /// The number of records.
  public static var count: Figure {
    Figure(
      aggregate: { _ throws(StorageError) in .count },
      outcome: { value, _, _ in if case .integer(let count) = value { Int(count) } else { 0 } }
    )
  }

  private init(
    aggregate: @escaping @Sendable (ResolvedSchema<M>) throws(StorageError) -> Aggregate,
    outcome: @escaping @Sendable (Value, RowLayout, ResolvedSchema<M>) throws -> Int
  ) {
    self.aggregate = aggregate
    self.outcome = outcome
  }
}

extension Figure {
  /// The exact total of a number, rounded once.
  ///
  /// An integer total that does not fit is ``StorageError/Code/overflow``, in a type narrower than
  /// `Int64` ``StorageError/Code/typeMismatch``.
  public static func sum<V: Numeric & Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .sum($0) } }

  /// The exact total of a number that may be null, rounded once.
  public static func sum<V: Numeric & Decodable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .sum($0) } }

  /// The exact mean of a number, rounded once.
  public static func average<V: Numeric & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) -> Figure where Outcome == Double? { Figure(average: property) }

  /// The exact mean of a number that may be null, rounded once.
  public static func average<V: Numeric & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable
  ) -> Figure where Outcome == Double? { Figure(average: property) }

  /// The smallest value.
  public static func minimum<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .minimum($0) } }

  /// The smallest value that is not null.
  public static func minimum<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .minimum($0) } }

  /// The largest value.
  public static func maximum<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .maximum($0) } }

  /// The largest value that is not null.
  public static func maximum<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable
  ) -> Figure where Outcome == V? { Figure(property) { .maximum($0) } }
}

extension Value {
  /// The Swift value of what a field holds.
  func decoded<T: Decodable>(_ type: T.Type, at position: Int, of layout: RowLayout) throws -> T {
    let row = RowBuffer(count: layout.count)
    row.set(position, self)
    return try RowDecoder(layout).decode(type, at: position, of: row.view)
  }
}
