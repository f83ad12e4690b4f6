/// One value of a property list, as either reader finds it; its bytes are borrowed.
enum PropertyListScalar {
  case integer(Int64)
  /// An integer that does not fit in 64 bits.
  case bigInteger
  case real(Double)
  case bool(Bool)
  case string(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
  /// A date in seconds since 2001, as binary property lists have it.
  case date(Double)
  /// A date as text, as XML property lists have it.
  case dateText(UnsafeRawBufferPointer)
  /// A dictionary of one member `text` with data: text that XML cannot hold, in an `any` field.
  case wrappedText(UnsafeRawBufferPointer)

  /// The value in words, for errors.
  var name: String {
    switch self {
    case .integer, .bigInteger: "an integer"
    case .real: "a real"
    case .bool: "true or false"
    case .string: "a string"
    case .data: "data"
    case .date, .dateText: "a date"
    case .wrappedText: "a dictionary"
    }
  }
}
