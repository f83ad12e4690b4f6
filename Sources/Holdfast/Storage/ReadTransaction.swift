/// A snapshot of a store, inside the body of `read` or `write`.
///
/// Not Sendable: it belongs to its body. After the body ended every call throws
/// ``StorageError/Code/transactionClosed``.
public class ReadTransaction {
  let reader: any StorageReader
  /// Tells that the task which waits for the body was cancelled; nil where none does.
  let cancellation: Cancellation?
  /// Whom to tell of operations; nil for nobody.
  final let log: OperationLog?
  /// The store whose transaction this thread is inside of, and the transaction around that, which
  /// outlives it.
  @exclusivity(unchecked) final var scope: (owner: ObjectIdentifier?, outer: ReadTransaction?)
  @exclusivity(unchecked) private(set) final var isOpen = true
  /// Scratch for keys given as values.
  let keyBuffer = RowBuffer(count: 1)
  /// Savepoints alive, innermost last; outside all of them is 0.
  @exclusivity(unchecked) final var savepoints: [Int] = []
  /// Scratch of the typed layer, kept from one call to the next.
  @exclusivity(unchecked) final var scratch: AnyObject?
  /// The typed layer's layout of ``recent`` for a model, and whether the collection was found to be as
  /// the model declares it.
  @exclusivity(unchecked) final var recentLayout:
    (layout: RowLayout, model: ObjectIdentifier, isEnsured: Bool)?
  /// The collection that was looked up last, for calls that name it again.
  @exclusivity(unchecked) private var recent: Collection?
  /// The cursors that are open; each knows its place.
  @exclusivity(unchecked) private var cursors: [RowCursor] = []

  init(
    _ reader: any StorageReader,
    _ cancellation: Cancellation? = nil,
    _ log: OperationLog? = nil
  ) {
    self.reader = reader
    self.cancellation = cancellation
    self.log = log
  }

  /// The catalog as of this snapshot.
  ///
  /// - Throws: ``StorageError/Code/transactionClosed``.
  public final var catalog: Catalog {
    get throws(StorageError) {
      try checkOpen()
      return reader.catalog
    }
  }

  /// The collection of that name.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection`` if there is none.
  public final func collection(_ name: String) throws(StorageError) -> Collection {
    if let collection = try find(name) { return collection }
    throw StorageError(.unknownCollection, "the store has no collection \(name); create it first")
  }

  /// The collection of that name, or nil.
  final func find(_ name: String) throws(StorageError) -> Collection? {
    try checkOpen()
    if let recent, recent.name == name { return recent }
    forgetSchema()
    recent = reader.catalog.collection(named: name)
    return recent
  }

  /// Checks that a collection is what the store knows by its name now, and not what another
  /// transaction or an earlier schema gave.
  ///
  /// O(1) for the collection that was used last.
  final func checkCurrent(_ collection: Collection) throws(StorageError) {
    if recent === collection { return }
    let current = reader.catalog.collection(named: collection.name)
    guard let current, current.id == collection.id, current.definition == collection.definition
    else { throw .isOutdated(collection) }
    forgetSchema()
    recent = collection
  }

  /// Forgets what may have changed with the schema.
  final func forgetSchema() {
    recent = nil
    recentLayout = nil
  }

  /// The record with that key, or nil.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``, ``StorageError/Code/typeMismatch`` for a key
  ///   of the wrong shape.
  public final func get(_ key: Key, in collection: String) throws(StorageError) -> Record? {
    let collection = try self.collection(collection)
    guard let row = try get(key, in: collection) else { return nil }
    return try collection.record(row)
  }

  /// The row with that key, or nil, borrowed until the next call on this transaction.
  public final func get(_ key: Key, in collection: Collection) throws(StorageError) -> RowView? {
    guard let log else { return try row(key, collection) }
    return try log.timing(.get, collection.name, rows: { $0 == nil ? 0 : 1 }) {
      () throws(StorageError) in try row(key, collection)
    }
  }

  @inline(__always)
  private final func row(_ key: Key, _ collection: Collection) throws(StorageError) -> RowView? {
    try checkOpen()
    try checkCurrent(collection)
    try load(key, collection)
    return try perform { () throws(StorageError) in
      try reader.get(keyBuffer.view, in: collection)
    }
  }

  /// Fills ``keyBuffer`` with a key and checks it.
  final func load(_ key: Key, _ collection: Collection) throws(StorageError) {
    // Most keys are one integer, of which nothing is left to check.
    if collection.hasIntegerKey, let integer = key.integer, keyBuffer.count == 1 {
      return keyBuffer.setInteger(0, integer)
    }
    let count = key.count
    keyBuffer.reset(count: count)
    for index in 0..<count {
      let position = index < collection.keyPositions.count ? collection.keyPositions[index] : 0
      let value = key[index]
      if collection.rules[position].isStored(value.kind) {
        keyBuffer.set(index, value)
      } else {
        keyBuffer.set(index, collection.fields[position].lenient(value))
      }
    }
    try FieldCheck.checkKey(keyBuffer.view, collection)
  }

  /// The records that match, in the query's order.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``, ``StorageError/Code/unknownField``,
  ///   ``StorageError/Code/typeMismatch``, ``StorageError/Code/invalidQuery``,
  ///   ``StorageError/Code/invalidCursor``.
  public final func fetch(_ query: Query) throws(StorageError) -> [Record] {
    let cursor = try rows(query)
    defer { cursor.close() }
    var records: [Record] = []
    while let row = try cursor.next() { records.append(try cursor.collection.record(row)) }
    return records
  }

  /// One page of the records that match; needs a limit in the query to be shorter than all.
  ///
  /// - Throws: as ``fetch(_:)``.
  public final func page(_ query: Query) throws(StorageError) -> Page<Record> {
    try page(query) { collection, row throws(StorageError) in try collection.record(row) }
  }

  /// One page, each row decoded by `decode`.
  public final func page<Element, Failure: Error>(
    _ query: Query,
    decode: (Collection, RowView) throws(Failure) -> Element
  ) throws -> Page<Element> {
    let cursor = try rows(query)
    defer { cursor.close() }
    var elements: [Element] = []
    var next: PageToken?
    while let row = try cursor.next() {
      elements.append(try decode(cursor.collection, row))
      if elements.count == query.limit { next = try cursor.token(after: row) }
    }
    return Page(elements: elements, next: next)
  }

  /// One page of records.
  private func page(
    _ query: Query,
    decode: (Collection, RowView) throws(StorageError) -> Record
  ) throws(StorageError) -> Page<Record> {
    let cursor = try rows(query)
    defer { cursor.close() }
    var elements: [Record] = []
    var next: PageToken?
    while let row = try cursor.next() {
      elements.append(try decode(cursor.collection, row))
      if elements.count == query.limit { next = try cursor.token(after: row) }
    }
    return Page(elements: elements, next: next)
  }

  /// A cursor over the borrowed rows that match, in the query's order.
  ///
  /// In a write transaction it goes on after writes with the smallest row behind its last one.
  /// - Throws: as ``fetch(_:)``.
  public final func rows(_ query: Query) throws(StorageError) -> RowCursor {
    let collection = try self.collection(query.collection)
    let bound = try BoundQuery(query, collection)
    let logged = log.map { log in
      LoggedQuery(log, .query, collection) { query.textWithoutValues }
    }
    let cursor = RowCursor(self, query, bound, savepoint: savepoints.last ?? 0, logged)
    cursor.place = cursors.count
    cursors.append(cursor)
    return cursor
  }

  /// How many records match.
  ///
  /// - Throws: as ``fetch(_:)``.
  public final func count(_ collection: String, where filter: Filter = .all) throws(StorageError)
    -> Int
  {
    let rows = try aggregate(collection, [.count], where: filter)
    guard case .integer(let count) = rows[0][0] else { return 0 }
    return Int(count)
  }

  /// Figures over the records that match, optionally a group at a time.
  ///
  /// - Returns: one row a group, ascending by the group's values: first these, then one value for
  ///   each figure. Without grouping exactly one row.
  /// - Throws: as ``fetch(_:)``; ``StorageError/Code/overflow`` for an integer sum that does not fit.
  public final func aggregate(
    _ collection: String,
    _ figures: [Aggregate],
    groupBy: [String] = [],
    where filter: Filter = .all
  ) throws(StorageError) -> [[Value]] {
    let collection = try self.collection(collection)
    let bound = try BoundAggregate(collection, figures, groupBy: groupBy, filter: filter)
    try cancellation?.check()
    return try perform { () throws(StorageError) in
      guard let log else { return try QueryExecutor.aggregate(bound, on: reader, cancellation) }
      let logged = LoggedQuery(log, .aggregate, collection) {
        "\(figures.map(\.text).joined(separator: ", ")) of "
          + Query(collection.name, where: filter).textWithoutValues
          + (groupBy.isEmpty ? "" : " a group of \(groupBy.joined(separator: ", "))")
      }
      defer { logged.finish() }
      return try logged.timing { () throws(StorageError) in
        try QueryExecutor.aggregate(bound, on: reader, cancellation, logged)
      }
    }
  }

  // MARK: Scope

  final func checkOpen() throws(StorageError) {
    guard isOpen else {
      throw StorageError(
        .transactionClosed,
        "the transaction has ended; use it only inside its body"
      )
    }
  }

  /// Runs an engine call; a write transaction overrides it to remember failures.
  func perform<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    try body()
  }

  /// Forgets a cursor that is closed.
  ///
  /// O(1): the last one takes its place.
  final func forget(_ cursor: RowCursor) {
    guard let last = cursors.popLast(), last !== cursor else { return }
    cursors[cursor.place] = last
    last.place = cursor.place
  }

  /// Closes the cursors of a savepoint that ends, or all.
  final func closeCursors(of savepoint: Int? = nil) {
    if cursors.isEmpty { return }
    // Each leaves the list as it closes.
    for cursor in cursors where savepoint == nil || cursor.savepoint == savepoint {
      cursor.close()
    }
  }

  /// Lets the engine's cursors go before a write; they open again when they are next used.
  final func suspendCursors() {
    if cursors.isEmpty { return }
    for cursor in cursors { cursor.suspend() }
  }

  /// Ends the transaction.
  final func finish() {
    guard isOpen else { return }
    closeCursors()
    isOpen = false
    reader.end()
  }
}
