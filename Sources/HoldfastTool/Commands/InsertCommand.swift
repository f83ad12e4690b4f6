import Holdfast

extension Command {
  private static let recordArguments = [Argument("COLLECTION"), Argument("JSON")]
  private static let recordDetails = """
    JSON is an object with the fields by name, or - to read it from standard input.
    Fields that are left out take their default, else null; the store chooses an
    automatic key that is left out.
    """

  /// Adds one record.
  static let insert = Command(
    "insert",
    "add a record and print its key",
    arguments: recordArguments,
    details: recordDetails
  ) { invocation in
    try write(invocation) { transaction, row, collection in
      try transaction.insert(row, into: collection)
    }
  }

  /// Adds or replaces one record.
  static let put = Command(
    "put",
    "add a record, or replace the one with its key, and print the key",
    arguments: recordArguments,
    details: recordDetails
  ) { invocation in
    try write(invocation) { transaction, row, collection in
      try transaction.put(row, in: collection)
    }
  }

  private static func write(
    _ invocation: Invocation,
    _ body: (WriteTransaction, RowView, Collection) throws -> Int64?
  ) throws {
    let name = invocation.arguments.positionals[0]
    let json = try JSONText.argument(invocation.arguments.positionals[1])
    try invocation.withStore { store in
      let key = try store.write { transaction in
        let collection = try transaction.collection(argument: name)
        let row = try RecordText.row(json, in: collection)
        let automatic = try body(transaction, row.view, collection)
        let key = try RecordText.key(row.view, automatic: automatic, in: collection)
        return try KeyText.text(key, in: collection)
      }
      try invocation.output.line(key)
    }
  }
}
