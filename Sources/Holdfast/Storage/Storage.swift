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

  /// Whether a commit that was not made through this storage has come since this was last asked.
  ///
  /// `Store` asks at most ten times a second, while no writer of this storage is open, and only
  /// while somebody observes changes. The default says no; a backend that declares
  /// ``Capabilities/noticesExternalChanges`` answers from a counter of its engine.
  func takeExternalChange() throws(StorageError) -> Bool

  /// Copies one snapshot of the store to a path where nothing is yet, while others read and write.
  ///
  /// The copy is complete and durable when this returns, with the permissions of the original; after
  /// a failure nothing is left there. The default is for backends that do not declare
  /// ``Capabilities/backsUpOnline``.
  /// - Throws: ``StorageError/Code/unsupported``; ``StorageError/Code/alreadyExists``; what the
  ///   engine reports.
  func backup(to path: String, timeout: Duration) throws(StorageError)

  /// Gives space that nothing uses back to the system. The default has nothing to give back.
  ///
  /// `Store` calls this with no writer open in this process.
  func compact(timeout: Duration) throws(StorageError)

  /// What the engine itself finds wrong with the store: pages, checksums, indexes against rows.
  ///
  /// The core checks rows, orders and references. The default finds nothing.
  /// - Returns: one line a fault, and notes of what is no fault (a file edited by hand).
  /// - Throws: ``StorageError/Code/busy``; what keeps the engine from looking at all.
  func verify(timeout: Duration) throws(StorageError) -> [Finding]

  /// Lets locks and files go until ``resume()``. Called when no reader or writer is open. The
  /// default, for engines that hold nothing between transactions, does nothing.
  func suspend() throws(StorageError)

  /// Takes up what ``suspend()`` let go; as opening, it refuses what is damaged or newer.
  func resume() throws(StorageError)

  /// Closes the store. Called once, when no reader or writer is open.
  func close() throws(StorageError)
}

extension Storage {
  /// Sees no commits but its own.
  public func takeExternalChange() throws(StorageError) -> Bool { false }
  /// Offers no backup.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    throw .hasNoBackup(capabilities.backend)
  }
  /// Has nothing to give back.
  public func compact(timeout: Duration) throws(StorageError) {}
  /// Leaves all checks to the core.
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] { [] }
  /// Holds nothing to let go.
  public func suspend() throws(StorageError) {}
  /// Has nothing to take up.
  public func resume() throws(StorageError) {}
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

  /// The largest automatic key that a collection has given out or taken; 0 if none.
  func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64

  /// Runs a query natively as far as the engine can; nil (the default) leaves it to the core.
  ///
  /// An engine that leaves the filter or the order unhandled must not handle the limit.
  func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Cursor>?

  /// Computes aggregates natively; nil (the default) leaves them to the core.
  ///
  /// - Returns: one row a group: the group's values, then one value for each aggregate; groups in
  ///   ascending order of their values. Without grouping exactly one row.
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]?

  /// How the engine would run a query, in its own words, a line a step.
  ///
  /// The default is for backends that do not declare ``Capabilities/explainsNatively``.
  /// - Throws: ``StorageError/Code/unsupported``; what the engine reports.
  func nativePlan(of query: BoundQuery) throws(StorageError) -> [String]

  /// Ends what the engine runs for this reader, which then throws any error; nil, the default, for
  /// engines whose every call is short.
  ///
  /// Called from any thread, while the reader is open.
  var interruption: (@Sendable () -> Void)? { get }

  /// Lends the engine's own handles on this transaction, until ``takeBackNative()``.
  ///
  /// In a writer the core has opened a savepoint around this. The default is for backends that do not
  /// declare ``Capabilities/lendsNativeHandles``.
  /// - Returns: an object of a public type of the backend's, whose properties throw
  ///   ``StorageError/Code/transactionClosed`` once it was taken back.
  /// - Throws: ``StorageError/Code/unsupported``; ``StorageError/Code/nestedTransaction`` if it is lent
  ///   already.
  func lendNative() throws(StorageError) -> Any

  /// Takes the handles back, and forgets what their use may have made untrue.
  ///
  /// - Throws: ``StorageError/Code/transactionFailed`` if the transaction was ended with them.
  func takeBackNative() throws(StorageError)

  /// Ends the snapshot and lets its resources go. For a writer: rolls back if not committed.
  func end()
}

extension StorageReader {
  /// Leaves the query to the core's planner and evaluator.
  public func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Cursor>? { nil }
  /// Leaves the aggregates to the core.
  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? { nil }
  /// Has no plan of its own to show.
  public func nativePlan(of query: BoundQuery) throws(StorageError) -> [String] {
    throw StorageError(
      .unsupported,
      "the backend has no plan of its own to show; leave the native plan out"
    )
  }
  /// Lends nothing.
  public func lendNative() throws(StorageError) -> Any { throw .hasNoNativeHandles }
  /// Has lent nothing.
  public func takeBackNative() throws(StorageError) {}
  /// Has nothing long to end.
  public var interruption: (@Sendable () -> Void)? { nil }
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
  ///
  /// References are the core's to enforce; a backend keeps them in its catalog.
  /// - Returns: the collection, as ``Catalog/add(_:physicalName:)`` makes it.
  func createCollection(_ definition: CollectionDefinition) throws(StorageError) -> Collection

  /// Removes a collection with its records and indexes. Its id is never used again.
  func dropCollection(_ collection: Collection) throws(StorageError)

  /// Gives a collection another definition: another name, fields, indexes, references or defaults.
  ///
  /// Parameter `change`: how each row changes, or nil if rows keep their shape (as many fields, of
  /// the same types, in the same order) and only names, nulls allowed, defaults, indexes or
  /// references differ. Fields of the key never change their type. The automatic counter stays.
  ///
  /// The core has opened a savepoint around this, and rolls it back if this throws.
  /// - Returns: the collection, as ``Catalog/redefine(_:as:rows:physicalName:)`` makes it.
  /// - Throws: ``StorageError/Code/uniqueViolation`` if a new unique index finds equal values; what
  ///   ``RowChange/apply(_:)`` throws.
  func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection

  /// Whether an index over records that are there is made faster than entry by entry as they come; a
  /// copy of a store then adds indexes last. The default is no.
  var makesIndexesFasterLast: Bool { get }

  /// Sets the largest automatic key that a collection has given out: the next one is one more.
  func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError)

  /// Sets the names of the applied migrations in the catalog.
  func setMigrations(_ names: [String]) throws(StorageError)

  /// Opens a savepoint inside the innermost one.
  func beginSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and keeps its changes; closes the cursors opened in it.
  func releaseSavepoint() throws(StorageError)
  /// Ends the innermost savepoint and undoes its changes; closes the cursors opened in it.
  func rollbackSavepoint() throws(StorageError)

  /// Makes the changes durable, as the store's durability says, and ends the transaction.
  func commit() throws(StorageError)
}

extension StorageWriter {
  /// No.
  public var makesIndexesFasterLast: Bool { false }
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
  /// Whether commits of other processes are noticed, see ``Storage/takeExternalChange()``.
  public var noticesExternalChanges: Bool
  /// Whether a copy can be made while the store is in use, see ``Storage/backup(to:timeout:)``.
  public var backsUpOnline: Bool
  /// Whether the engine explains its plans, see ``StorageReader/nativePlan(of:)``.
  public var explainsNatively: Bool
  /// Whether transactions lend the engine's own handles, see ``ReadTransaction/withNative(_:_:)``.
  public var lendsNativeHandles: Bool

  /// Creates capabilities.
  public init(
    backend: String,
    engine: String,
    maximumValueSize: Int,
    sharesBetweenProcesses: Bool,
    isPersistent: Bool,
    noticesExternalChanges: Bool = false,
    backsUpOnline: Bool = false,
    explainsNatively: Bool = false,
    lendsNativeHandles: Bool = false
  ) {
    self.backend = backend
    self.engine = engine
    self.maximumValueSize = maximumValueSize
    self.sharesBetweenProcesses = sharesBetweenProcesses
    self.isPersistent = isPersistent
    self.noticesExternalChanges = noticesExternalChanges
    self.backsUpOnline = backsUpOnline
    self.explainsNatively = explainsNatively
    self.lendsNativeHandles = lendsNativeHandles
  }
}
