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
      let definition = try reader.definition(try reader.json.next())
      try reader.end()
      return definition
    }
  }
}

/// Reads the parts of a definition, each from its first token, which has been taken.
private struct DefinitionReader: ~Copyable {
  var json: JSONReader

  mutating func definition(_ first: JSONToken) throws(StorageError) -> CollectionDefinition {
    var definition = CollectionDefinition("", fields: [], key: [])
    let seen = try members(first) { (reader, member, first) throws(StorageError) in
      switch member {
      case "name": definition.name = try reader.text(first)
      case "fields":
        definition.fields = try reader.list(first) { (reader, first) throws(StorageError) in
          try reader.field(first)
        }
      case "key": definition.key = try reader.texts(first)
      case "hasAutomaticKey": definition.hasAutomaticKey = try reader.bool(first)
      case "indexes":
        definition.indexes = try reader.list(first) { (reader, first) throws(StorageError) in
          try reader.index(first)
        }
      case "references":
        definition.references = try reader.list(first) { (reader, first) throws(StorageError) in
          try reader.reference(first)
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
    let seen = try members(first) { (reader, member, first) throws(StorageError) in
      switch member {
      case "name": field.name = try reader.text(first)
      case "type": field.type = try reader.word(first)
      case "isOptional": field.isOptional = try reader.bool(first)
      case "defaultValue": field.defaultValue = try reader.value(first)
      default: return false
      }
      return true
    }
    try require(["name", "type", "isOptional"], seen)
    return field
  }

  private mutating func index(_ first: JSONToken) throws(StorageError) -> IndexDefinition {
    var index = IndexDefinition([])
    let seen = try members(first) { (reader, member, first) throws(StorageError) in
      switch member {
      case "name": index.name = try reader.text(first)
      case "fields": index.fields = try reader.texts(first)
      case "isUnique": index.isUnique = try reader.bool(first)
      default: return false
      }
      return true
    }
    try require(["name", "fields", "isUnique"], seen)
    return index
  }

  private mutating func reference(_ first: JSONToken) throws(StorageError) -> ReferenceDefinition {
    var reference = ReferenceDefinition([], to: "")
    let seen = try members(first) { (reader, member, first) throws(StorageError) in
      switch member {
      case "fields": reference.fields = try reader.texts(first)
      case "target": reference.target = try reader.text(first)
      case "onDelete": reference.onDelete = try reader.word(first)
      default: return false
      }
      return true
    }
    try require(["fields", "target", "onDelete"], seen)
    return reference
  }

  /// A value as an object with its kind as the one key.
  private mutating func value(_ first: JSONToken) throws(StorageError) -> Value {
    var value: Value?
    _ = try members(first) { (reader, member, first) throws(StorageError) in
      switch member {
      case "null":
        _ = try reader.bool(first)
        value = .null
      case "integer": value = .integer(try reader.integer(first))
      case "real":
        guard let real = Double(try reader.text(first)), !real.isNaN else {
          throw reader.mismatch("a real number as text")
        }
        value = .real(real)
      case "text": value = .text(try reader.text(first))
      case "blob":
        value = .blob(
          try reader.list(first) { (reader, first) throws(StorageError) in
            guard let byte = UInt8(exactly: try reader.integer(first)) else {
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
  /// As for `Codable`, null is the same as no member.
  /// - Returns: the names of the members that were read.
  private mutating func members(
    _ first: JSONToken,
    _ body: (inout DefinitionReader, String, JSONToken) throws(StorageError) -> Bool
  ) throws(StorageError) -> [String] {
    guard first == .beginObject else { throw mismatch("an object") }
    var seen: [String] = []
    while try json.next() == .key {
      let name = json.text
      let value = try json.next()
      if value == .null { continue }
      if try body(&self, name, value) {
        seen.append(name)
      } else {
        try json.skipValue(after: value)
      }
    }
    return seen
  }

  private func require(_ names: [String], _ seen: [String]) throws(StorageError) {
    for name in names where !seen.contains(name) {
      throw json.error(.typeMismatch, "a definition without \(name)")
    }
  }

  private mutating func list<T>(
    _ first: JSONToken,
    _ element: (inout DefinitionReader, JSONToken) throws(StorageError) -> T
  ) throws(StorageError) -> [T] {
    guard first == .beginArray else { throw mismatch("an array") }
    var elements: [T] = []
    while true {
      let first = try json.next()
      if first == .endArray { return elements }
      elements.append(try element(&self, first))
    }
  }

  private mutating func texts(_ first: JSONToken) throws(StorageError) -> [String] {
    try list(first) { (reader, first) throws(StorageError) in try reader.text(first) }
  }

  private func text(_ first: JSONToken) throws(StorageError) -> String {
    guard first == .string else { throw mismatch("a string") }
    return json.text
  }

  private func word<Word: RawRepresentable>(_ first: JSONToken) throws(StorageError) -> Word
  where Word.RawValue == String {
    guard let word = Word(rawValue: try text(first)) else { throw mismatch("a known word") }
    return word
  }

  private func bool(_ first: JSONToken) throws(StorageError) -> Bool {
    guard case .bool(let value) = first else { throw mismatch("true or false") }
    return value
  }

  private func integer(_ first: JSONToken) throws(StorageError) -> Int64 {
    guard case .integer(let value) = first else { throw mismatch("an integer") }
    return value
  }

  mutating func end() throws(StorageError) {
    guard try json.next() == .end else { throw mismatch("nothing more") }
  }

  private func mismatch(_ expected: String) -> StorageError {
    json.error(.typeMismatch, "a definition has something else where \(expected) belongs")
  }
}
