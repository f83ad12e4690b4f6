import Holdfast

/// A place in a JSON document (RFC 6901): `/a/0/b`.
package struct JSONPointer: Sendable, Equatable {
  /// The names and positions on the way, unescaped.
  package let parts: [String]

  /// The whole document.
  static let root = JSONPointer(parts: [])

  init(parts: [String]) { self.parts = parts }

  /// Reads a pointer.
  ///
  /// - Throws: `UsageError` if it does not begin with a slash, or holds a `~` that is no escape.
  package init(_ text: String) throws(UsageError) {
    guard text.isEmpty || text.utf8.first == 0x2F else {
      throw UsageError("a JSON pointer begins with a slash, as /data/users, not '\(text)'")
    }
    var parts: [String] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      var rest = part[...]
      while let tilde = rest.firstIndex(of: "~") {
        let next = rest[tilde...].dropFirst().first
        guard next == "0" || next == "1" else {
          throw UsageError(
            "in a JSON pointer ~0 stands for ~ and ~1 for /; '\(text)' has another ~"
          )
        }
        rest = rest[tilde...].dropFirst(2)
      }
      parts.append(String(part).replacing("~1", with: "/").replacing("~0", with: "~"))
    }
    self.parts = parts
  }

  /// The pointer for people; the root in words.
  var shown: String {
    if parts.isEmpty { return "the top" }
    return parts.map {
      "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
    }.joined()
  }

  /// Moves a reader at the start of a document to the place, and takes the token there.
  ///
  /// - Throws: `StorageError` with code `malformedInput` if there is no such place.
  func move(_ reader: inout JSONReader, in name: String) throws(StorageError) -> JSONToken {
    var token = try reader.next()
    for part in parts {
      let isFound: Bool
      switch token {
      case .beginObject: isFound = try Self.find(part, &reader)
      case .beginArray: isFound = try Self.skip(to: part, &reader)
      default: isFound = false
      }
      guard isFound else {
        throw StorageError(
          .malformedInput,
          "\(name) has nothing at \(shown); check --records"
        )
      }
      token = try reader.next()
    }
    return token
  }

  private static func find(
    _ part: String,
    _ reader: inout JSONReader
  ) throws(StorageError) -> Bool {
    while try reader.next() == .key {
      if reader.bytes.elementsEqual(part.utf8) { return true }
      try reader.skipValue()
    }
    return false
  }

  private static func skip(
    to part: String,
    _ reader: inout JSONReader
  ) throws(StorageError) -> Bool {
    guard let index = Int(part), String(index) == part, index >= 0 else { return false }
    for _ in 0..<index {
      let token = try reader.next()
      if token == .endArray { return false }
      try reader.skipValue(after: token)
    }
    return true
  }

  /// Finds the records of a document: the root, if it is an array, or the one array of objects
  /// that the root object has.
  ///
  /// - Throws: `StorageError` with code `malformedInput`, naming the candidates if there are more.
  static func toRecords(of input: ImportInput) throws(StorageError) -> JSONPointer {
    var reader = JSONReader(try input.source())
    let first = try reader.next()
    if first == .beginArray { return root }
    guard first == .beginObject else {
      throw reader.error(
        .malformedInput,
        "\(input.name) holds \(first.name), not an array of records,"
      )
    }
    var candidates: [JSONPointer] = []
    while try reader.next() == .key {
      let name = reader.text
      let token = try reader.next()
      guard token == .beginArray else {
        try reader.skipValue(after: token)
        continue
      }
      if try isArrayOfObjects(&reader) { candidates.append(JSONPointer(parts: [name])) }
    }
    if candidates.count == 1 { return candidates[0] }
    guard !candidates.isEmpty else {
      throw StorageError(
        .malformedInput,
        "\(input.name) holds an object without an array of objects; "
          + "say where the records are with --records /a/b"
      )
    }
    throw StorageError(
      .malformedInput,
      "\(input.name) holds several arrays of objects; say which with --records: "
        + candidates.map(\.shown).joined(separator: ", ")
    )
  }

  /// Reads to the end of an array; whether it has elements, all objects.
  private static func isArrayOfObjects(_ reader: inout JSONReader) throws(StorageError) -> Bool {
    var isEmpty = true
    var hasOthers = false
    while true {
      let token = try reader.next()
      if token == .endArray { return !isEmpty && !hasOthers }
      isEmpty = false
      if token != .beginObject { hasOthers = true }
      try reader.skipValue(after: token)
    }
  }
}
