/// What a savepoint goes back to.
///
/// Outside of the writer's class, in which it would be a type of each engine, looked up for each
/// transaction.
private struct Savepoint {
  var catalog: Catalog
  var created: [Int: CollectionTables]
  var automaticKeys: [Int: (last: Int64, isDirty: Bool)]
}

/// The write transaction of a ``KeyValueStorage``.
public final class KeyValueStorageWriter<Transaction: KeyValueWriter>:
  KeyValueStorageReader<Transaction>, StorageWriter
{
  private var savepoints: [Savepoint] = []
  /// Looks for equal values, once one was looked for.
  var uniqueness: UniquenessCheck<Transaction>?
  /// Whether an index has a backlog.
  @exclusivity(unchecked) var hasBacklog = false

  deinit { end() }

  // MARK: Records

  /// Adds a record.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: ``StorageError/Code/duplicateKey``, ``StorageError/Code/uniqueViolation``,
  ///   ``StorageError/Code/overflow`` if no automatic key is left; nothing is changed then.
  public func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    let prepared = try prepareToWrite(row, collection)
    let automatic = try encodeAll(row, prepared)
    let isGenerated = automatic != nil && row.isNull(prepared.automaticKeyPosition)
    if prepared.hasUniqueIndex {
      if !isGenerated, try transaction.get(session.key.bytes, in: prepared.tables.rows) != nil {
        throw duplicateKey(prepared)
      }
      try checkUniqueness(prepared)
    }
    try add(prepared, isGenerated: isGenerated)
    if let automatic { try raiseAutomaticKey(prepared, to: automatic) }
    return automatic
  }

  /// Replaces the record with the row's key.
  ///
  /// - Returns: false if there is none.
  /// - Throws: ``StorageError/Code/uniqueViolation``; nothing is changed then.
  public func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    let prepared = try prepareToWrite(row, collection)
    guard prepared.automaticKeyPosition < 0 || !row.isNull(prepared.automaticKeyPosition) else {
      return false
    }
    _ = try encodeAll(row, prepared)
    guard let old = try transaction.get(session.key.bytes, in: prepared.tables.rows) else {
      return false
    }
    try replace(old, prepared)
    return true
  }

  /// Inserts, or replaces the record with the row's key.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: as ``insert(_:into:)``, but never ``StorageError/Code/duplicateKey``.
  public func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    let prepared = try prepareToWrite(row, collection)
    let automatic = try encodeAll(row, prepared)
    let isGenerated = automatic != nil && row.isNull(prepared.automaticKeyPosition)
    if !isGenerated, let old = try transaction.get(session.key.bytes, in: prepared.tables.rows) {
      try replace(old, prepared)
    } else {
      if prepared.hasUniqueIndex { try checkUniqueness(prepared) }
      try add(prepared, isGenerated: isGenerated)
    }
    if let automatic { try raiseAutomaticKey(prepared, to: automatic) }
    return automatic
  }

  /// Removes a record.
  ///
  /// - Returns: whether there was one.
  public func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    let prepared = try prepare(collection)
    try encode(key, prepared)
    changes += 1
    if prepared.indexes.isEmpty {
      return try transaction.delete(session.key.bytes, in: prepared.tables.rows)
    }
    guard let old = try transaction.get(session.key.bytes, in: prepared.tables.rows) else {
      return false
    }
    let row = try prepared.decode(old)
    for index in prepared.indexes { index.encodeOld(row, key: session.key.bytes) }
    try storeBacklogs()
    for (position, index) in prepared.indexes.enumerated() {
      try remove(index, prepared, prepared.tables.indexes[position])
    }
    return try transaction.delete(session.key.bytes, in: prepared.tables.rows)
  }

  /// Removes all records of one collection.
  ///
  /// - Returns: how many there were.
  public func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    let prepared = try prepare(collection)
    changes += 1
    for index in prepared.indexes { index.backlog.removeAll() }
    let count = try transaction.count(in: prepared.tables.rows)
    try transaction.clear(prepared.tables.rows)
    for table in prepared.tables.indexes { try transaction.clear(table) }
    return count
  }

  // MARK: Parts of a write

  private func prepareToWrite(_ row: RowView, _ collection: Collection) throws(StorageError)
    -> BoundCollection
  {
    let prepared = try prepare(collection)
    guard row.count == prepared.fieldCount else {
      throw StorageError(
        .invalidValue,
        "a record of \(collection.name) has \(prepared.fieldCount) fields, not \(row.count)"
      )
    }
    changes += 1
    return prepared
  }

  /// Encodes all that the row leads to, before anything is read or written: it may borrow memory of
  /// the engine.
  ///
  /// - Returns: the automatic key, given or fresh, if the collection has one.
  private func encodeAll(_ row: RowView, _ prepared: BoundCollection)
    throws(StorageError) -> Int64?
  {
    let position = prepared.automaticKeyPosition
    var automatic: Int64?
    if position >= 0 {
      automatic =
        row.isNull(position) ? try nextAutomaticKey(prepared) : row.integer(position)
    }
    prepared.encodeKey(of: row, automatic: automatic, into: session.key)
    session.value.removeAll()
    RowCoding.append(
      row,
      prepared.shapes,
      replacing: position,
      with: automatic ?? 0,
      to: session.value
    )
    for index in prepared.indexes {
      index.encodeNew(row, automatic: automatic, position: position, key: session.key.bytes)
    }
    return automatic
  }

  private func add(_ prepared: BoundCollection, isGenerated: Bool)
    throws(StorageError)
  {
    guard
      try transaction.insert(session.key.bytes, session.value.bytes, in: prepared.tables.rows)
    else {
      if !isGenerated { throw duplicateKey(prepared) }
      throw StorageError(
        .corrupt,
        "the automatic keys of \(prepared.collection.name) are behind its records; restore a backup"
      )
    }
    for (position, index) in prepared.indexes.enumerated() {
      try storeLater(index, prepared.tables.indexes[position])
    }
  }

  private func replace(
    _ old: UnsafeRawBufferPointer,
    _ prepared: BoundCollection
  ) throws(StorageError) {
    if Bytes.compare(old, session.value.bytes) == 0 { return }
    if !prepared.indexes.isEmpty {
      let row = try prepared.decode(old)
      for index in prepared.indexes { index.encodeOld(row, key: session.key.bytes) }
      if prepared.hasUniqueIndex { try checkUniqueness(prepared, replacing: true) }
    }
    try transaction.put(session.key.bytes, session.value.bytes, in: prepared.tables.rows)
    for (position, index) in prepared.indexes.enumerated() where index.isChanged {
      try storeBacklog(index, prepared.tables.indexes[position])
      try remove(index, prepared, prepared.tables.indexes[position])
      try store(index, prepared.tables.indexes[position])
    }
  }

  /// Brings the indexes up to date, which may be scanned.
  override func prepareToScan() throws(StorageError) { try storeBacklogs() }

  private func duplicateKey(_ prepared: PreparedCollection) -> StorageError {
    StorageError(
      .duplicateKey,
      "collection \(prepared.collection.name) already has a record with that key; "
        + "update it, or put instead of insert"
    )
  }

  // MARK: Savepoints and the end

  /// Opens a savepoint inside the innermost one.
  public func beginSavepoint() throws(StorageError) {
    try prepareToNest()
    try storeBacklogs()
    try transaction.beginNested()
    var automaticKeys: [Int: (last: Int64, isDirty: Bool)] = [:]
    for prepared in session.all {
      if let last = prepared.lastAutomaticKey {
        automaticKeys[prepared.collection.id] = (last, prepared.isAutomaticKeyDirty)
      }
    }
    savepoints.append(
      Savepoint(catalog: catalog, created: created, automaticKeys: automaticKeys)
    )
  }

  /// Ends the innermost savepoint and keeps its changes.
  public func releaseSavepoint() throws(StorageError) {
    try prepareToNest()
    guard !savepoints.isEmpty else { throw Self.noSavepoint }
    try storeBacklogs()
    try transaction.commitNested()
    savepoints.removeLast()
  }

  /// Ends the innermost savepoint and undoes its changes.
  public func rollbackSavepoint() throws(StorageError) {
    try prepareToNest()
    guard let savepoint = savepoints.popLast() else { throw Self.noSavepoint }
    // All of them came since the savepoint began.
    forgetBacklogs()
    try transaction.rollbackNested()
    let hasOtherSchema = catalog.schemaVersion != savepoint.catalog.schemaVersion
    catalog = savepoint.catalog
    created = savepoint.created
    if hasOtherSchema {
      session.forget { _ in true }
      // The keys that were still to be written go on with what is prepared for them from now on.
      for collection in catalog.collections where savepoint.automaticKeys[collection.id] != nil {
        _ = try prepare(collection)
      }
    }
    for prepared in session.all {
      let saved = savepoint.automaticKeys[prepared.collection.id]
      prepared.lastAutomaticKey = saved?.last
      prepared.isAutomaticKeyDirty = saved?.isDirty ?? false
    }
  }

  /// Lends the engine's handles, once the engine holds everything.
  public override func lendNative() throws(StorageError) -> Any {
    try prepareToNest()
    try storeBacklogs()
    try writeAutomaticKeys()
    return try super.lendNative()
  }

  /// Takes the engine's handles back; automatic keys are read again.
  public override func takeBackNative() throws(StorageError) {
    changes += 1
    // Those that were given out meanwhile are newer than what the engine has.
    for prepared in session.all where !prepared.isAutomaticKeyDirty {
      prepared.lastAutomaticKey = nil
    }
    try super.takeBackNative()
  }

  private func prepareToNest() throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    closeAllCursors()
    changes += 1
  }

  func closeAllCursors() {
    closeCursors()
    uniqueness?.close()
    uniqueness = nil
  }

  private static var noSavepoint: StorageError {
    StorageError(.transactionClosed, "no savepoint is open; begin one first")
  }

  /// Makes the changes durable and ends the transaction.
  ///
  /// - Throws: ``StorageError/Code/transactionClosed`` after the end; what the engine throws.
  public func commit() throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    while !savepoints.isEmpty { try releaseSavepoint() }
    closeAllCursors()
    try storeBacklogs()
    try writeAutomaticKeys()
    try transaction.commit()
    if catalog.schemaVersion != session.schema.catalog.schemaVersion { publishSchema() }
    transaction.end()
    close()
  }

  private func publishSchema() {
    var tables: [Int: CollectionTables] = [:]
    for collection in catalog.collections {
      tables[collection.id] = created[collection.id] ?? session.schema.tables[collection.id]
    }
    pool.publish(
      KeyValueSchema(
        catalog,
        catalogTable: session.schema.catalogTable,
        sequenceTable: session.schema.sequenceTable,
        tables: tables
      )
    )
  }

  /// Ends the transaction; rolls back what was not committed.
  ///
  /// Idempotent.
  public override func end() {
    guard isOpen else { return }
    closeAllCursors()
    forgetBacklogs()
    super.end()
  }
}
