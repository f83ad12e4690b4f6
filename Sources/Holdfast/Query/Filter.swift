/// A predicate as a value: the same query for tools, services and every backend.
///
/// It names fields by their stored names and is checked against a collection when a query runs.
/// Two-valued as in Swift: `nil != x` is true, an order against null is false, `not` is the plain
/// complement. Text is compared by UTF-8 bytes.
///
/// ```swift
/// let filter: Filter = .equal("city", "Beijing") && .greaterOrEqual("price", 3.5)
/// ```
public indirect enum Filter: Sendable, Hashable {
  /// Every record.
  case all
  /// Field against a literal.
  case compare(String, Comparison, Value)
  /// Field equals one of the values; null among them matches null; an empty list matches nothing.
  case isIn(String, [Value])
  /// Text or blob field begins with the literal.
  case startsWith(String, Value)
  /// Text or blob field holds the literal.
  case contains(String, Value)
  /// A `json` field, or a part of it, meets a condition.
  case json(String, JSONCondition)
  /// All hold; with none, every record matches.
  case and([Filter])
  /// One holds; with none, no record matches.
  case or([Filter])
  /// Does not hold.
  case not(Filter)
}

extension Filter {
  /// Field equals the value; null asks for null.
  public static func equal(_ field: String, _ value: Value) -> Filter {
    .compare(field, .equal, value)
  }
  /// Field differs from the value; true for null unless the value is null.
  public static func notEqual(_ field: String, _ value: Value) -> Filter {
    .compare(field, .notEqual, value)
  }
  /// Field is less than the value.
  public static func less(_ field: String, _ value: Value) -> Filter {
    .compare(field, .less, value)
  }
  /// Field is less than the value or equal.
  public static func lessOrEqual(_ field: String, _ value: Value) -> Filter {
    .compare(field, .lessOrEqual, value)
  }
  /// Field is greater than the value.
  public static func greater(_ field: String, _ value: Value) -> Filter {
    .compare(field, .greater, value)
  }
  /// Field is greater than the value or equal.
  public static func greaterOrEqual(_ field: String, _ value: Value) -> Filter {
    .compare(field, .greaterOrEqual, value)
  }
  /// Field is between two values, both included.
  public static func between(_ field: String, _ low: Value, _ high: Value) -> Filter {
    .and([.greaterOrEqual(field, low), .lessOrEqual(field, high)])
  }
  /// Field is null.
  public static func isNull(_ field: String) -> Filter { .equal(field, .null) }

  /// Both hold.
  public static func && (left: Filter, right: Filter) -> Filter { .and([left, right]) }
  /// One of two holds.
  public static func || (left: Filter, right: Filter) -> Filter { .or([left, right]) }
  /// Does not hold.
  public static prefix func ! (filter: Filter) -> Filter { .not(filter) }
}
