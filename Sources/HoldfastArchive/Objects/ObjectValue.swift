/// A value of an object archive as it stands in the file, for upgrades that need no old types.
///
/// ```swift
/// ObjectUpgrade(from: 2, raw: { notebook in
///   notebook["title"] = notebook["name"]
///   notebook["name"] = nil
/// })
/// ```
/// Dates, decimals and URLs are text. Data is `data` in a property list and base64 text in JSON.
public enum ObjectValue: Sendable, Hashable {
  /// Nothing, where a place needs a value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction, or an infinity; never NaN.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case data([UInt8])
  /// Values in order.
  case array([ObjectValue])
  /// Values by name.
  case object([String: ObjectValue])

  /// The value of a name; nil where there is none, and where this is no object.
  ///
  /// Setting nil takes the name away. Setting one of a value that is no object makes it one.
  public subscript(_ name: String) -> ObjectValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members[name]
    }
    set {
      guard case .object(var members) = self else {
        if let newValue { self = .object([name: newValue]) }
        return
      }
      // Taken out meanwhile, so that the members are changed in place.
      self = .null
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The elements of an array; empty for anything else.
  ///
  /// Setting them makes the value an array.
  public var elements: [ObjectValue] {
    get {
      guard case .array(let elements) = self else { return [] }
      return elements
    }
    set { self = .array(newValue) }
  }

  /// The text, if it is one.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The whole number, if it is one.
  public var integer: Int64? {
    guard case .integer(let integer) = self else { return nil }
    return integer
  }
}

extension ObjectValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
  /// An array.
  public init(arrayLiteral elements: ObjectValue...) { self = .array(elements) }
  /// An object; of two values of one name the last counts.
  public init(dictionaryLiteral elements: (String, ObjectValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
