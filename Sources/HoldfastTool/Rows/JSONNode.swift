import Holdfast

/// A small JSON document in memory, with the line of each value, for files that people write.
struct JSONNode {
  /// What the value is.
  indirect enum Content {
    case null
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    case array([JSONNode])
    /// Members in order; names are distinct.
    case object([(name: String, value: JSONNode)])
  }

  /// What the value is.
  let content: Content
  /// The line on which it begins, from 1.
  let line: Int

  /// Reads a document.
  ///
  /// - Throws: `StorageError` with code `malformedInput`.
  static func parse(_ text: String) throws(StorageError) -> JSONNode {
    try JSONText.parse(text) { (reader) throws(StorageError) in
      try node(try reader.next(), &reader)
    }
  }

  private static func node(_ token: JSONToken, _ reader: inout JSONReader) throws(StorageError)
    -> JSONNode
  {
    let line = reader.line
    let content: Content
    switch token {
    case .null: content = .null
    case .bool(let value): content = .bool(value)
    case .integer, .bigInteger, .real: content = .number(reader.text)
    case .string: content = .string(reader.text)
    case .beginArray:
      var elements: [JSONNode] = []
      while true {
        let token = try reader.next()
        if token == .endArray { break }
        elements.append(try node(token, &reader))
      }
      content = .array(elements)
    case .beginObject:
      var members: [(String, JSONNode)] = []
      while try reader.next() == .key {
        let name = reader.text
        members.append((name, try node(try reader.next(), &reader)))
      }
      content = .object(members)
    case .endArray, .endObject, .key, .end:
      throw reader.error(.malformedInput, "expected a value, not \(token.name)")
    }
    return JSONNode(content: content, line: line)
  }

  /// Writes the value.
  func write(to writer: inout JSONWriter) {
    switch content {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let text): Array(text.utf8).withUnsafeBytes { writer.raw($0) }
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (name, value) in members {
        writer.key(name)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  // MARK: Strict reading

  /// An error about this value.
  func error(_ message: String) -> StorageError {
    StorageError(.invalidSchema, "line \(line): \(message)")
  }

  /// The members of an object that may have only members of these names.
  func members(_ what: String, _ known: [String]) throws(StorageError) -> [String: JSONNode] {
    guard case .object(let members) = content else {
      throw error("\(what) is an object {\"\(known[0])\": …}")
    }
    var found: [String: JSONNode] = [:]
    for (name, value) in members {
      guard known.contains(name) else {
        var message = "\(what) has no member \(name.debugDescription)"
        if let nearest = Spelling.nearest(to: name, among: known) {
          message += "; did you mean \"\(nearest)\"?"
        } else {
          message += "; it has \(known.joined(separator: ", "))"
        }
        throw value.error(message)
      }
      found[name] = value
    }
    return found
  }

  /// The elements of an array.
  func elements(_ name: String) throws(StorageError) -> [JSONNode] {
    guard case .array(let elements) = content else { throw error("\"\(name)\" is an array") }
    return elements
  }

  /// The text of a string.
  func string(_ name: String) throws(StorageError) -> String {
    guard case .string(let text) = content else { throw error("\"\(name)\" is a string") }
    return text
  }

  /// The texts of an array of strings.
  func strings(_ name: String) throws(StorageError) -> [String] {
    var strings: [String] = []
    for element in try elements(name) { strings.append(try element.string(name)) }
    return strings
  }

  /// True or false.
  func bool(_ name: String) throws(StorageError) -> Bool {
    guard case .bool(let value) = content else { throw error("\"\(name)\" is true or false") }
    return value
  }

  /// A member that must be there.
  func required(_ members: [String: JSONNode], _ name: String, _ what: String)
    throws(StorageError) -> JSONNode
  {
    guard let node = members[name] else { throw error("\(what) needs a member \"\(name)\"") }
    return node
  }
}
