import Holdfast

extension Command {
  /// Counts the records that match.
  static let count = Command(
    "count",
    "print how many records there are",
    arguments: [Argument("COLLECTION")],
    options: [.filter]
  ) { invocation in
    let name = invocation.arguments.positionals[0]
    try invocation.checkFilter()
    try invocation.withStore { store in
      let count = try store.read { transaction in
        let filter = try invocation.filter(for: try transaction.collection(argument: name))
        return try transaction.count(name, where: filter)
      }
      try invocation.output.line(String(count))
    }
  }
}
