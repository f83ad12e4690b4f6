/// A value as every backend stores it.
///
/// Equality, hashing and order are those of `semantics`: text and blobs by bytes (so NFC and NFD é
/// differ), integers against reals numerically and exactly, null first.
public enum Value: Sendable {
  /// No value.
  case null
  /// A 64-bit signed integer; also holds `bool` fields as 0 and 1.
  case integer(Int64)
  /// A double, never NaN; −0.0 is stored as +0.0.
  case real(Double)
  /// Unicode text, U+0000 included; also holds `date`, `decimal` and `json` fields.
  case text(String)
  /// Bytes; also holds `uuid` fields as 16 bytes.
  case blob([UInt8])

  /// The kind of the value.
  public var kind: ValueKind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  /// Whether this is ``null``.
  public var isNull: Bool { kind == .null }
}

/// The physical kind of a value, in the order in which kinds sort.
@frozen public enum ValueKind: UInt8, Sendable {
  /// No value.
  case null
  /// A 64-bit signed integer.
  case integer
  /// A double.
  case real
  /// Text as UTF-8 bytes.
  case text
  /// Bytes.
  case blob
}

extension Value {
  /// Orders two values: null, then numbers, then text, then blobs; numbers numerically and exactly,
  /// text and blobs by bytes.
  ///
  /// - Returns: a negative number, zero or a positive number. NaN counts as equal to NaN and
  ///   below every other number, so that the order is total.
  public static func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.real(let a), .real(let b)): return compareReals(a, b)
    case (.integer(let a), .real(let b)): return -compareReal(b, toInteger: a)
    case (.real(let a), .integer(let b)): return compareReal(a, toInteger: b)
    case (.text(let a), .text(let b)):
      return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : a.utf8.elementsEqual(b.utf8) ? 0 : 1
    case (.blob(let a), .blob(let b)):
      return a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
    default:
      return rank(left.kind) - rank(right.kind)
    }
  }

  static func rank(_ kind: ValueKind) -> Int {
    switch kind {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  static func compareReals(_ a: Double, _ b: Double) -> Int {
    if a < b { return -1 }
    if a > b { return 1 }
    if a == b { return 0 }
    return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1)
  }

  /// Compares a real with an integer by their mathematical values.
  static func compareReal(_ real: Double, toInteger integer: Int64) -> Int {
    if real.isNaN { return -1 }
    if real >= 0x1p63 { return 1 }
    if real < -0x1p63 { return -1 }
    let whole = real.rounded(.down)
    let wholeInteger = Int64(whole)
    if wholeInteger != integer { return wholeInteger < integer ? -1 : 1 }
    return real > whole ? 1 : 0
  }
}

extension Value: Hashable {
  /// Whether two values are the same in the store's sense.
  public static func == (left: Value, right: Value) -> Bool { compare(left, right) == 0 }

  /// Hashes the value so that equal values, an integer and an equal real included, hash alike.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value):
      hasher.combine(1 as UInt8)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(1 as UInt8)
      if let integer = Int64(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value)
      }
    case .text(let value):
      hasher.combine(2 as UInt8)
      var copy = value
      copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value):
      hasher.combine(3 as UInt8)
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}

extension Value: Comparable {
  /// Whether `left` sorts before `right`.
  public static func < (left: Value, right: Value) -> Bool { compare(left, right) < 0 }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates an integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a real value.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Creates a text value.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an integer value, 0 or 1.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
}
