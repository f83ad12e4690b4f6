import Holdfast

/// Schemas as JSON, for `schema`.
enum SchemaText {
  /// The JSON text of collections, a line for each field and index.
  static func text(_ definitions: [CollectionDefinition]) throws(StorageError) -> String {
    var text = "{\"collections\": ["
    for (index, definition) in definitions.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      text += "  {\"name\": \(quoted(definition.name)),\n   \"fields\": [\n"
      var fields: [String] = []
      for field in definition.fields { fields.append("     " + (try line(field))) }
      text += fields.joined(separator: ",\n") + "],\n"
      text += "   \"key\": \(list(definition.key)), "
      text += "\"automaticKey\": \(definition.hasAutomaticKey),\n   \"indexes\": ["
      let indexes = definition.indexes.map {
        "\n     {\"name\": \(quoted($0.name)), \"fields\": \(list($0.fields)), "
          + "\"unique\": \($0.isUnique)}"
      }
      text += indexes.joined(separator: ",") + "]"
      if !definition.references.isEmpty {
        let references = definition.references.map {
          "\n     {\"fields\": \(list($0.fields)), \"target\": \(quoted($0.target)), "
            + "\"onDelete\": \"\($0.onDelete.rawValue)\"}"
        }
        text += ",\n   \"references\": [\(references.joined(separator: ","))]"
      }
      text += "}"
    }
    return text + (definitions.isEmpty ? "]}" : "\n]}")
  }

  private static func line(_ field: FieldDefinition) throws(StorageError) -> String {
    var text = "{\"name\": \(quoted(field.name)), \"type\": \"\(field.type)\""
    if field.isOptional { text += ", \"optional\": true" }
    if let value = field.defaultValue {
      let row = RowBuffer(count: 1)
      row.set(0, value)
      var writer = JSONWriter()
      try ValueJSON.write(row.view, 0, field, in: "the schema", to: &writer)
      text += ", \"default\": \(writer.text)"
    }
    return text + "}"
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
  }

  private static func list(_ names: [String]) -> String {
    "[" + names.map(quoted).joined(separator: ", ") + "]"
  }
}
