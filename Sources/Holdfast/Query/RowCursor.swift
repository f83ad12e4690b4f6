/// A cursor over the borrowed rows of a query, in its order.
///
/// It closes by itself when its transaction, or the savepoint in which it was opened, ends; further
/// calls throw ``StorageError/Code/transactionClosed``.
public final class RowCursor {
  /// The collection whose rows it yields.
  public let collection: Collection
  let savepoint: Int
  /// Where the transaction keeps it while it is open.
  @exclusivity(unchecked) final var place = 0

  private let transaction: ReadTransaction
  private let query: Query
  private var bound: BoundQuery
  private var engineCursor: (any StorageCursor)?
  private var isClosed = false
  private var isAtEnd = false
  /// In a write transaction, the sort values of the last row, for opening again after a write.
  private let last: RowBuffer?
  private var hasLast = false
  /// The query as the log hears of it, if there is one.
  private let logged: LoggedQuery?

  init(
    _ transaction: ReadTransaction,
    _ query: Query,
    _ bound: BoundQuery,
    savepoint: Int,
    _ logged: LoggedQuery?
  ) {
    self.logged = logged
    self.transaction = transaction
    self.query = query
    self.bound = bound
    self.savepoint = savepoint
    collection = bound.collection
    last = transaction is WriteTransaction ? RowBuffer() : nil
  }

  /// Moves to the next row.
  ///
  /// - Returns: all fields in field order, valid until the next call on the cursor or a write in its
  ///   transaction; nil at the end.
  /// - Throws: ``StorageError/Code/transactionClosed``; what the engine throws. It never ends early
  ///   as if it were done.
  public func next() throws(StorageError) -> RowView? {
    if isClosed {
      throw StorageError(
        .transactionClosed,
        "the cursor is closed: its transaction or savepoint has ended, or the schema changed"
      )
    }
    try transaction.checkOpen()
    if isAtEnd { return nil }
    try transaction.cancellation?.check()
    return try transaction.perform { () throws(StorageError) in
      let cursor = try openCursor()
      guard let row = try cursor.next() else {
        isAtEnd = true
        suspend()
        return nil
      }
      if let last {
        last.reset(count: bound.order.count)
        for (index, order) in bound.order.enumerated() {
          last.copyField(index, row.slots[order.position])
        }
        hasLast = true
        if let limit = bound.limit { bound.limit = limit - 1 }
      }
      return row
    }
  }

  private func openCursor() throws(StorageError) -> any StorageCursor {
    if let engineCursor { return engineCursor }
    var query = bound
    if let last, hasLast {
      query.offset = 0
      query.filter = try query.filter.and(
        PageToken.condition(after: last.view.values(), bound.order, collection)
      )
    }
    let cursor = try open(query)
    engineCursor = cursor
    return cursor
  }

  private func open(_ query: BoundQuery) throws(StorageError) -> any StorageCursor {
    let (reader, cancellation) = (transaction.reader, transaction.cancellation)
    guard let logged else { return try QueryExecutor.run(query, on: reader, cancellation) }
    let cursor = try logged.timing { () throws(StorageError) in
      try QueryExecutor.run(query, on: reader, cancellation, logged)
    }
    return TimedCursor(cursor, logged)
  }

  /// A token that continues this query after `row`, which must be a row of this cursor.
  public func token(after row: RowView) throws(StorageError) -> PageToken {
    var values: [Value] = []
    for order in bound.order { values.append(try row.value(order.position)) }
    return PageToken(values: values, query: query, collection: collection)
  }

  /// Lets the engine's cursor go; the next call opens it again behind the last row.
  func suspend() {
    engineCursor?.close()
    engineCursor = nil
  }

  /// Closes the cursor.
  ///
  /// Idempotent.
  public func close() {
    if isClosed { return }
    isClosed = true
    suspend()
    logged?.finish()
    transaction.forget(self)
  }
}
