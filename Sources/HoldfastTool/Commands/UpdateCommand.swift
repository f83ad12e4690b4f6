import Holdfast

extension Command {
  /// Changes fields of one record.
  static let update = Command(
    "update",
    "change some fields of a record",
    arguments: [Argument("COLLECTION"), Argument("KEY"), Argument("JSON")],
    details: """
      JSON is an object with the fields to change, or - to read it from standard
      input; other fields stay as they are.
      """
  ) { invocation in
    let name = invocation.arguments.positionals[0]
    let keyText = invocation.arguments.positionals[1]
    let json = try JSONText.argument(invocation.arguments.positionals[2])
    try invocation.withStore { store in
      try store.write { transaction in
        let collection = try transaction.collection(argument: name)
        let key = try KeyText.parse(keyText, in: collection)
        let changes = try RecordText.changes(json, in: collection)
        try transaction.update(key, set: changes, in: name)
      }
    }
  }
}
