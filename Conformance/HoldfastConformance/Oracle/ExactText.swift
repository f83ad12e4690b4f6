public import Holdfast

/// Something that prints so exactly that equal text means equal to the bit.
public protocol ExactlyPrintable {
  /// The exact text.
  var exactText: String { get }
}

/// Exact text of values, with control characters and everything outside ASCII escaped.
public enum ExactText {
  /// Text in quotes, each scalar outside printable ASCII as its number.
  public static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x20, scalar.value < 0x7F, scalar != "\"", scalar != "\\" {
        out.unicodeScalars.append(scalar)
      } else {
        out += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return out + "\""
  }

  /// Bytes as hexadecimal digits.
  public static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return String(decoding: out, as: UTF8.self)
  }
}

extension Value: ExactlyPrintable {
  /// The kind with the exact content: reals by their bits.
  public var exactText: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "real \(value) (\(String(value.bitPattern, radix: 16)))"
    case .text(let value): ExactText.quoted(value)
    case .blob(let value): "x'\(ExactText.hex(value))'"
    }
  }
}

extension Key: ExactlyPrintable {
  /// The key's values.
  public var exactText: String { values.exactText }
}

extension Record: ExactlyPrintable {
  /// The record's values by field name, in field order.
  public var exactText: String {
    let parts = zip(collection.fields, values).map { "\($0.name): \($1.exactText)" }
    return "{\(parts.joined(separator: ", "))}"
  }
}

extension Int: ExactlyPrintable {
  /// The number.
  public var exactText: String { description }
}

extension Int64: ExactlyPrintable {
  /// The number.
  public var exactText: String { description }
}

extension Bool: ExactlyPrintable {
  /// `true` or `false`.
  public var exactText: String { description }
}

extension String: ExactlyPrintable {
  /// The text in quotes, escaped.
  public var exactText: String { ExactText.quoted(self) }
}

extension Array: ExactlyPrintable where Element: ExactlyPrintable {
  /// The elements in brackets.
  public var exactText: String { "[\(map(\.exactText).joined(separator: ", "))]" }
}

extension Optional: ExactlyPrintable where Wrapped: ExactlyPrintable {
  /// The value, or `nothing`.
  public var exactText: String { self?.exactText ?? "nothing" }
}
