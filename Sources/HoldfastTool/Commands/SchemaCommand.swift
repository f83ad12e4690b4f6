import Holdfast

extension Command {
  /// Prints or applies a schema.
  static let schema = Command(
    "schema",
    "print the schema as JSON, or apply a schema file",
    arguments: [
      Argument("[COLLECTION | apply", words: ["apply"]), Argument("FILE]", isPath: true),
    ],
    argumentCount: 0...2,
    details: """
      schema apply FILE creates the collections of the file that do not exist, and adds
      to those that do what they lack: fields (optional, or with a default), indexes,
      references, defaults; fields may become optional. Whatever else differs is an error
      that names the steps, and nothing is changed. All is done, or nothing. FILE is JSON
      as \"schema\" prints it, - is standard input:

      {"collections": [{"name": "city", "fields": [
          {"name": "id", "type": "integer"},
          {"name": "name", "type": "text"},
          {"name": "country", "type": "text", "optional": true, "default": "NL"}],
        "key": ["id"], "automaticKey": true,
        "indexes": [{"name": "by_name", "fields": ["name"], "unique": false}],
        "references": [{"fields": ["country"], "target": "country",
          "onDelete": "restrict"}]}]}

      onDelete: restrict, cascade, setNull. Types: integer, real, text, blob, bool, date, uuid, decimal, json, any.
      """
  ) { invocation in
    let positionals = invocation.arguments.positionals
    guard positionals.count == 2 else { return try show(positionals.first, invocation) }
    guard positionals[0] == "apply" else {
      throw UsageError("schema takes one COLLECTION, or apply FILE")
    }
    let text = try JSONText.file(positionals[1])
    let definitions: [CollectionDefinition]
    do throws(StorageError) {
      definitions = try SchemaText.definitions(text)
    } catch {
      throw StorageError(error.code, "\(positionals[1]): \(error.message)")
    }
    try apply(definitions, invocation)
  }

  private static func show(_ name: String?, _ invocation: Invocation) throws {
    try invocation.withStore { store in
      let definitions = try store.read { transaction in
        if let name { return [try transaction.collection(argument: name).definition] }
        return try transaction.catalog.collections.map(\.definition)
      }
      try invocation.output.line(try SchemaText.text(definitions))
    }
  }

  private static func apply(_ definitions: [CollectionDefinition], _ invocation: Invocation)
    throws
  {
    try invocation.withStore(creates: true) { store in
      let lines = try store.write { transaction in
        let plan = try SchemaPlan(definitions, try transaction.catalog)
        try plan.apply(in: transaction)
        return plan.lines
      }
      for line in lines { try invocation.output.line(line) }
    }
  }
}
