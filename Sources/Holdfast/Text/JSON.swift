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
  /// integer keeps all its digits, and so does a number with a fraction of up to 38 digits that no
  /// double has; any other is the nearest double.
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

  static func isCanonical(_ bytes: UnsafeRawBufferPointer) -> Bool {
    canonical(bytes)?.withUnsafeBytes { Bytes.compare($0, bytes) == 0 } ?? false
  }
}

/// An array or object that is being copied in canonical form.
private struct CanonicalContainer {
  var isObject: Bool
  /// The elements of an array so far.
  var elements = JSONWriter()
  /// The members of an object so far, and the name of the next.
  var members: [(name: [UInt8], value: [UInt8])] = []
  var name: [UInt8] = []

  /// Writes the whole.
  mutating func finish() -> [UInt8] {
    guard isObject else {
      elements.endArray()
      return elements.bytes
    }
    let isSorted = zip(members, members.dropFirst()).allSatisfy {
      $0.name.lexicographicallyPrecedes($1.name)
    }
    if !isSorted { members.sort { $0.name.lexicographicallyPrecedes($1.name) } }
    var writer = JSONWriter()
    writer.beginObject()
    for member in members {
      writer.key(String(decoding: member.name, as: UTF8.self))
      member.value.withUnsafeBytes { writer.raw($0) }
    }
    writer.endObject()
    return writer.bytes
  }
}

extension JSONReader {
  /// Copies the value that `token` began in canonical form.
  ///
  /// Keeps its own stack, since those of threads may be too small for the deepest values.
  mutating func copyCanonical(
    _ token: JSONToken,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    var open: [CanonicalContainer] = []
    var token = token
    while true {
      switch token {
      case .beginArray, .beginObject:
        open.append(CanonicalContainer(isObject: token == .beginObject))
        if token == .beginArray { open[open.count - 1].elements.beginArray() }
      case .key where !open.isEmpty:
        open[open.count - 1].name = Array(bytes)
      case .endArray, .endObject:
        guard var container = open.popLast() else {
          throw error(.malformedInput, "expected a value, not \(token.name)")
        }
        let value = container.finish()
        add(value, to: &open, or: &writer)
      default:
        if let last = open.indices.last, !open[last].isObject {
          try copyScalar(token, to: &open[last].elements)
        } else if open.isEmpty {
          try copyScalar(token, to: &writer)
        } else {
          var value = JSONWriter()
          try copyScalar(token, to: &value)
          add(value.bytes, to: &open, or: &writer)
        }
      }
      if open.isEmpty { return }
      token = try next()
    }
  }

  private func add(
    _ value: [UInt8],
    to open: inout [CanonicalContainer],
    or writer: inout JSONWriter
  ) {
    guard let last = open.indices.last else {
      value.withUnsafeBytes { writer.raw($0) }
      return
    }
    if open[last].isObject {
      open[last].members.append((open[last].name, value))
    } else {
      value.withUnsafeBytes { open[last].elements.raw($0) }
    }
  }

  private func copyScalar(
    _ token: JSONToken,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    switch token {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .bigInteger: writer.raw(bytes)
    case .real(let value):
      if let decimal = DecimalCoding.beyondDouble(bytes, value) {
        decimal.withUnsafeBytes { writer.raw($0) }
      } else {
        writer.real(value)
      }
    case .string: try writer.string(utf8: bytes)
    case .beginArray, .beginObject, .endObject, .endArray, .key, .end:
      throw error(.malformedInput, "expected a value, not \(token.name)")
    }
  }
}
