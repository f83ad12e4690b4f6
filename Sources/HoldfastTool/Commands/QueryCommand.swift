import Holdfast

extension Command {
  /// Prints the records that match.
  static let query = Command(
    "query",
    "print records",
    arguments: [Argument("COLLECTION")],
    options: Option.query + [
      Option("--after", .text("TOKEN"), "go on after the page that gave this token"),
      Option("--select", .text("FIELDS"), "only these fields, as a,b"),
      .format,
    ],
    details: """
      Where --limit leaves records out, \"next: TOKEN\" on standard error goes on with
      them: repeat the command with --after TOKEN.

      EXPR compares fields with = != < <= > >=, IN (…), BETWEEN … AND …, IS NULL,
      IS NOT NULL, STARTS WITH, CONTAINS, joined by AND, OR, NOT and parentheses.
      Values: numbers, 'text', true, false, null, x'hex', DATE '2026-01-31',
      UUID '…'. Field names may stand in \"double quotes\".
      """
  ) { invocation in
    let arguments = invocation.arguments
    let name = arguments.positionals[0]
    try invocation.checkFilter()
    let sort = try arguments["--sort"].map { try FieldList.sorts($0, option: "--sort") } ?? []
    let select = try arguments["--select"].map { try FieldList.names($0, option: "--select") }
    var query = Query(
      name,
      sort: sort,
      limit: arguments.number("--limit"),
      offset: arguments.number("--offset") ?? 0,
      after: arguments["--after"].map { PageToken($0) }
    )
    try invocation.withStore { store in
      let next = try store.read { transaction in
        let collection = try transaction.collection(argument: name)
        query.filter = try invocation.filter(for: collection)
        var positions: [Int]?
        if let select {
          positions = try select.map { try collection.position(of: $0, option: "--select") }
        }
        for field in sort.map(\.field) {
          _ = try collection.position(of: field, option: "--sort")
        }
        var writer = try RowWriter(
          arguments.rowFormat,
          rowsOf: collection,
          positions: positions,
          to: invocation.output
        )
        let next = try print(query, in: transaction, to: &writer)
        try writer.finish()
        return next
      }
      try invocation.output.flush()
      if let next { Messages.line("next: \(next)") }
    }
  }

  /// Prints the rows of a query.
  ///
  /// - Returns: a token for going on, if the limit left rows out.
  private static func print(
    _ query: Query,
    in transaction: ReadTransaction,
    to writer: inout RowWriter
  ) throws -> PageToken? {
    // One row more than asked for tells whether the limit cut the result.
    var longer = query
    if let limit = query.limit, limit > 0, limit < Int.max { longer.limit = limit + 1 }
    let cursor = try transaction.rows(longer)
    defer { cursor.close() }
    var count = 0
    var token: PageToken?
    while let row = try cursor.next() {
      if let token { return token }
      try writer.add(row)
      count += 1
      if count == query.limit { token = try cursor.token(after: row) }
    }
    return nil
  }
}
