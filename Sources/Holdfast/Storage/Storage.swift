/// A storage backend: what an engine implements, for authors of backends.
///
/// Applications hold a ``Store`` instead, which adds validation, waiting and error handling to any
/// `Storage`. Every rule of `docs/Semantics.md` is mandatory; the conformance suite checks each.
/// Methods throw only ``StorageError`` and take no closures. A storage may be used from any thread;
/// a reader or writer stays on the thread that began it.
public protocol Storage: Sendable {
  /// A snapshot; see ``StorageReader``.
  associatedtype Reader: StorageReader
  /// A write transaction; see ``StorageWriter``.
  associatedtype Writer: StorageWriter

  /// What the engine offers beyond what is mandatory, and its quantities.
  var capabilities: Capabilities { get }

  /// Whether opening created the store, rather than finding it.
  var wasCreated: Bool { get }

  /// Begins a snapshot, pinned at this moment.
  ///
  /// - Parameter timeout: how long to wait for a free reader, before ``StorageError/Code/busy``.
  /// - Returns: the open snapshot; end it with ``StorageReader/end()``.
  /// - Throws: ``StorageError/Code/busy``; what the engine reports.
  func beginReading(timeout: Duration) throws(StorageError) -> Reader

  /// Begins the one write transaction.
  ///
  /// `Store` calls this from one thread at a time; other processes may hold the store's own lock.
  /// - Parameter timeout: how long to wait for that lock, before ``StorageError/Code/busy``.
  /// - Returns: the open transaction; commit it, or end it to roll back.
  /// - Throws: ``StorageError/Code/busy``; what the engine reports.
  func beginWriting(timeout: Duration) throws(StorageError) -> Writer

  /// Closes the store. Called once, when no reader or writer is open.
  func close() throws(StorageError)
}

/// A snapshot of a store, from the moment it began: catalog, one-shot gets, ordered scans.
///
/// Not Sendable. Rows that it hands out are valid until its next call or ``end()``.
public protocol StorageReader: AnyObject {
  /// An ordered cursor over rows.
  associatedtype Cursor: StorageCursor

  /// The catalog as of this snapshot; inside a writer, with its own changes.
  var catalog: Catalog { get }

  /// The record with that key, or nil.
  ///
  /// Parameter `key`: the key's fields, in key order; kinds already checked.
  ///
  /// - Returns: all fields, in field order, valid until the next call on this reader.
  /// - Throws: ``StorageError/Code/corrupt``, ``StorageError/Code/ioError``.
  func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView?

  /// Opens an ordered cursor over the primary key or an index.
  func scan(_ scan: Scan) throws(StorageError) -> Cursor

  /// Runs a query natively as far as the engine can; nil (the default) leaves it to the core.
  ///
  /// An engine that leaves the filter or the order unhandled must not handle the limit.
  func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Cursor>?

  /// Computes aggregates natively; nil (the default) leaves them to the core.
  ///
  /// - Returns: one row a group: the group's values, then one value for each aggregate; groups in
  ///   ascending order of their values. Without grouping exactly one row.
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]?

  /// Ends the snapshot and lets its resources go. For a writer: rolls back if not committed.
  func end()
}

extension StorageReader {
  /// Leaves the query to the core's planner and evaluator.
  public func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Cursor>? { nil }
  /// Leaves the aggregates to the core.
  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? { nil }
}

/// A cursor over rows, in order.
///
/// The core closes every cursor before its transaction ends, before the savepoint in which it was
/// opened ends, and before it writes again: after a write it opens a fresh cursor just behind the
/// last row. So an engine never steps a cursor over state that changed beneath it.
public protocol StorageCursor: AnyObject {
  /// Moves to the next row.
  ///
  /// - Returns: all fields in field order, valid until the next call on this cursor; nil at the end.
  func next() throws(StorageError) -> RowView?

  /// Lets the cursor's resources go; further calls of ``next()`` throw. Idempotent.
  func close()
}

/// A write transaction: a reader that sees its own writes, with writes and savepoints.
///
/// `Store` has validated every row: kinds, nulls, key length. A violated constraint has no effect
/// and the transaction goes on; after any other failure `Store` only rolls back.
public protocol StorageWriter: StorageReader {
  /// Adds a record.
  ///
  /// Parameter `row`: all fields; a null in the automatic key's field asks for a fresh key.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: ``StorageError/Code/duplicateKey``; ``StorageError/Code/uniqueViolation`` naming the
  ///   first violated index in declared order; ``StorageError/Code/overflow`` if no key is left.
  func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64?

  /// Replaces the record with the row's key.
  ///
  /// - Returns: false if there is none.
  /// - Throws: ``StorageError/Code/uniqueViolation``.
  func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool

  /// Inserts, or replaces the record with the row's key; never removes another record.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: ``StorageError/Code/uniqueViolation``.
  func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64?

  /// Removes a record.
  ///
  /// Parameter `key`: the key's fields, in key order.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StorageError/Code/storageFull``, ``StorageError/Code/ioError``.
  func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool

  /// Removes all records of one collection, and of no other.
  ///
  /// - Returns: how many there were.
  func deleteAll(in collection: Collection) throws(StorageError) -> Int

  /// Creates a collection with its indexes.
  func createCollection(_ definition: CollectionDefinition) throws(StorageError) -> Collection

  /// Opens a savepoint inside the innermost one.
  func beginSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and keeps its changes; closes the cursors opened in it.
  func releaseSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and undoes its changes; closes the cursors opened in it.
  func rollbackSavepoint() throws(StorageError)

  /// Makes the changes durable, as the store's durability says, and ends the transaction.
  func commit() throws(StorageError)
}

/// What a backend offers beyond what is mandatory, and its quantities.
///
/// What is declared is tested; what is not declared is tested to throw
/// ``StorageError/Code/unsupported``.
public struct Capabilities: Sendable {
  /// The backend's name, as in storage URLs.
  public var backend: String
  /// The engine and its version, for people.
  public var engine: String
  /// The largest text or blob, in bytes.
  public var maximumValueSize: Int
  /// Whether several processes may write in turn.
  public var sharesBetweenProcesses: Bool
  /// Whether records survive closing.
  public var isPersistent: Bool

  /// Creates capabilities.
  public init(
    backend: String,
    engine: String,
    maximumValueSize: Int,
    sharesBetweenProcesses: Bool,
    isPersistent: Bool
  ) {
    self.backend = backend
    self.engine = engine
    self.maximumValueSize = maximumValueSize
    self.sharesBetweenProcesses = sharesBetweenProcesses
    self.isPersistent = isPersistent
  }
}
