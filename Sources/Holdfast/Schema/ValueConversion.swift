import Foundation

/// Conversions of stored values from one field type to another, without loss or not at all.
enum ValueConversion {
  /// The value as another type holds it.
  ///
  /// Numbers convert where the result is exact; text is read as people write the type, and every
  /// type has its usual text; a blob is a UUID if it has 16 bytes. Null stays null.
  ///
  /// - Returns: nil if the value has no exact counterpart.
  static func convert(
    _ value: Value,
    from old: FieldType,
    to new: FieldType
  ) -> Value? {
    if case .null = value { return .null }
    if old == new { return value }
    let converted = converted(value, from: old, to: new)
    guard let converted else { return nil }
    let buffer = RowBuffer(count: 1)
    buffer.set(0, converted)
    let field = FieldDefinition("value", new)
    do throws(StorageError) {
      try FieldCheck.check(buffer.view, 0, field, in: "")
    } catch {
      return nil
    }
    return converted
  }

  private static func converted(_ value: Value, from old: FieldType, to new: FieldType) -> Value? {
    switch new {
    case .any: value
    case .text: text(value, old).map { .text($0) }
    case .integer: integer(value, old)
    case .real: real(value, old)
    case .bool: bool(value, old)
    // A plain nil beside a value would be the value null.
    case .blob: old == .uuid ? .some(value) : nil
    case .uuid, .date, .decimal:
      switch (old, value) {
      case (.text, _), (.any, .text), (.any, .blob), (.blob, _), (.integer, _):
        FieldDefinition("value", new).lenient(value)
      case (.json, .text(let text)):
        string(text).map { FieldDefinition("value", new).lenient(.text($0)) }
      default: nil
      }
    case .json: json(value, old)
    }
  }

  private static func text(_ value: Value, _ old: FieldType) -> String? {
    switch (old, value) {
    case (.bool, .integer(let value)): value == 0 ? "false" : "true"
    case (.uuid, .blob(let bytes)): uuidText(bytes)
    case (.json, .text(let text)): string(text) ?? text
    case (_, .text(let text)): text
    case (_, .integer(let value)): String(value)
    case (_, .real(let value)):
      value.isFinite ? "\(value)" : value > 0 ? "Infinity" : "-Infinity"
    default: nil
    }
  }

  private static func integer(_ value: Value, _ old: FieldType) -> Value? {
    switch (old, value) {
    case (_, .integer): value
    case (_, .real(let real)): Int64(exactly: real).map { .integer($0) }
    case (.date, _), (.json, .blob): nil
    case (_, .text(let text)): Int64(text).map { .integer($0) }
    default: nil
    }
  }

  private static func real(_ value: Value, _ old: FieldType) -> Value? {
    switch (old, value) {
    case (.bool, _), (.date, _): nil
    case (_, .real): value
    case (_, .integer): FieldDefinition("value", .real).lenient(value)
    case (_, .text("Infinity")): .real(.infinity)
    case (_, .text("-Infinity")): .real(-.infinity)
    case (_, .text(let text)):
      Array(text.utf8).withUnsafeBytes { RealText.parse($0) }.map { .real($0 == 0 ? 0 : $0) }
    default: nil
    }
  }

  private static func bool(_ value: Value, _ old: FieldType) -> Value? {
    switch value {
    case .integer(let value) where value == 0 || value == 1: .integer(value)
    case .real(let value) where value == 0 || value == 1: .integer(value == 0 ? 0 : 1)
    case .text("true") where old != .date: .integer(1)
    case .text("false") where old != .date: .integer(0)
    default: nil
    }
  }

  private static func json(_ value: Value, _ old: FieldType) -> Value? {
    switch (old, value) {
    case (.bool, .integer(let value)): .text(value == 0 ? "false" : "true")
    case (_, .integer(let value)): .text(String(value))
    case (_, .real(let value)) where value.isFinite: .text("\(value)")
    case (.any, .text(let text)), (.text, .text(let text)), (.date, .text(let text)),
      (.decimal, .text(let text)):
      quoted(text)
    case (.uuid, .blob(let bytes)): uuidText(bytes).flatMap(quoted)
    default: nil
    }
  }

  /// The text of a JSON string.
  private static func string(_ json: String) -> String? {
    guard json.utf8.first == UInt8(ascii: "\"") else { return nil }
    return Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(ByteSource(bytes))
      do throws(StorageError) {
        guard try reader.next() == .string else { return nil }
        return reader.text
      } catch {
        return nil
      }
    }
  }

  private static func quoted(_ text: String) -> Value {
    var writer = JSONWriter()
    writer.string(text)
    return .text(String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func uuidText(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
  }
}
