/// Runs bound queries and aggregates: natively where the engine can, else by a planned scan, the
/// evaluator and a sort, in that order, and the limit always last.
enum QueryExecutor {
  /// Opens a cursor over a query's rows; a log hears of the plan and of each row that is read.
  static func run(
    _ query: BoundQuery,
    on reader: some StorageReader,
    _ cancellation: Cancellation?,
    _ logged: LoggedQuery? = nil
  ) throws(StorageError) -> any StorageCursor {
    if case .none = query.filter { return EmptyCursor() }
    if query.limit == 0 { return EmptyCursor() }
    if let pushed = try reader.query(query) {
      logged?.note(handlesFilter: pushed.handlesFilter, handlesOrder: pushed.handlesOrder)
      let rows = count(pushed.cursor, logged)
      if pushed.handlesLimit { return rows }
      return finish(
        rows,
        query,
        filter: pushed.handlesFilter ? .all : query.filter,
        isOrdered: pushed.handlesOrder,
        cancellation
      )
    }
    let plan = Planner.plan(query)
    logged?.note(plan)
    return finish(
      count(try open(plan.scans, on: reader), logged),
      query,
      filter: plan.residual,
      isOrdered: plan.isOrdered,
      cancellation
    )
  }

  private static func count(_ cursor: some StorageCursor, _ logged: LoggedQuery?)
    -> any StorageCursor
  {
    if let logged { return CountedCursor(cursor, logged) }
    return cursor
  }

  /// Opens a cursor over the rows of scans, one after the other.
  private static func open(
    _ scans: [Scan],
    on reader: some StorageReader
  ) throws(StorageError) -> any StorageCursor {
    if scans.count == 1 { return try reader.scan(scans[0]) }
    return ScanCursor(scans) { (scan) throws(StorageError) in try reader.scan(scan) }
  }

  /// Opens a cursor over a query that the engine runs as a whole; nil if it does not.
  static func runNatively(_ query: BoundQuery, on reader: some StorageReader) throws(StorageError)
    -> (any StorageCursor)?
  {
    guard let pushed = try reader.query(query) else { return nil }
    if pushed.handlesFilter { return pushed.cursor }
    pushed.cursor.close()
    return nil
  }

  private static func finish(
    _ source: any StorageCursor,
    _ query: BoundQuery,
    filter: BoundFilter,
    isOrdered: Bool,
    _ cancellation: Cancellation?
  ) -> any StorageCursor {
    var cursor = source
    if case .all = filter {} else { cursor = FilterCursor(cursor, filter, cancellation) }
    if !isOrdered {
      let keep = query.limit.map { $0.addingReportingOverflow(query.offset) }
      cursor = SortCursor(
        cursor,
        query.order,
        keep: keep.flatMap { $0.overflow ? nil : $0.partialValue },
        cancellation
      )
    }
    if query.limit != nil || query.offset > 0 {
      cursor = LimitCursor(cursor, offset: query.offset, limit: query.limit)
    }
    return cursor
  }

  /// How many rows the core's plan reads; nil if they are more than `limit`.
  static func rangeSize(_ query: BoundQuery, on reader: some StorageReader, limit: Int)
    throws(StorageError) -> Int?
  {
    if case .none = query.filter { return 0 }
    if query.limit == 0 { return 0 }
    let cursor = try open(Planner.plan(query).scans, on: reader)
    defer { cursor.close() }
    var count = 0
    while try cursor.next() != nil {
      count += 1
      if count > limit { return nil }
    }
    return count
  }

  /// Computes aggregates: one row a group, ascending.
  static func aggregate(
    _ aggregate: BoundAggregate,
    on reader: some StorageReader,
    _ cancellation: Cancellation?,
    _ logged: LoggedQuery? = nil
  ) throws(StorageError) -> [[Value]] {
    if let rows = try reader.aggregate(aggregate) {
      logged?.note(handlesFilter: true, handlesOrder: true)
      return rows
    }
    let cursor = try run(
      BoundQuery(
        collection: aggregate.collection,
        filter: aggregate.filter,
        order: aggregate.collection.keyPositions.map { BoundQuery.Order($0) },
        limit: nil,
        offset: 0
      ),
      on: reader,
      cancellation,
      logged
    )
    defer { cursor.close() }
    let empty = aggregate.functions.map { Accumulator($0) }
    if aggregate.groupBy.isEmpty {
      var accumulators = empty
      while let row = try cursor.next() {
        try cancellation?.check()
        for index in accumulators.indices { try accumulators[index].add(row) }
      }
      return [try results(accumulators)]
    }
    var groups: [[Value]: [Accumulator]] = [:]
    while let row = try cursor.next() {
      try cancellation?.check()
      var key: [Value] = []
      for position in aggregate.groupBy { key.append(try row.value(position)) }
      for index in empty.indices { try groups[key, default: empty][index].add(row) }
      if empty.isEmpty { groups[key] = [] }
    }
    var rows: [[Value]] = []
    for key in groups.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      rows.append(key + (try results(groups[key] ?? [])))
    }
    return rows
  }

  private static func results(_ accumulators: [Accumulator]) throws(StorageError) -> [Value] {
    var values: [Value] = []
    for accumulator in accumulators { values.append(try accumulator.result()) }
    return values
  }
}

/// The running state of one aggregate function.
private struct Accumulator {
  private let function: BoundAggregate.Function
  private var sum = ExactSum()
  private var best = Value.null
  private var rows: Int64 = 0

  init(_ function: BoundAggregate.Function) { self.function = function }

  mutating func add(_ row: RowView) throws(StorageError) {
    switch function {
    case .count: rows += 1
    case .sum(let position), .average(let position):
      switch row.kind(position) {
      case .integer: sum.add(row.integer(position))
      case .real: sum.add(row.real(position))
      case .null, .text, .blob: break
      }
    case .minimum(let position):
      if row.isNull(position) { return }
      if best.isNull || row.compare(position, best) < 0 { best = try row.value(position) }
    case .maximum(let position):
      if row.isNull(position) { return }
      if best.isNull || row.compare(position, best) > 0 { best = try row.value(position) }
    }
  }

  func result() throws(StorageError) -> Value {
    switch function {
    case .count: .integer(rows)
    case .sum: try sum.total()
    case .average: sum.mean()
    case .minimum, .maximum: best
    }
  }
}
