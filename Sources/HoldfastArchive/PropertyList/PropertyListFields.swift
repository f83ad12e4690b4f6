import Foundation
import Holdfast

/// The mapping between a collection's fields and property-list values, XML and binary alike.
///
/// `bool` is true or false, `integer` an integer, `real` a real, `blob` data; `text`, `date`, `uuid`,
/// `decimal` and `json` are strings. Text that XML cannot hold (control characters, carriage
/// returns, U+FFFE, U+FFFF) is data in a text field, and in an `any` field a dictionary
/// `{text: data}`.
struct PropertyListFields {
  let collection: Collection
  /// The key of each field in a record's dictionary.
  let keys: [String]
  private let keyBytes: [[UInt8]]

  init(_ collection: Collection) {
    self.collection = collection
    keys = Self.keys(collection.fields.map(\.name))
    keyBytes = keys.map { Array($0.utf8) }
  }

  /// Field names as keys; one that XML cannot hold is called `field` with its number instead.
  private static func keys(_ names: [String]) -> [String] {
    let taken = Set(names)
    return names.enumerated().map { position, name in
      if Array(name.utf8).withUnsafeBytes(isXMLText) { return name }
      var key = "field\(position + 1)"
      while taken.contains(key) { key += "_" }
      return key
    }
  }

  /// The position of the field with that key, or nil.
  ///
  /// Looks at `expected` first: records tend to have their fields in order.
  func position(of key: UnsafeRawBufferPointer, expected: Int) -> Int? {
    if expected < keyBytes.count, key.elementsEqual(keyBytes[expected]) { return expected }
    return keyBytes.firstIndex { key.elementsEqual($0) }
  }

  /// Whether XML 1.0 can hold a text so that every parser gives it back unchanged.
  static func isXMLText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x20, byte != 0x09, byte != 0x0A { return false }
      if byte == 0xEF, index + 2 < bytes.count, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
        return false
      }
      index += 1
    }
    return true
  }

  /// Puts a value into a field of a row.
  ///
  /// - Throws: `StorageError.Code.typeMismatch`, `StorageError.Code.invalidValue`, without the
  ///   place, which the caller adds.
  func set(
    _ scalar: PropertyListScalar,
    _ position: Int,
    into row: RowBuffer
  ) throws(StorageError) {
    let field = collection.fields[position]
    switch (field.type, scalar) {
    case (.integer, .integer(let value)), (.any, .integer(let value)):
      row.setInteger(position, value)
    case (.real, .integer(let value)):
      guard Int64(exactly: Double(value)) == value else {
        throw invalid(field, "takes reals, and this integer is none exactly")
      }
      row.setReal(position, Double(value))
    case (.real, .real(let value)), (.any, .real(let value)):
      guard !value.isNaN else { throw invalid(field, "cannot hold NaN") }
      row.setReal(position, value)
    case (.bool, .bool(let value)): row.setInteger(position, value ? 1 : 0)
    case (.text, .string(let bytes)), (.any, .string(let bytes)): row.setText(position, bytes)
    case (.text, .data(let bytes)), (.any, .wrappedText(let bytes)):
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw invalid(field, "holds data that is not UTF-8 text")
      }
      row.setText(position, bytes)
    case (.blob, .data(let bytes)), (.any, .data(let bytes)): row.setBlob(position, bytes)
    case (.date, .string(let bytes)), (.date, .dateText(let bytes)):
      try setDate(String(decoding: bytes, as: UTF8.self), field, position, row)
    case (.date, .date(let seconds)):
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      guard let text = DateCoding.encode(date) else {
        throw invalid(field, "takes a date of the years 0000 to 9999")
      }
      row.setText(position, text)
    case (.uuid, .string(let bytes)), (.decimal, .string(let bytes)), (.json, .string(let bytes)):
      try setText(String(decoding: bytes, as: UTF8.self), field, position, row)
    case (.decimal, .integer(let value)): row.setText(position, String(value))
    default:
      throw StorageError(
        .typeMismatch,
        "field \(field.name) takes \(field.type), not \(scalar.name)"
      )
    }
  }

  private func setDate(
    _ text: String,
    _ field: FieldDefinition,
    _ position: Int,
    _ row: RowBuffer
  ) throws(StorageError) {
    if DateCoding.decode(text) != nil {
      row.setText(position, text)
    } else if let canonical = DateCoding.canonical(text) {
      row.setText(position, canonical)
    } else {
      throw invalid(field, "takes a date as 2026-01-31T12:00:00Z")
    }
  }

  private func setText(
    _ text: String,
    _ field: FieldDefinition,
    _ position: Int,
    _ row: RowBuffer
  ) throws(StorageError) {
    switch field.type {
    case .uuid:
      guard case .blob(let bytes) = field.lenient(.text(text)) else {
        throw invalid(field, "takes a UUID")
      }
      bytes.withUnsafeBytes { row.setBlob(position, $0) }
    case .decimal:
      guard let canonical = DecimalCoding.canonical(text) else {
        throw invalid(field, "takes a decimal number")
      }
      row.setText(position, canonical)
    default:
      // A stored text that is no canonical JSON comes back as it was.
      row.setText(position, JSON.canonical(text) ?? text)
    }
  }

  private func invalid(_ field: FieldDefinition, _ what: String) -> StorageError {
    StorageError(.invalidValue, "field \(field.name) \(what)")
  }
}
