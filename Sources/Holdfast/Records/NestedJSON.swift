import Foundation

/// Nested values as canonical JSON text with sorted keys: dates as RFC 3339, data as base64,
/// infinities as `"Infinity"` and `"-Infinity"`.
final class NestedJSON {
  /// What NaN is written as, to be found and refused: a text that no value is likely to hold.
  private static let nanMark: StaticString = "holdfast-nan-7d1b6c1e-3f0a-4c53-9a44-5a0d8f7b2c19"

  private lazy var encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity",
      negativeInfinity: "-Infinity",
      nan: Self.nanMark.description
    )
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      guard let text = DateCoding.encode(date) else {
        throw EncodingError.invalidValue(
          date,
          .init(codingPath: encoder.codingPath, debugDescription: "year not in 0000–9999")
        )
      }
      try container.encode(text)
    }
    return encoder
  }()

  private lazy var decoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity",
      negativeInfinity: "-Infinity",
      nan: Self.nanMark.description
    )
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = DateCoding.decode(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "not an RFC 3339 date"
        )
      }
      return date
    }
    return decoder
  }()

  /// The canonical JSON text of a value, as UTF-8.
  ///
  /// - Throws: `EncodingError` for NaN and for dates outside the years.
  func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
    let data = try encoder.encode(value)
    let canonical = data.withUnsafeBytes { bytes in
      Self.nanMark.withUTF8Buffer { mark in
        Bytes.contains(bytes, UnsafeRawBufferPointer(mark)) ? nil : JSON.canonical(bytes)
      }
    }
    guard let canonical else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [], debugDescription: "JSON has no place for NaN")
      )
    }
    return canonical
  }

  /// The value of a JSON text.
  ///
  /// - Throws: `DecodingError`.
  func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
    try decoder.decode(type, from: Data(bytes))
  }
}
