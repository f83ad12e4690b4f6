/// A query or aggregate in progress, for the log.
final class LoggedQuery {
  /// How many rows the engine has handed out.
  private var rows = 0
  private let log: OperationLog
  private let kind: StoreOperation.Kind
  private let collection: Collection
  private let text: () -> String
  private var plan: () -> String? = { nil }
  private var duration = Duration.zero
  private var failure: StorageError.Code?

  init(
    _ log: OperationLog,
    _ kind: StoreOperation.Kind,
    _ collection: Collection,
    text: @escaping () -> String
  ) {
    self.log = log
    self.kind = kind
    self.collection = collection
    self.text = text
  }

  /// Counts one row.
  func count() { rows += 1 }

  /// Hears how the core runs the query.
  func note(_ plan: Plan) {
    self.plan = { plan.text }
  }

  /// Hears how much of the query the engine runs.
  func note(handlesFilter: Bool, handlesOrder: Bool) {
    plan = {
      "by the engine" + (handlesFilter ? "" : ", then filtered")
        + (handlesOrder ? "" : ", then sorted")
    }
  }

  /// Adds the time of a step.
  func timing<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    let start = ContinuousClock.now
    defer { duration += .now - start }
    do throws(StorageError) {
      return try body()
    } catch {
      failure = error.code
      throw error
    }
  }

  /// Tells the log that the query has ended.
  func finish() {
    log.tell(
      kind,
      collection.name,
      duration,
      rows: rows,
      failure: failure,
      text: "\(kind.rawValue) \(text())",
      plan: plan()
    )
  }
}

/// The rows of an engine's cursor, counted.
final class CountedCursor<Source: StorageCursor>: StorageCursor {
  private let source: Source
  private let query: LoggedQuery

  init(_ source: Source, _ query: LoggedQuery) {
    self.source = source
    self.query = query
  }

  func next() throws(StorageError) -> RowView? {
    guard let row = try source.next() else { return nil }
    query.count()
    return row
  }

  func close() { source.close() }
}

/// The rows that a query gives, timed.
final class TimedCursor: StorageCursor {
  private let source: any StorageCursor
  private let query: LoggedQuery

  init(_ source: any StorageCursor, _ query: LoggedQuery) {
    self.source = source
    self.query = query
  }

  func next() throws(StorageError) -> RowView? {
    try query.timing { () throws(StorageError) in try source.next() }
  }

  func close() { source.close() }
}

extension Plan {
  /// The plan in one line, without values.
  fileprivate var text: String {
    guard let first = scans.first else { return "nothing to read" }
    let collection = first.collection
    var text = "by the key"
    if let index = first.index {
      let fields = collection.indexes[index].definition.fields.joined(separator: ", ")
      text = "by the index on \(fields)"
    }
    if first.lower == nil, first.upper == nil { text = "all of it " + text }
    if scans.count > 1 { text += " in \(scans.count) ranges" }
    if case .all = residual {} else { text += ", then filtered" }
    return isOrdered ? text : text + ", then sorted"
  }
}

extension Aggregate {
  /// The figure in one word.
  var text: String {
    switch self {
    case .count: "count"
    case .sum(let field): "sum(\(field))"
    case .average(let field): "average(\(field))"
    case .minimum(let field): "minimum(\(field))"
    case .maximum(let field): "maximum(\(field))"
    }
  }
}
