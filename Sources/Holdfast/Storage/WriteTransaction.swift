/// The write transaction, inside the body of `write`: a snapshot that sees its own writes.
///
/// A failed validation or constraint has no effect and the transaction goes on. A failure of the
/// engine dooms it: later calls throw ``StorageError/Code/transactionFailed``.
public final class WriteTransaction: ReadTransaction {
  let writer: any StorageWriter
  /// What was changed so far.
  let changes: ChangeLog
  /// Where references are checked at the end of a body instead of at each operation.
  var deferred: DeferredReferences?
  /// The references to each collection, once they were looked up.
  var referrers: [Int: [(collection: Collection, reference: Collection.Reference)]] = [:]
  /// Where changes of the schema are written down, for a report.
  var schemaLog: SchemaLog?
  /// Whether the schema was changed.
  var hasSchemaChanges = false
  let rowBuffer = RowBuffer()
  private var nextSavepoint = 1
  private var failure: StorageError? { didSet { hasFailed = failure != nil } }
  @exclusivity(unchecked) private var hasFailed = false

  init(
    _ writer: any StorageWriter,
    isObserved: Bool,
    _ cancellation: Cancellation? = nil,
    _ log: OperationLog? = nil
  ) {
    self.writer = writer
    changes = ChangeLog(isDetailed: isObserved)
    super.init(writer, cancellation, log)
  }

  // MARK: Records

  /// Adds a record given as values by field name; fields not named take their default, else null.
  ///
  /// - Returns: the record's key, with the automatic key that the store chose.
  /// - Throws: ``StorageError/Code/duplicateKey``, ``StorageError/Code/uniqueViolation``,
  ///   ``StorageError/Code/invalidValue``, ``StorageError/Code/typeMismatch``,
  ///   ``StorageError/Code/keyTooLong``, ``StorageError/Code/unknownField``.
  @discardableResult
  public func insert(_ fields: [String: Value], into collection: String) throws(StorageError)
    -> Key
  {
    try insert(Record(try self.collection(collection), fields))
  }

  /// Adds a record.
  ///
  /// - Returns: the record's key, with the automatic key that the store chose.
  /// - Throws: as `insert(_:into:)`.
  @discardableResult
  public func insert(_ record: Record) throws(StorageError) -> Key {
    let automatic = try insert(try load(record), into: record.collection)
    if let automatic { return Key(.integer(automatic)) }
    return try key(of: rowBuffer.view, nil, record.collection)
  }

  /// Adds a row that is laid out already.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: as ``insert(_:into:)``.
  @discardableResult
  public func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    guard let log else { return try insertRow(row, collection) }
    return try log.timing(.insert, collection.name) { () throws(StorageError) in
      try insertRow(row, collection)
    }
  }

  @inline(__always)
  private func insertRow(_ row: RowView, _ collection: Collection) throws(StorageError) -> Int64? {
    try prepareToWrite(collection)
    try FieldCheck.check(row, collection)
    return try referring(row, collection) { () throws(StorageError) in
      let automatic = try writer.insert(row, into: collection)
      try changes.note(.inserted, collection) { () throws(StorageError) in
        try key(of: row, automatic, collection)
      }
      return automatic
    }
  }

  /// Changes the given fields of the record with that key and leaves the others alone.
  ///
  /// - Throws: ``StorageError/Code/notFound`` if there is none; ``StorageError/Code/invalidValue``
  ///   for an attempt to change the key itself; otherwise as `insert(_:into:)`.
  public func update(
    _ key: Key,
    set changes: [String: Value],
    in collection: String
  ) throws(StorageError) {
    let collection = try self.collection(collection)
    let assignments = try changes.map { name, value throws(StorageError) in
      try BoundAssignment(.value(name, value), collection)
    }
    try update(key, assignments, in: collection)
  }

  /// Replaces the record with the row's key.
  ///
  /// - Throws: ``StorageError/Code/notFound`` if there is none; otherwise as `insert(_:into:)`.
  public func update(_ row: RowView, in collection: Collection) throws(StorageError) {
    guard let log else { return try updateRow(row, collection) }
    try log.timing(.update, collection.name) { () throws(StorageError) in
      try updateRow(row, collection)
    }
  }

  @inline(__always)
  private func updateRow(_ row: RowView, _ collection: Collection) throws(StorageError) {
    try prepareToWrite(collection)
    try FieldCheck.check(row, collection)
    if let position = collection.automaticKeyPosition, row.isNull(position) {
      throw StorageError(
        .invalidValue,
        "an update of \(collection.name) needs the record's key; insert it instead"
      )
    }
    try referring(row, collection) { () throws(StorageError) in
      guard try writer.update(row, in: collection) else { throw missing(collection) }
      try changes.note(.updated, collection) { () throws(StorageError) in
        try key(of: row, nil, collection)
      }
    }
  }

  /// Inserts the record, or replaces the one with its key; never removes another one.
  ///
  /// - Returns: the record's key.
  /// - Throws: as `insert(_:into:)`, but never ``StorageError/Code/duplicateKey``.
  @discardableResult
  public func put(_ fields: [String: Value], in collection: String) throws(StorageError) -> Key {
    try put(Record(try self.collection(collection), fields))
  }

  /// Inserts the record, or replaces the one with its key; never removes another one.
  @discardableResult
  public func put(_ record: Record) throws(StorageError) -> Key {
    let automatic = try put(try load(record), in: record.collection)
    if let automatic { return Key(.integer(automatic)) }
    return try key(of: rowBuffer.view, nil, record.collection)
  }

  /// Inserts a row that is laid out already, or replaces the one with its key.
  ///
  /// - Returns: the automatic key, if the collection has one.
  @discardableResult
  public func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    guard let log else { return try putRow(row, collection) }
    return try log.timing(.put, collection.name) { () throws(StorageError) in
      try putRow(row, collection)
    }
  }

  @inline(__always)
  private func putRow(_ row: RowView, _ collection: Collection) throws(StorageError) -> Int64? {
    try prepareToWrite(collection)
    try FieldCheck.check(row, collection)
    return try referring(row, collection) { () throws(StorageError) in
      let isNew = try changes.isDetailed ? !holds(row, collection) : true
      let automatic = try writer.put(row, in: collection)
      try changes.note(isNew ? .inserted : .updated, collection) { () throws(StorageError) in
        try key(of: row, automatic, collection)
      }
      return automatic
    }
  }

  /// Whether there is a record with the row's key.
  private func holds(_ row: RowView, _ collection: Collection) throws(StorageError) -> Bool {
    keyBuffer.reset(count: collection.keyPositions.count)
    for (part, position) in collection.keyPositions.enumerated() {
      if row.isNull(position) { return false }
      keyBuffer.copyField(part, row.slots[position])
    }
    return try writer.get(keyBuffer.view, in: collection) != nil
  }

  /// Removes a record.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func delete(_ key: Key, from collection: String) throws(StorageError) -> Bool {
    try delete(key, from: try self.collection(collection))
  }

  /// Removes a record.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func delete(_ key: Key, from collection: Collection) throws(StorageError) -> Bool {
    try prepareToWrite(collection)
    return try deleting(collection) { () throws(StorageError) in
      try deleteRecords([key], from: collection)
    } > 0
  }

  /// Removes records, and tells the log.
  func deleting(
    _ collection: Collection,
    _ body: () throws(StorageError) -> Int
  ) throws(StorageError) -> Int {
    guard let log else { return try body() }
    return try log.timing(.delete, collection.name, rows: { $0 }, body)
  }

  // MARK: Savepoints

  /// Runs `body` so that an error which leaves it undoes only what it did.
  ///
  /// Savepoints nest.
  ///
  /// - Throws: what the body throws, after undoing its writes.
  @discardableResult
  public func savepoint<T>(_ body: () throws -> T) throws -> T {
    try prepareToWrite()
    try perform { () throws(StorageError) in try writer.beginSavepoint() }
    changes.beginSavepoint()
    let id = nextSavepoint
    nextSavepoint += 1
    savepoints.append(id)
    do {
      let result = try body()
      try end(id) { () throws(StorageError) in try writer.releaseSavepoint() }
      changes.releaseSavepoint()
      return result
    } catch {
      if failure == nil, isOpen, savepoints.last == id {
        try end(id) { () throws(StorageError) in try writer.rollbackSavepoint() }
        changes.rollbackSavepoint()
      }
      throw error
    }
  }

  /// Runs calls of the engine so that a failure undoes all that they did, and observers hear of none
  /// of it.
  func undoing<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    try perform { () throws(StorageError) in
      try writer.beginSavepoint()
      changes.beginSavepoint()
      do throws(StorageError) {
        let result = try body()
        try writer.releaseSavepoint()
        changes.releaseSavepoint()
        return result
      } catch {
        changes.rollbackSavepoint()
        if error.code.leavesTransactionUsable { try writer.rollbackSavepoint() }
        throw error
      }
    }
  }

  private func end(
    _ id: Int,
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try checkOpen()
    closeCursors(of: id)
    suspendCursors()
    forgetSchema()
    referrers = [:]
    savepoints.removeLast()
    try perform(body)
  }

  // MARK: Scope

  private func load(_ record: Record) throws(StorageError) -> RowView {
    let collection = record.collection
    rowBuffer.reset(count: record.values.count)
    for (position, value) in record.values.enumerated() {
      rowBuffer.set(
        position,
        try collection.fields[position].stored(value, in: collection.name)
      )
    }
    return rowBuffer.view
  }

  /// The key of a row, with the automatic key that the store gave it.
  func key(
    of row: RowView,
    _ automatic: Int64?,
    _ collection: Collection
  ) throws(StorageError) -> Key {
    if let automatic { return Key(.integer(automatic)) }
    return try collection.key(of: row)
  }

  func missing(_ collection: Collection) -> StorageError {
    StorageError(.notFound, "collection \(collection.name) has no record with that key; insert it")
  }

  func prepareToWrite() throws(StorageError) {
    try checkOpen()
    try checkNotFailed()
    suspendCursors()
  }

  func prepareToWrite(_ collection: Collection) throws(StorageError) {
    try checkOpen()
    try checkNotFailed()
    try checkCurrent(collection)
    suspendCursors()
  }

  private func checkNotFailed() throws(StorageError) {
    guard hasFailed, let failure else { return }
    throw StorageError(
      .transactionFailed,
      "the transaction failed earlier (\(failure.code)) and can only be rolled back; "
        + "start a new one",
      underlying: failure
    )
  }

  override func perform<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    try checkNotFailed()
    do throws(StorageError) {
      return try body()
    } catch {
      if !error.code.leavesTransactionUsable { failure = error }
      throw error
    }
  }

  func commit() throws(StorageError) {
    try checkNotFailed()
    closeCursors()
    if hasSchemaChanges { try checkReferences(in: writer.catalog, mustExist: true) }
    guard let log else { return try writer.commit() }
    try log.timing(.commit, nil, rows: { _ in 0 }) { () throws(StorageError) in
      try writer.commit()
    }
  }
}

extension StorageError.Code {
  /// Whether a write transaction goes on after this error.
  var leavesTransactionUsable: Bool {
    switch self {
    case .storageFull, .ioError, .corrupt, .permissionDenied, .busy, .conflict,
      .transactionFailed:
      false
    default: true
    }
  }
}
