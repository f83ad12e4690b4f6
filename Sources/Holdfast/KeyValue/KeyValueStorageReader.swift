/// A snapshot of a ``KeyValueStorage``.
public class KeyValueStorageReader<Transaction: KeyValueReader>: StorageReader {
  /// A cursor over rows.
  public typealias Cursor = KeyValueStorageCursor<Transaction>

  let transaction: Transaction
  let session: KeyValueSession
  let pool: any SessionPool
  let entryForm: IndexEntry
  /// The catalog as of this snapshot; inside a writer, with its own changes.
  @exclusivity(unchecked) public internal(set) var catalog: Catalog
  /// The tables that this transaction has created, by collection id.
  @exclusivity(unchecked) var created: [Int: CollectionTables] = [:]
  /// Counts changes, so that cursors from before one refuse to go on.
  @exclusivity(unchecked) var changes = 0
  @exclusivity(unchecked) private(set) var isOpen = true
  /// The open cursors, not retained; as bare pointers, whose array is of one type for all engines.
  @exclusivity(unchecked) private var cursors: [UnsafeMutableRawPointer] = []

  init(
    _ transaction: Transaction,
    _ session: KeyValueSession,
    _ pool: any SessionPool,
    keyLimit: Int
  ) {
    self.transaction = transaction
    self.session = session
    self.pool = pool
    entryForm = IndexEntry(limit: keyLimit)
    catalog = session.schema.catalog
  }

  deinit { end() }

  /// The record with that key, or nil.
  ///
  /// - Returns: the fields, borrowed until the next call on this reader.
  /// - Throws: ``StorageError/Code/corrupt`` if it is damaged; what the engine throws.
  public final func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView?
  {
    let prepared = try prepare(collection)
    try encode(key, prepared)
    guard let value = try transaction.get(session.key.bytes, in: prepared.tables.rows) else {
      return nil
    }
    return try prepared.decode(value)
  }

  /// The largest automatic key that the collection has given out or taken, 0 if none.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if the stored one is damaged.
  public final func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    let prepared = try prepare(collection)
    if let last = prepared.lastAutomaticKey { return last }
    encodeSequenceKey(prepared)
    guard
      let stored = try transaction.get(session.longKey.bytes, in: session.schema.sequenceTable)
    else { return 0 }
    guard let last = CBOR.integer(stored) else {
      throw StorageError(
        .corrupt,
        "the automatic key of \(prepared.collection.name) is damaged; restore a backup"
      )
    }
    return last
  }

  final func encodeSequenceKey(_ prepared: PreparedCollection) {
    session.longKey.removeAll()
    KeyCoding.append(integer: Int64(prepared.collection.id), to: session.longKey)
  }

  /// Opens a cursor over the primary key or an index.
  public final func scan(_ scan: Scan) throws(StorageError) -> Cursor {
    let prepared = try prepare(scan.collection)
    try prepareToScan()
    var table = prepared.tables.rows
    if let index = scan.index {
      guard prepared.tables.indexes.indices.contains(index) else {
        throw StorageError(
          .invalidQuery,
          "collection \(scan.collection.name) has no index at position \(index)"
        )
      }
      table = prepared.tables.indexes[index]
    }
    let cursor = Cursor(self, prepared, try transaction.openCursor(in: table), scan)
    cursors.append(Unmanaged.passUnretained(cursor).toOpaque())
    return cursor
  }

  /// Gives the engine what a scan has to see.
  func prepareToScan() throws(StorageError) {}

  /// Computes a plain count of everything without a scan; leaves the rest to the core.
  public final func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    guard case .all = aggregate.filter, aggregate.groupBy.isEmpty, !aggregate.functions.isEmpty,
      aggregate.functions.allSatisfy({ $0 == .count })
    else { return nil }
    let prepared = try prepare(aggregate.collection)
    let count = try transaction.count(in: prepared.tables.rows)
    return [aggregate.functions.map { _ in .integer(Int64(count)) }]
  }

  /// Lends the engine's handles.
  ///
  /// - Throws: ``StorageError/Code/unsupported``; what the engine throws.
  public func lendNative() throws(StorageError) -> Any {
    guard isOpen else { throw Self.closedError }
    return try transaction.lendNative()
  }

  /// Takes the engine's handles back.
  public func takeBackNative() throws(StorageError) { try transaction.takeBackNative() }

  /// Ends the snapshot.
  ///
  /// Idempotent.
  public func end() {
    guard isOpen else { return }
    closeCursors()
    transaction.end()
    close()
  }

  // MARK: For the writer and the cursors

  /// Ends the use of the session, once the engine's transaction has ended.
  final func close() {
    isOpen = false
    changes += 1
    session.forgetAutomaticKeys()
    if created.isEmpty, catalog.schemaVersion == session.schema.catalog.schemaVersion {
      pool.give(session)
    }
  }

  @inline(__always)
  final func prepare(_ collection: Collection) throws(StorageError) -> BoundCollection {
    guard isOpen else { throw Self.closedError }
    if let recent = session.recent(collection) { return recent }
    return try session.prepare(collection, catalog: catalog, created: created)
  }

  /// Encodes a key given alone into the session's buffer.
  final func encode(_ key: RowView, _ prepared: PreparedCollection) throws(StorageError) {
    guard key.count == prepared.keyPositions.count else {
      throw StorageError(
        .typeMismatch,
        "the key of \(prepared.collection.name) has \(prepared.keyPositions.count) parts, "
          + "not \(key.count)"
      )
    }
    session.key.removeAll()
    for index in 0..<key.count { KeyCoding.append(key.slots[index], to: session.key) }
  }

  final func closeCursors() {
    while let cursor = cursors.last {
      Unmanaged<Cursor>.fromOpaque(cursor).takeUnretainedValue().close()
    }
  }

  final func forget(_ cursor: Cursor) {
    let unmanaged = Unmanaged.passUnretained(cursor).toOpaque()
    if let position = cursors.lastIndex(of: unmanaged) {
      cursors.remove(at: position)
    }
  }

  static var closedError: StorageError {
    StorageError(.transactionClosed, "the transaction has ended; begin another one")
  }
}
