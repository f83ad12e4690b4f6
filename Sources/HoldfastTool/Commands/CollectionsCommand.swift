import Holdfast

extension Command {
  /// Lists the collections.
  static let collections = Command(
    "collections",
    "list the collections with their records, fields, key and indexes",
    options: [.format]
  ) { invocation in
    try invocation.withStore { store in
      try store.read { transaction in
        let columns = [
          FieldDefinition("collection", .text), FieldDefinition("records", .integer),
          FieldDefinition("fields", .text), FieldDefinition("key", .text),
          FieldDefinition("indexes", .text),
        ]
        var writer = try RowWriter(
          invocation.arguments.rowFormat,
          columns: columns,
          source: "the catalog",
          to: invocation.output
        )
        for collection in try transaction.catalog.collections {
          let definition = collection.definition
          let key = definition.key.joined(separator: ", ")
          try writer.add([
            .text(collection.name), .integer(Int64(try transaction.count(collection.name))),
            .text(definition.fields.map(fieldText).joined(separator: ", ")),
            .text(definition.hasAutomaticKey ? "\(key) (automatic)" : key),
            .text(definition.indexes.map(indexText).joined(separator: ", ")),
          ])
        }
        try writer.finish()
      }
    }
  }

  /// A field in short, `city text?` for an optional text.
  private static func fieldText(_ field: FieldDefinition) -> String {
    "\(field.name) \(field.type)\(field.isOptional ? "?" : "")"
  }

  private static func indexText(_ index: IndexDefinition) -> String {
    let fields = index.fields.joined(separator: ", ")
    return "\(index.name) (\(fields))\(index.isUnique ? " unique" : "")"
  }
}
