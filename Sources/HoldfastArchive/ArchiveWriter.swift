import Foundation
public import Holdfast

/// The write transaction of an ``ArchiveStorage``: the rows' own writer, with a record of every
/// change for the journal.
public final class ArchiveWriter: StorageWriter {
  /// A cursor over rows.
  public typealias Cursor = KeyValueStorage<MemoryEngine>.Writer.Cursor

  let storage: ArchiveStorage
  let memory: KeyValueStorage<MemoryEngine>.Writer
  // One thread at a time uses a transaction, a call after the other.
  @exclusivity(unchecked) private(set) var state: ArchiveState
  @exclusivity(unchecked) private var isOpen = true

  /// The changes so far, as lines of the journal.
  private let lines: ChangeLines
  /// The collections that they are of: there are few.
  @exclusivity(unchecked) private var touched: [Int] = []
  private var hasSchemaChanges = false
  private var savepoints: [Savepoint] = []

  /// What a savepoint goes back to.
  private struct Savepoint {
    /// How many bytes of changes there were.
    var length: Int
    /// How many collections they were of.
    var touchedCount: Int
  }

  init(
    _ storage: ArchiveStorage,
    _ memory: KeyValueStorage<MemoryEngine>.Writer,
    _ state: consuming ArchiveState
  ) {
    self.storage = storage
    self.memory = memory
    self.state = state
    lines = storage.takeLines()
  }

  // MARK: Reading

  /// The catalog, with this transaction's own changes.
  public var catalog: Catalog { memory.catalog }

  /// The record with that key, or nil.
  ///
  /// - Returns: all fields, valid until the next call.
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    try memory.get(key, in: collection)
  }

  /// Opens an ordered cursor.
  ///
  /// - Returns: the cursor, before its first row.
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func scan(_ scan: Scan) throws(StorageError) -> Cursor { try memory.scan(scan) }

  /// The largest automatic key that a collection has given out or taken; 0 if none.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    try memory.lastAutomaticKey(of: collection)
  }

  /// Leaves to the rows' own writer what it can answer.
  ///
  /// - Returns: nil if the core has to run the query.
  /// - Throws: what the rows' writer throws.
  public func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Cursor>? {
    try memory.query(query)
  }

  /// Leaves to the rows' own writer what it can compute.
  ///
  /// - Returns: nil if the core has to compute the figures.
  /// - Throws: what the rows' writer throws.
  public func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    try memory.aggregate(aggregate)
  }

  // MARK: Writing

  /// Adds a record.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: `StorageError.Code.duplicateKey`, `StorageError.Code.uniqueViolation`,
  ///   `StorageError.Code.overflow`.
  public func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    let key = try memory.insert(row, into: collection)
    try recordPut(row, key, collection)
    return key
  }

  /// Replaces the record with the row's key.
  ///
  /// - Returns: false if there is none.
  /// - Throws: `StorageError.Code.uniqueViolation`.
  public func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    guard try memory.update(row, in: collection) else { return false }
    try recordPut(row, nil, collection)
    return true
  }

  /// Inserts, or replaces the record with the row's key.
  ///
  /// - Returns: the automatic key, if the collection has one.
  /// - Throws: `StorageError.Code.uniqueViolation`.
  public func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    let key = try memory.put(row, in: collection)
    try recordPut(row, key, collection)
    return key
  }

  /// Removes a record.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    guard try memory.delete(key, from: collection) else { return false }
    try lines.appendDelete(key, collection)
    touch(collection.id)
    return true
  }

  /// Removes all records of one collection.
  ///
  /// - Returns: how many there were.
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    let count = try memory.deleteAll(in: collection)
    if count > 0 { record("{\"clear\":\(collection.id)}", of: collection.id) }
    return count
  }

  // MARK: Lines of changes

  /// Notes a change that is no row's.
  func record(_ line: String, of id: Int?) {
    lines.append(line)
    if let id { touch(id) }
  }

  /// Notes a change of the catalog.
  func recordSchema(_ line: String, of id: Int?) {
    record(line, of: id)
    hasSchemaChanges = true
  }

  private func recordPut(
    _ row: RowView,
    _ automaticKey: Int64?,
    _ collection: Collection
  ) throws(StorageError) {
    try lines.appendPut(row, automaticKey, collection)
    touch(collection.id)
  }

  @inline(__always)
  private func touch(_ id: Int) {
    if !touched.contains(id) { touched.append(id) }
  }

  // MARK: Savepoints and the end

  /// Opens a savepoint inside the innermost one.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func beginSavepoint() throws(StorageError) {
    try memory.beginSavepoint()
    savepoints.append(Savepoint(length: lines.writer.bytes.count, touchedCount: touched.count))
  }

  /// Ends the innermost savepoint and keeps its changes.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func releaseSavepoint() throws(StorageError) {
    try memory.releaseSavepoint()
    _ = savepoints.popLast()
  }

  /// Ends the innermost savepoint and undoes its changes.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func rollbackSavepoint() throws(StorageError) {
    try memory.rollbackSavepoint()
    guard let savepoint = savepoints.popLast() else { return }
    lines.writer.bytes.removeLast(lines.writer.bytes.count - savepoint.length)
    touched.removeLast(touched.count - savepoint.touchedCount)
  }

  /// Appends the changes to the journal, durable as the options say, and ends the transaction.
  ///
  /// - Throws: `StorageError.Code.conflict` if a file that it touches was edited by hand;
  ///   `StorageError.Code.storageFull`, `StorageError.Code.ioError`, after which the storage
  ///   takes no more writes.
  public func commit() throws(StorageError) {
    guard isOpen else {
      throw StorageError(.transactionClosed, "the transaction has ended; begin another one")
    }
    var committed: ArchiveState?
    defer { end(committed) }
    guard !lines.writer.bytes.isEmpty else { return }
    var next = state
    for id in touched { try storage.checkUnedited(id, &next) }
    if hasSchemaChanges {
      next.follow(memory.catalog)
      for id in touched { try storage.checkUnedited(id, &next) }
    }
    for id in touched { next.noteChange(of: id) }
    next.sequence += 1
    JournalLine.appendCommit(
      next.sequence,
      from: next.journal.end,
      synced: next.journal.synced,
      to: &lines.writer
    )
    do throws(StorageError) {
      try storage.append(lines.writer.bytes, &next, isDurable: storage.options.durability == .full)
      try memory.commit()
    } catch {
      storage.recordFailure(error)
      // So that others do not take for committed what was reported as failed; the storage is closed
      // to writes whether or not this succeeds.
      _ = Result { () throws(StorageError) in
        try storage.files.truncate(
          try state.journal.descriptor(),
          to: state.journal.end,
          path: storage.folder.journal
        )
      }
      throw error
    }
    committed = consume next
  }

  /// Ends the transaction; rolls back what was not committed.
  ///
  /// Idempotent.
  public func end() { end(nil) }

  private func end(_ committed: consuming ArchiveState?) {
    guard isOpen else { return }
    isOpen = false
    memory.end()
    storage.giveBack(lines, committed: committed)
    state.journal.file = nil
  }

  deinit { end() }
}
