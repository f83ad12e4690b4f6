/// A primary key: one value, or several for a composite key, in the key's field order.
public struct Key: Sendable, Hashable {
  private enum Parts: Hashable, Sendable {
    case one(Value)
    case many([Value])
  }
  private var parts: Parts

  /// Creates a key of one value.
  public init(_ value: Value) { parts = .one(value) }

  /// Creates a key of several values, in the key's field order.
  public init(_ values: [Value]) {
    parts = values.count == 1 ? .one(values[0]) : .many(values)
  }

  /// The number of values.
  public var count: Int {
    switch parts {
    case .one: 1
    case .many(let values): values.count
    }
  }

  /// The value of a key of one integer.
  @inline(__always)
  var integer: Int64? {
    if case .one(.integer(let integer)) = parts { integer } else { nil }
  }

  /// The values, in the key's field order.
  public var values: [Value] {
    switch parts {
    case .one(let value): [value]
    case .many(let values): values
    }
  }

  /// The value of part `index`.
  public subscript(_ index: Int) -> Value {
    switch parts {
    case .one(let value): value
    case .many(let values): values[index]
    }
  }
}

extension Key: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Creates a key of one integer.
  public init(integerLiteral value: Int64) { self.init(.integer(value)) }
  /// Creates a key of one text.
  public init(stringLiteral value: String) { self.init(.text(value)) }
  /// Creates a key of several values.
  public init(arrayLiteral elements: Value...) { self.init(elements) }
}
