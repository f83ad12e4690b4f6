import Holdfast

extension SQLiteReader {
  /// Opens a cursor over a query, with as much of it as one statement takes.
  ///
  /// The limit goes down only with the whole filter: it must not cut before the rest of the filter.
  func pushDown(_ query: BoundQuery) throws(StorageError) -> PushedQuery<SQLiteCursor> {
    try checkOpen()
    takeBackRow()
    let (sql, isComplete) = statement(query)
    let statement = try connection.takeQuery(sql.text, over: query.collection)
    try statement.bind(sql.parameters)
    return PushedQuery(
      cursor: SQLiteCursor(statement, sql.text, self),
      handlesFilter: isComplete,
      handlesOrder: true,
      handlesLimit: isComplete
    )
  }

  /// Bytes for the conditions, order and limit of most queries, so that their text is made in one piece
  /// of memory.
  private static let usualRoom = 192

  /// The statement of a query, and whether it takes all of the filter.
  private func statement(_ query: BoundQuery) -> (SQLQuery, isComplete: Bool) {
    let table = connection.table(query.collection)
    let start = SQLText(table.select, room: Self.usualRoom)
    var sql = SQLQuery(start, query.collection, limits: connection.limits)
    let isComplete = sql.appendWhere(query.filter)
    sql.appendOrder(query.order)
    if isComplete { sql.appendLimit(query.limit, offset: query.offset) }
    return (sql, isComplete)
  }

  /// The steps of SQLite's plan for a query.
  func explain(_ query: BoundQuery) throws(StorageError) -> [String] {
    try checkOpen()
    takeBackRow()
    let (sql, _) = statement(query)
    var text = SQLText("EXPLAIN QUERY PLAN ")
    text.append(sql.text)
    let statement = try connection.prepare(text, "explain a query")
    try statement.bind(sql.parameters)
    defer { statement.reset() }
    var steps: [String] = []
    // The columns are id, parent, one that is not used, and the step in words.
    while try statement.step() { steps.append(try statement.row().text(3)) }
    return steps
  }

  /// Computes aggregates in one statement; nil if it does not take the filter.
  func run(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    takeBackRow()
    if aggregate.functions.isEmpty, aggregate.groupBy.isEmpty { return [[]] }
    let collection = aggregate.collection
    var sql = SQLQuery(SQLText("SELECT "), collection, limits: connection.limits)
    sql.text.appendFields(aggregate.groupBy, of: collection)
    for (index, function) in aggregate.functions.enumerated() {
      if index > 0 || !aggregate.groupBy.isEmpty { sql.text.append(", ") }
      sql.append(function)
    }
    sql.text.append(" FROM ")
    sql.text.appendName(collection.physicalName)
    guard sql.appendWhere(aggregate.filter) else { return nil }
    if !aggregate.groupBy.isEmpty {
      sql.text.append(" GROUP BY ")
      sql.text.appendFields(aggregate.groupBy, of: collection)
      sql.text.append(" ORDER BY ")
      sql.text.appendFields(aggregate.groupBy, of: collection)
    }
    let statement = try connection.takeQuery(sql.text, over: collection)
    try statement.bind(sql.parameters)
    var rows: [[Value]] = []
    do throws(StorageError) {
      while try statement.step() { rows.append(try statement.row().values()) }
    } catch {
      statement.reset()
      throw ExactSumFunctions.overflow(error) ?? error
    }
    statement.reset()
    connection.giveQuery(statement, sql.text)
    return rows
  }
}

extension SQLiteStatement {
  /// Binds the values of a query, in order.
  func bind(_ parameters: [SQLParameter]) throws(StorageError) {
    for (index, parameter) in parameters.enumerated() {
      try bind(parameter, at: Int32(truncatingIfNeeded: index + 1))
    }
  }
}

extension SQLQuery {
  /// Appends one figure.
  fileprivate mutating func append(_ function: BoundAggregate.Function) {
    let name: String
    let position: Int
    switch function {
    case .count:
      text.append("count(*)")
      return
    case .sum(let field): (name, position) = (ExactSumFunctions.sum, field)
    case .average(let field): (name, position) = (ExactSumFunctions.average, field)
    case .minimum(let field): (name, position) = ("min", field)
    case .maximum(let field): (name, position) = ("max", field)
    }
    text.append(name)
    text.append("(")
    appendField(position)
    text.append(")")
  }
}
