/// JSON (RFC 8259), strict and exact: integers do not pass through `Double`, duplicate keys are
/// errors, depth is limited.
///
/// See ``JSONReader`` and ``JSONWriter``.
public enum JSON {
  /// The deepest nesting of a value in a `json` field.
  public static let maximumDepth = 500

  /// The canonical form of a JSON text: no white space, keys sorted by bytes, numbers in their
  /// shortest spelling; nil if it is not JSON.
  ///
  /// At most ``maximumDepth`` levels, so that the value can stand within a record of a file. An
  /// integer keeps all its digits; a number with a fraction or exponent is the nearest double.
  public static func canonical(_ text: String) -> String? {
    var copy = text
    let result = copy.withUTF8 { canonical(UnsafeRawBufferPointer($0)) }
    return result.map { String(decoding: $0, as: UTF8.self) }
  }

  static func canonical(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var reader = JSONReader(ByteSource(bytes), maximumDepth: maximumDepth)
    var writer = JSONWriter()
    do throws(StorageError) {
      try reader.copyCanonical(try reader.next(), to: &writer)
      guard try reader.next() == .end else { return nil }
    } catch {
      return nil
    }
    return writer.bytes
  }
}

extension JSONReader {
  /// Copies the value that `token` began in canonical form.
  mutating func copyCanonical(
    _ token: JSONToken,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    switch token {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .bigInteger: writer.raw(bytes)
    case .real(let value): writer.real(value)
    case .string: try writer.string(utf8: bytes)
    case .beginArray:
      writer.beginArray()
      while true {
        let element = try next()
        if element == .endArray { break }
        try copyCanonical(element, to: &writer)
      }
      writer.endArray()
    case .beginObject: try copyCanonicalObject(to: &writer)
    case .endObject, .endArray, .key, .end:
      throw error(.malformedInput, "expected a value, not \(token.name)")
    }
  }

  private mutating func copyCanonicalObject(to writer: inout JSONWriter) throws(StorageError) {
    var members: [(name: [UInt8], value: [UInt8])] = []
    var isSorted = true
    while try next() == .key {
      let name = Array(bytes)
      if let last = members.last, !last.name.lexicographicallyPrecedes(name) { isSorted = false }
      var value = JSONWriter()
      try copyCanonical(try next(), to: &value)
      members.append((name, value.bytes))
    }
    if !isSorted { members.sort { $0.name.lexicographicallyPrecedes($1.name) } }
    writer.beginObject()
    for member in members {
      writer.key(String(decoding: member.name, as: UTF8.self))
      member.value.withUnsafeBytes { writer.raw($0) }
    }
    writer.endObject()
  }
}
