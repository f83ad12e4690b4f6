import Holdfast

extension SchemaText {
  /// The collections of a schema file, each checked by itself.
  ///
  /// - Throws: `StorageError` with code `malformedInput` for text that is no JSON, `invalidSchema`
  ///   for unknown or missing members, both with their place; whatever a definition's check throws.
  static func definitions(_ text: String) throws(StorageError) -> [CollectionDefinition] {
    let root = try JSONNode.parse(text)
    let members = try root.members("a schema file", ["collections"])
    let list = try root.required(members, "collections", "a schema file")
    var definitions: [CollectionDefinition] = []
    for node in try list.elements("collections") {
      let definition = try collection(node)
      try definition.validate()
      guard !definitions.contains(where: { $0.name == definition.name }) else {
        throw node.error("the file has collection \(definition.name) twice")
      }
      definitions.append(definition)
    }
    return definitions
  }

  private static func collection(_ node: JSONNode) throws(StorageError) -> CollectionDefinition {
    let what = "a collection"
    let members = try node.members(
      what,
      ["name", "fields", "key", "automaticKey", "indexes", "references"]
    )
    var definition = CollectionDefinition(
      try node.required(members, "name", what).string("name"),
      fields: [],
      key: try node.required(members, "key", what).strings("key"),
      automaticKey: try members["automaticKey"]?.bool("automaticKey") ?? false
    )
    for field in try node.required(members, "fields", what).elements("fields") {
      definition.fields.append(try self.field(field))
    }
    for index in try members["indexes"]?.elements("indexes") ?? [] {
      definition.indexes.append(try self.index(index))
    }
    for reference in try members["references"]?.elements("references") ?? [] {
      definition.references.append(try self.reference(reference))
    }
    return definition
  }

  private static func index(_ node: JSONNode) throws(StorageError) -> IndexDefinition {
    let members = try node.members("an index", ["name", "fields", "unique"])
    return IndexDefinition(
      try node.required(members, "fields", "an index").strings("fields"),
      unique: try members["unique"]?.bool("unique") ?? false,
      name: try members["name"]?.string("name")
    )
  }

  private static func reference(_ node: JSONNode) throws(StorageError) -> ReferenceDefinition {
    let what = "a reference"
    let members = try node.members(what, ["fields", "target", "onDelete"])
    var reference = ReferenceDefinition(
      try node.required(members, "fields", what).strings("fields"),
      to: try node.required(members, "target", what).string("target")
    )
    guard let node = members["onDelete"] else { return reference }
    let rules = DeleteRule.allCases.map(\.rawValue)
    let word = try node.string("onDelete")
    guard let rule = DeleteRule(rawValue: word) else {
      throw node.error(
        "unknown rule \(word.debugDescription) (known: \(rules.joined(separator: ", ")))"
      )
    }
    reference.onDelete = rule
    return reference
  }

  private static func field(_ node: JSONNode) throws(StorageError) -> FieldDefinition {
    let members = try node.members("a field", ["name", "type", "optional", "default"])
    let name = try node.required(members, "name", "a field").string("name")
    let typeNode = try node.required(members, "type", "a field")
    let word = try typeNode.string("type")
    let types = FieldType.allCases.map(\.rawValue)
    guard let type = FieldType(rawValue: word) else {
      var message = "field \(name) has the unknown type \(word.debugDescription)"
      if let nearest = Spelling.nearest(to: word, among: types) {
        message += "; did you mean \(nearest)?"
      }
      throw typeNode.error(message + " (known: \(types.joined(separator: ", ")))")
    }
    var field = FieldDefinition(
      name,
      type,
      optional: try members["optional"]?.bool("optional") ?? false
    )
    guard let node = members["default"] else { return field }
    let value = try defaultValue(node, field)
    if !value.isNull { field.defaultValue = value }
    return field
  }

  private static func defaultValue(_ node: JSONNode, _ field: FieldDefinition)
    throws(StorageError) -> Value
  {
    var writer = JSONWriter()
    node.write(to: &writer)
    let row = RowBuffer(count: 1)
    do throws(StorageError) {
      try JSONText.parse(writer.text) { (reader) throws(StorageError) in
        let token = try reader.next()
        try ValueJSON.read(token, from: &reader, field, in: "the schema", into: row, 0)
      }
    } catch {
      throw node.error("the default of field \(field.name) does not fit its type \(field.type)")
    }
    return try row.view.value(0)
  }
}
