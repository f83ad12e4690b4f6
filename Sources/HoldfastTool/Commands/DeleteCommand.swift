import Holdfast

extension Command {
  /// Removes records.
  static let delete = Command(
    "delete",
    "remove records and print how many",
    arguments: [Argument("COLLECTION"), Argument("KEY…")],
    argumentCount: 2...Int.max,
    details: """
      All keys are removed in one transaction. Keys without a record are no hindrance
      to the others, but make the status 1.
      """
  ) { invocation in
    let name = invocation.arguments.positionals[0]
    let keyTexts = invocation.arguments.positionals.dropFirst()
    let removed = try invocation.withStore { store in
      try store.write { transaction in
        let collection = try transaction.collection(argument: name)
        var keys: [Key] = []
        for text in keyTexts { keys.append(try KeyText.parse(text, in: collection)) }
        var removed = 0
        for key in keys where try transaction.delete(key, from: collection) { removed += 1 }
        return removed
      }
    }
    try invocation.output.line(String(removed))
    guard removed == keyTexts.count else {
      throw StorageError(
        .notFound,
        "\(name) has no record for \(keyTexts.count - removed) of the keys"
      )
    }
  }
}
