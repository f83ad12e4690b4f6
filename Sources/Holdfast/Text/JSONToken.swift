/// A part of a JSON text, as ``JSONReader/next()`` finds it.
///
/// Keys, strings and numbers have their bytes in
/// ``JSONReader/bytes`` until the next call.
public enum JSONToken: Sendable, Equatable {
  /// `{`
  case beginObject
  /// `}`
  case endObject
  /// `[`
  case beginArray
  /// `]`
  case endArray
  /// The name of a member; its value follows.
  case key
  /// A string.
  case string
  /// A number without fraction and exponent that fits in 64 bits.
  case integer(Int64)
  /// A number without fraction and exponent that does not fit in 64 bits; ``JSONReader/bytes`` has
  /// its digits, and ``JSONReader/nearestReal()`` the nearest double.
  case bigInteger
  /// A number with a fraction or an exponent, as the nearest double; never infinite.
  case real(Double)
  /// `true` or `false`
  case bool(Bool)
  /// `null`
  case null
  /// The end of the input.
  case end

  /// The token in words, for errors.
  public var name: String {
    switch self {
    case .beginObject: "an object"
    case .endObject: "the end of an object"
    case .beginArray: "an array"
    case .endArray: "the end of an array"
    case .key: "a name"
    case .string: "a string"
    case .integer, .bigInteger: "an integer"
    case .real: "a number with a fraction or exponent"
    case .bool: "true or false"
    case .null: "null"
    case .end: "the end of the input"
    }
  }
}
