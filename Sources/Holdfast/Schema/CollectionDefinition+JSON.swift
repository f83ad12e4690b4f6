extension CollectionDefinition {
  /// Reads a definition from the JSON that `JSONEncoder` makes of one.
  ///
  /// What `JSONDecoder` does, in a tenth of the time: opening a store reads one for each collection.
  /// Members that it does not know are passed over.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` if it is not JSON;
  ///   ``StorageError/Code/typeMismatch`` if it is no definition. O(n).
  public init(json: String) throws(StorageError) {
    self = try Array(json.utf8).withUnsafeBufferPointer { (utf8) throws(StorageError) in
      var reader = DefinitionReader(json: JSONReader(ByteSource(UnsafeRawBufferPointer(utf8))))
      let definition = try reader.definition()
      try reader.end()
      return definition
    }
  }
}

/// Reads the parts of a definition, one after the other.
private struct DefinitionReader: ~Copyable {
  var json: JSONReader

  mutating func definition() throws(StorageError) -> CollectionDefinition {
    var definition = CollectionDefinition("", fields: [], key: [])
    let seen = try members { (reader, member) throws(StorageError) in
      switch member {
      case "name": definition.name = try reader.text()
      case "fields":
        definition.fields = try reader.list { (reader, token) throws(StorageError) in
          try reader.field(token)
        }
      case "key": definition.key = try reader.texts()
      case "hasAutomaticKey": definition.hasAutomaticKey = try reader.bool()
      case "indexes":
        definition.indexes = try reader.list { (reader, token) throws(StorageError) in
          try reader.index(token)
        }
      case "references":
        definition.references = try reader.list { (reader, token) throws(StorageError) in
          try reader.reference(token)
        }
      default: return false
      }
      return true
    }
    try require(["name", "fields", "key", "hasAutomaticKey", "indexes"], seen)
    return definition
  }

  private mutating func field(_ first: JSONToken) throws(StorageError) -> FieldDefinition {
    var field = FieldDefinition("", .any)
    let seen = try members(first) { (reader, member) throws(StorageError) in
      switch member {
      case "name": field.name = try reader.text()
      case "type": field.type = try reader.word()
      case "isOptional": field.isOptional = try reader.bool()
      case "defaultValue": field.defaultValue = try reader.value()
      default: return false
      }
      return true
    }
    try require(["name", "type", "isOptional"], seen)
    return field
  }

  private mutating func index(_ first: JSONToken) throws(StorageError) -> IndexDefinition {
    var index = IndexDefinition([])
    let seen = try members(first) { (reader, member) throws(StorageError) in
      switch member {
      case "name": index.name = try reader.text()
      case "fields": index.fields = try reader.texts()
      case "isUnique": index.isUnique = try reader.bool()
      default: return false
      }
      return true
    }
    try require(["name", "fields", "isUnique"], seen)
    return index
  }

  private mutating func reference(_ first: JSONToken) throws(StorageError) -> ReferenceDefinition {
    var reference = ReferenceDefinition([], to: "")
    let seen = try members(first) { (reader, member) throws(StorageError) in
      switch member {
      case "fields": reference.fields = try reader.texts()
      case "target": reference.target = try reader.text()
      case "onDelete": reference.onDelete = try reader.word()
      default: return false
      }
      return true
    }
    try require(["fields", "target", "onDelete"], seen)
    return reference
  }

  /// A value as an object with its kind as the one key.
  private mutating func value() throws(StorageError) -> Value {
    var value: Value?
    _ = try members { (reader, member) throws(StorageError) in
      switch member {
      case "null":
        _ = try reader.bool()
        value = .null
      case "integer": value = .integer(try reader.integer())
      case "real":
        guard let real = Double(try reader.text()), !real.isNaN else {
          throw reader.mismatch("a real number as text")
        }
        value = .real(real)
      case "text": value = .text(try reader.text())
      case "blob":
        value = .blob(
          try reader.list { (reader, token) throws(StorageError) in
            guard let byte = UInt8(exactly: try reader.integer(token)) else {
              throw reader.mismatch("a byte")
            }
            return byte
          }
        )
      default: return false
      }
      return true
    }
    guard let value else { throw mismatch("a value with its kind") }
    return value
  }

  // MARK: JSON

  /// Reads an object; `body` reads the value of a member, or returns false to pass it over.
  ///
  /// - Returns: the names of the members that were read.
  private mutating func members(
    _ first: JSONToken? = nil,
    _ body: (inout DefinitionReader, String) throws(StorageError) -> Bool
  ) throws(StorageError) -> [String] {
    guard try take(first) == .beginObject else { throw mismatch("an object") }
    var seen: [String] = []
    while try json.next() == .key {
      let name = json.text
      if try body(&self, name) { seen.append(name) } else { try json.skipValue() }
    }
    return seen
  }

  private func require(_ names: [String], _ seen: [String]) throws(StorageError) {
    for name in names where !seen.contains(name) {
      throw json.error(.typeMismatch, "a definition without \(name)")
    }
  }

  private mutating func list<T>(
    _ element: (inout DefinitionReader, JSONToken) throws(StorageError) -> T
  ) throws(StorageError) -> [T] {
    guard try json.next() == .beginArray else { throw mismatch("an array") }
    var elements: [T] = []
    while true {
      let first = try json.next()
      if first == .endArray { return elements }
      elements.append(try element(&self, first))
    }
  }

  private mutating func texts() throws(StorageError) -> [String] {
    try list { (reader, token) throws(StorageError) in try reader.text(token) }
  }

  private mutating func text(_ first: JSONToken? = nil) throws(StorageError) -> String {
    guard try take(first) == .string else { throw mismatch("a string") }
    return json.text
  }

  private mutating func word<Word: RawRepresentable>() throws(StorageError) -> Word
  where Word.RawValue == String {
    guard let word = Word(rawValue: try text()) else { throw mismatch("a known word") }
    return word
  }

  private mutating func bool() throws(StorageError) -> Bool {
    guard case .bool(let value) = try json.next() else { throw mismatch("true or false") }
    return value
  }

  private mutating func integer(_ first: JSONToken? = nil) throws(StorageError) -> Int64 {
    guard case .integer(let value) = try take(first) else { throw mismatch("an integer") }
    return value
  }

  /// The token that was read already, or else the next one.
  private mutating func take(_ first: JSONToken?) throws(StorageError) -> JSONToken {
    if let first { return first }
    return try json.next()
  }

  mutating func end() throws(StorageError) {
    guard try json.next() == .end else { throw mismatch("nothing more") }
  }

  private func mismatch(_ expected: String) -> StorageError {
    json.error(.typeMismatch, "a definition has something else where \(expected) belongs")
  }
}
