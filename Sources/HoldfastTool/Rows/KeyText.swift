import Foundation
import Holdfast

/// Keys as they are typed and printed: a text key as it is, other single keys in their natural
/// spelling, a composite key as a JSON array.
enum KeyText {
  /// Reads a key.
  ///
  /// - Throws: `StorageError` with code `typeMismatch` if it does not fit the key's fields.
  static func parse(_ text: String, in collection: Collection) throws(StorageError) -> Key {
    let fields = collection.keyPositions.map { collection.fields[$0] }
    guard fields.count == 1, let field = fields.first else {
      return try composite(text, fields, collection)
    }
    if let value = single(text, field) { return Key(value) }
    throw StorageError(
      .typeMismatch,
      "the key of \(collection.name) takes \(description(field.type))"
    )
  }

  private static func single(_ text: String, _ field: FieldDefinition) -> Value? {
    switch field.type {
    case .integer: return Int64(text).map { .integer($0) }
    case .bool: return ["true": .integer(1), "false": .integer(0)][text]
    case .real:
      if text == "Infinity" { return .real(.infinity) }
      if text == "-Infinity" { return .real(-.infinity) }
      guard let real = Double(text), real.isFinite else { return nil }
      return .real(real == 0 ? 0 : real)
    case .text, .any: return .text(text)
    case .blob: return Data(base64Encoded: text).map { .blob(Array($0)) }
    case .date: return DateCoding.canonical(text).map { .text($0) }
    case .decimal: return DecimalCoding.canonical(text).map { .text($0) }
    case .json: return JSON.canonical(text).map { .text($0) }
    case .uuid:
      guard case .blob(let bytes) = field.lenient(.text(text)) else { return nil }
      return .blob(bytes)
    }
  }

  private static func description(_ type: FieldType) -> String {
    switch type {
    case .integer: "an integer of 64 bits"
    case .real: "a number"
    case .bool: "true or false"
    case .blob: "base64"
    case .date: "a date as 2026-01-31 or 2026-01-31T12:00:00Z"
    case .uuid: "a UUID"
    case .decimal: "a decimal number"
    case .json: "JSON"
    case .text, .any: "text"
    }
  }

  private static func composite(
    _ text: String,
    _ fields: [FieldDefinition],
    _ collection: Collection
  ) throws(StorageError) -> Key {
    let row = RowBuffer(count: fields.count)
    let shape =
      "the key of \(collection.name) is a JSON array: [\(fields.map(\.name).joined(separator: ", "))]"
    try JSONText.parse(text) { (reader) throws(StorageError) in
      guard try reader.next() == .beginArray else {
        throw StorageError(.typeMismatch, shape)
      }
      for (index, field) in fields.enumerated() {
        let token = try reader.next()
        if token == .endArray { throw StorageError(.typeMismatch, shape) }
        try ValueJSON.read(token, from: &reader, field, in: collection.name, into: row, index)
      }
      guard try reader.next() == .endArray else { throw StorageError(.typeMismatch, shape) }
    }
    return Key(try row.view.values())
  }

  /// The key as it is printed, and read back by ``parse(_:in:)``.
  static func text(_ key: Key, in collection: Collection) throws(StorageError) -> String {
    let fields = collection.keyPositions.map { collection.fields[$0] }
    let row = RowBuffer(count: key.count)
    for index in 0..<key.count { row.set(index, fields[index].lenient(key[index])) }
    var writer = JSONWriter()
    guard key.count == 1, let field = fields.first else {
      writer.beginArray()
      for (index, field) in fields.enumerated() {
        try ValueJSON.write(row.view, index, field, in: collection.name, to: &writer)
      }
      writer.endArray()
      return writer.text
    }
    try ValueJSON.write(row.view, 0, field, in: collection.name, to: &writer)
    guard field.type != .json, writer.bytes.first == 0x22 else { return writer.text }
    return try JSONText.parse(writer.text) { (reader) throws(StorageError) in
      _ = try reader.next()
      return reader.text
    }
  }
}
