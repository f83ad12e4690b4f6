/// A part of a property list, as ``PropertyListReader/next()`` finds it.
///
/// Keys, strings, data and dates have their bytes in ``PropertyListReader/bytes`` until the next
/// call.
public enum PropertyListToken: Sendable, Equatable {
  /// The start of a dictionary.
  case beginDictionary
  /// The end of a dictionary.
  case endDictionary
  /// The start of an array.
  case beginArray
  /// The end of an array.
  case endArray
  /// A dictionary's key; its value follows.
  case key
  /// A string.
  case string
  /// Data; the bytes are decoded.
  case data
  /// A date, as the text that the store holds.
  case date
  /// An integer that fits in 64 bits.
  case integer(Int64)
  /// An integer that does not.
  case bigInteger
  /// A real; may be infinite, never NaN.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// The end of the property list.
  case end

  /// The token in words, for errors.
  public var name: String {
    switch self {
    case .beginDictionary: "a dictionary"
    case .endDictionary: "the end of a dictionary"
    case .beginArray: "an array"
    case .endArray: "the end of an array"
    case .key: "a key"
    case .string: "a string"
    case .data: "data"
    case .date: "a date"
    case .integer, .bigInteger: "an integer"
    case .real: "a real"
    case .bool: "true or false"
    case .end: "the end of the property list"
    }
  }
}
