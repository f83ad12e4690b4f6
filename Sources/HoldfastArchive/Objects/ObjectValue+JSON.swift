import Holdfast

extension ObjectValue {
  /// Reads a JSON text.
  ///
  /// - Throws: `StorageError.Code.malformedInput` with the place.
  init(json bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = JSONReader(ByteSource(bytes), maximumDepth: ObjectBudget.maximumFileDepth)
    self = try Self.read(try reader.next(), from: &reader)
    guard try reader.next() == .end else { throw reader.error(.malformedInput, "text follows") }
  }

  private static func read(
    _ token: JSONToken,
    from reader: inout JSONReader
  ) throws(StorageError) -> ObjectValue {
    switch token {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .string: return .text(reader.text)
    case .bigInteger: throw reader.error(.malformedInput, "an integer has more than 64 bits")
    case .beginArray:
      var elements: [ObjectValue] = []
      while true {
        let token = try reader.next()
        if token == .endArray { return .array(elements) }
        elements.append(try read(token, from: &reader))
      }
    case .beginObject:
      var members: [String: ObjectValue] = [:]
      while try reader.next() == .key {
        let name = reader.text
        let value = try read(try reader.next(), from: &reader)
        // Names that differ in their bytes alone are one to Swift.
        guard members.updateValue(value, forKey: name) == nil else {
          throw reader.error(.malformedInput, "two names of one object are canonically equal")
        }
      }
      return .object(members)
    case .endArray, .endObject, .key, .end:
      throw reader.error(.malformedInput, "expected a value, not \(token.name)")
    }
  }

  /// The value as JSON, with sorted names and a line for each of them: the same value is the same text.
  func json() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer, depth: 0)
    writer.bytes.append(0x0A)
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter, depth: Int) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .real(let value): writer.real(value)
    case .text(let value): writer.string(value)
    case .data(let bytes): bytes.withUnsafeBytes { writer.base64($0) }
    case .array(let elements):
      writer.beginArray()
      for (index, element) in elements.enumerated() {
        Self.startLine(&writer, depth + 1, isFirst: index == 0)
        element.write(to: &writer, depth: depth + 1)
      }
      if !elements.isEmpty { Self.startLine(&writer, depth, isFirst: true) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (index, name) in Self.sorted(members).enumerated() {
        Self.startLine(&writer, depth + 1, isFirst: index == 0)
        writer.key(name)
        writer.bytes.append(0x20)
        members[name]?.write(to: &writer, depth: depth + 1)
      }
      if !members.isEmpty { Self.startLine(&writer, depth, isFirst: true) }
      writer.endObject()
    }
  }

  private static func startLine(_ writer: inout JSONWriter, _ depth: Int, isFirst: Bool) {
    if !isFirst { writer.bytes.append(0x2C) }
    writer.bytes.append(0x0A)
    writer.bytes.append(contentsOf: repeatElement(0x20, count: depth))
    writer.beginText()
  }

  /// Names in the order of their bytes.
  static func sorted(_ members: [String: ObjectValue]) -> [String] {
    members.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
