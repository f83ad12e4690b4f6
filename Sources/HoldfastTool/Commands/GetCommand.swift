import Holdfast

extension Command {
  /// Prints one record.
  static let get = Command(
    "get",
    "print one record as a line of JSON",
    arguments: [Argument("COLLECTION"), Argument("KEY")],
    details: """
      KEY is a text key as it is, a number, a date, a UUID, or for a composite key a
      JSON array. Without such a record nothing is printed and the status is 1.
      """
  ) { invocation in
    let name = invocation.arguments.positionals[0]
    let keyText = invocation.arguments.positionals[1]
    try invocation.withStore { store in
      try store.read { transaction in
        let collection = try transaction.collection(argument: name)
        let key = try KeyText.parse(keyText, in: collection)
        guard let row = try transaction.get(key, in: collection) else {
          throw StorageError(.notFound, "\(name) has no record with that key")
        }
        var writer = try RowWriter(.jsonl, rowsOf: collection, to: invocation.output)
        try writer.add(row)
        try writer.finish()
      }
    }
  }
}
