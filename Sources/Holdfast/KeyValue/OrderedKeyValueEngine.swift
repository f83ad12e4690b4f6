/// An opened table of an ordered key-value engine: a small number that names it in calls, valid for
/// the engine's lifetime.
///
/// One concrete type for all engines: the adapter over them then has no layout that depends on the
/// engine, and resolves nothing about it at run time.
@frozen public struct KeyValueTable: Sendable, Hashable {
  /// The engine's own number of the table.
  public let number: Int

  /// Creates the name of a table.
  @inlinable public init(number: Int) { self.number = number }
}

/// An ordered key-value engine: the little that ``KeyValueStorage`` needs to make a full ``Storage``.
///
/// Keys and values are bytes; keys are ordered as unsigned bytes, shorter first. An engine holds
/// named tables of entries, gives snapshots, and one write transaction at a time with nested ones.
public protocol OrderedKeyValueEngine: Sendable {
  /// A snapshot.
  associatedtype Reader: KeyValueReader
  /// A write transaction.
  associatedtype Writer: KeyValueWriter

  /// The longest key, in bytes; at least 511.
  var maximumKeyLength: Int { get }
  /// The engine's capabilities.
  var capabilities: Capabilities { get }

  /// Begins a snapshot, pinned at this moment.
  func beginReading(timeout: Duration) throws(StorageError) -> Reader
  /// Begins the one write transaction.
  func beginWriting(timeout: Duration) throws(StorageError) -> Writer
  /// Opens a table that a committed transaction created. Called under the adapter's own lock, and
  /// not while this thread holds a transaction of the engine.
  ///
  /// - Returns: nil if there is no table of that name.
  func openTable(_ name: String) throws(StorageError) -> KeyValueTable?
  /// See ``Storage/takeExternalChange()``. The default says no.
  func takeExternalChange() throws(StorageError) -> Bool
  /// See ``Storage/backup(to:timeout:)``. The default throws ``StorageError/Code/unsupported``.
  func backup(to path: String, timeout: Duration) throws(StorageError)
  /// See ``Storage/compact(timeout:)``. The default does nothing.
  func compact(timeout: Duration) throws(StorageError)
  /// What the engine finds wrong below its tables. The default finds nothing.
  func verify(timeout: Duration) throws(StorageError) -> [Finding]
  /// See ``Storage/suspend()``. The default does nothing. Tables stay valid until ``resume()``.
  func suspend() throws(StorageError)
  /// See ``Storage/resume()``. Tables that were open must be valid again.
  func resume() throws(StorageError)
  /// Closes the engine. Called once, when no transaction is open.
  func close() throws(StorageError)
}

extension OrderedKeyValueEngine {
  /// Sees no commits but its own.
  public func takeExternalChange() throws(StorageError) -> Bool { false }
  /// Offers no backup.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    throw .hasNoBackup(capabilities.backend)
  }
  /// Has nothing to give back.
  public func compact(timeout: Duration) throws(StorageError) {}
  /// Finds nothing wrong.
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] { [] }
  /// Holds nothing to let go.
  public func suspend() throws(StorageError) {}
  /// Has nothing to take up.
  public func resume() throws(StorageError) {}
}

/// A snapshot of an ordered key-value engine.
///
/// Not Sendable, and bound to its thread. Pointers that it hands out are valid until the
/// transaction's next write or its end.
public protocol KeyValueReader: AnyObject {
  /// A cursor over one table.
  associatedtype Cursor: KeyValueCursor

  /// The value of a key, or nil.
  func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  /// The number of entries of a table. The default walks them; an engine that counts overrides it.
  func count(in table: KeyValueTable) throws(StorageError) -> Int
  /// Opens a cursor, positioned nowhere.
  func openCursor(in table: KeyValueTable) throws(StorageError) -> Cursor
  /// See ``StorageReader/lendNative()``; a writer has a nested transaction open then. The default
  /// throws ``StorageError/Code/unsupported``.
  func lendNative() throws(StorageError) -> Any
  /// See ``StorageReader/takeBackNative()``. The default does nothing.
  func takeBackNative() throws(StorageError)
  /// Ends the snapshot; a writer that was not committed is rolled back. Idempotent.
  func end()
}

extension KeyValueReader {
  /// Lends nothing.
  public func lendNative() throws(StorageError) -> Any { throw .hasNoNativeHandles }
  /// Has lent nothing.
  public func takeBackNative() throws(StorageError) {}

  /// Counts by walking.
  ///
  /// O(n).
  public func count(in table: KeyValueTable) throws(StorageError) -> Int {
    let cursor = try openCursor(in: table)
    defer { cursor.close() }
    guard try cursor.first() else { return 0 }
    var count = 1
    while try cursor.next() { count += 1 }
    return count
  }
}

/// A write transaction of an ordered key-value engine.
public protocol KeyValueWriter: KeyValueReader {
  /// Sets the value of a key.
  func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError)
  /// Sets the value of a key that is not there yet. The default gets, then puts; an engine that does
  /// both at once overrides it.
  ///
  /// - Returns: false, having changed nothing, if the key was there.
  func insert(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool
  /// Removes a key.
  ///
  /// - Returns: whether it was there.
  func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError) -> Bool
  /// Removes all entries of a table.
  func clear(_ table: KeyValueTable) throws(StorageError)
  /// Creates a table, or opens the one of that name. It goes with the transaction, or with the nested one, if that rolls back.
  func createTable(_ name: String) throws(StorageError) -> KeyValueTable
  /// Removes a table with its entries. Its name is never used again. The default empties it.
  func dropTable(_ table: KeyValueTable) throws(StorageError)
  /// Begins a nested transaction inside the innermost one.
  func beginNested() throws(StorageError)
  /// Ends the innermost nested transaction and keeps its changes.
  func commitNested() throws(StorageError)
  /// Ends the innermost nested transaction and undoes its changes.
  func rollbackNested() throws(StorageError)
  /// Makes the changes durable and ends the transaction.
  func commit() throws(StorageError)
}

extension KeyValueWriter {
  /// Leaves an empty table behind.
  public func dropTable(_ table: KeyValueTable) throws(StorageError) { try clear(table) }

  /// Gets, then puts.
  public func insert(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool {
    if try get(key, in: table) != nil { return false }
    try put(key, value, in: table)
    return true
  }
}

/// A cursor of an ordered key-value engine.
///
/// Every move returns whether there is an entry. After any write in its transaction a cursor must be
/// positioned again with a seek before it is used; the adapter does so.
public protocol KeyValueCursor: AnyObject {
  /// Moves to the first entry.
  func first() throws(StorageError) -> Bool
  /// Moves to the last entry.
  func last() throws(StorageError) -> Bool
  /// Moves to the first entry whose key is not before `key`.
  func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool
  /// Moves to the next entry.
  func next() throws(StorageError) -> Bool
  /// Moves to the previous entry.
  func previous() throws(StorageError) -> Bool
  /// The current entry's key.
  var key: UnsafeRawBufferPointer { get }
  /// The current entry's value.
  var value: UnsafeRawBufferPointer { get }
  /// Lets the cursor's resources go. Idempotent; must happen before its transaction ends.
  func close()
}
