import Foundation

extension FieldDefinition {
  /// The stored form of a value as people give it: an integer for a real field, a date or UUID in
  /// any usual spelling, a number for a decimal field, JSON in any layout.
  ///
  /// Anything else is returned as it is, and checked afterwards.
  public func lenient(_ value: Value) -> Value {
    switch (type, value) {
    case (.real, .integer(let integer)):
      let real = Double(integer)
      return Value.compareReal(real, toInteger: integer) == 0 ? .real(real) : value
    case (.real, .real(let real)), (.any, .real(let real)):
      return real == 0 ? .real(0) : value
    case (.date, .text(let text)):
      return DateCoding.canonical(text).map { .text($0) } ?? value
    case (.uuid, .text(let text)):
      guard let uuid = UUID(uuidString: text) else { return value }
      return .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    case (.decimal, .text(let text)):
      return DecimalCoding.canonical(text).map { .text($0) } ?? value
    case (.decimal, .integer(let integer)):
      return .text(String(integer))
    case (.json, .text(let text)):
      return JSON.canonical(text).map { .text($0) } ?? value
    default:
      return value
    }
  }
}

/// Decimal numbers as canonical text.
public enum DecimalCoding {
  /// The canonical text of a decimal number as people write it, `1` for `1.00`; nil if it is none.
  public static func canonical(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let isNumber = bytes.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 == 0x45
        || $0 == 0x65
    }
    guard isNumber, bytes.contains(where: { $0 >= 0x30 && $0 <= 0x39 }),
      let decimal = Decimal(string: text), !decimal.isNaN
    else { return nil }
    return decimal.description
  }

  /// The canonical text of a JSON number with a fraction or exponent, if it has digits that its
  /// nearest double does not; nil if the double says it all, or no decimal number can.
  static func beyondDouble(_ bytes: UnsafeRawBufferPointer, _ nearest: Double) -> [UInt8]? {
    // Up to 15 digits come back from a double.
    let digits = bytes.prefix { $0 != 0x65 && $0 != 0x45 }.count { $0 >= 0x30 && $0 <= 0x39 }
    guard digits > 15, digits <= 60 else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let double = "\(nearest)"
    if text == double { return nil }
    guard significantDigits(bytes) <= 38, let exact = Decimal(string: text), !exact.isNaN,
      exact != Decimal(string: double)
    else { return nil }
    return Array(exact.description.utf8)
  }

  /// The number of digits between the first and the last that are not zero.
  private static func significantDigits(_ bytes: UnsafeRawBufferPointer) -> Int {
    let digits = bytes.prefix { $0 != 0x65 && $0 != 0x45 }.filter { $0 >= 0x30 && $0 <= 0x39 }
    let first = digits.firstIndex { $0 != 0x30 } ?? digits.endIndex
    let last = digits.lastIndex { $0 != 0x30 } ?? digits.startIndex
    return first <= last ? digits.distance(from: first, to: last) + 1 : 0
  }
}
