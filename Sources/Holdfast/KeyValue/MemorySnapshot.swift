/// A snapshot of a ``MemoryEngine``.
public class MemorySnapshot: KeyValueReader {
  /// A cursor over one table.
  public typealias Cursor = MemoryCursor

  final var content: MemoryEngine.Content
  /// Counts changes: what a cursor remembers of the tree is good for one count only.
  final var changes = 0
  final private(set) var isOpen = true

  init(_ content: MemoryEngine.Content) { self.content = content }

  /// The value of a key, or nil.
  public final func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    guard isOpen else { throw Self.closedError }
    return content.trees[table.number].get(key)
  }

  /// The number of entries.
  ///
  /// O(1).
  public final func count(in table: KeyValueTable) throws(StorageError) -> Int {
    guard isOpen else { throw Self.closedError }
    return content.trees[table.number].count
  }

  /// Opens a cursor, positioned nowhere.
  public final func openCursor(in table: KeyValueTable) throws(StorageError) -> MemoryCursor {
    guard isOpen else { throw Self.closedError }
    return MemoryCursor(self, table)
  }

  /// Ends the snapshot.
  ///
  /// Idempotent.
  public func end() {
    guard isOpen else { return }
    isOpen = false
    changes += 1
    content = MemoryEngine.Content()
  }

  static var closedError: StorageError {
    StorageError(
      .transactionClosed,
      "the transaction has ended; begin another one",
      backend: "memory"
    )
  }
}

/// The write transaction of a ``MemoryEngine``.
public final class MemoryTransaction: MemorySnapshot, KeyValueWriter {
  private let engine: MemoryEngine
  /// What the open nested transactions go back to, innermost last.
  private var saved: [MemoryEngine.Content] = []

  init(_ engine: MemoryEngine, _ content: MemoryEngine.Content) {
    self.engine = engine
    super.init(content)
  }

  deinit { end() }

  /// Sets the value of a key.
  public func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) {
    try prepareToChange()
    content.trees[table.number].put(key, value)
  }

  /// Sets the value of a key that is not there yet.
  public func insert(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool {
    try prepareToChange()
    return !content.trees[table.number].put(key, value, replaces: false)
  }

  /// Removes a key.
  public func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> Bool
  {
    try prepareToChange()
    return content.trees[table.number].remove(key)
  }

  /// Removes all entries of a table.
  ///
  /// O(1), but for letting their memory go.
  public func clear(_ table: KeyValueTable) throws(StorageError) {
    try prepareToChange()
    content.trees[table.number] = MemoryTree()
  }

  /// Creates a table, or opens the one of that name.
  public func createTable(_ name: String) throws(StorageError) -> KeyValueTable {
    try prepareToChange()
    if let number = content.numbers[name] { return KeyValueTable(number: number) }
    let number: Int
    if let free = content.free.popLast() {
      number = free
    } else {
      number = content.trees.count
      content.trees.append(MemoryTree())
    }
    content.numbers[name] = number
    return KeyValueTable(number: number)
  }

  /// Removes a table with its entries.
  ///
  /// Snapshots from before keep it; its number may go to another table.
  public func dropTable(_ table: KeyValueTable) throws(StorageError) {
    try clear(table)
    guard let name = content.numbers.first(where: { $0.value == table.number })?.key else { return }
    content.numbers[name] = nil
    content.free.append(table.number)
  }

  /// Begins a nested transaction.
  ///
  /// O(1).
  public func beginNested() throws(StorageError) {
    try prepareToChange()
    saved.append(content)
  }

  /// Ends the innermost nested transaction and keeps its changes.
  public func commitNested() throws(StorageError) {
    try prepareToChange()
    guard saved.popLast() != nil else { throw Self.closedError }
  }

  /// Ends the innermost nested transaction and undoes its changes.
  public func rollbackNested() throws(StorageError) {
    try prepareToChange()
    guard let content = saved.popLast() else { throw Self.closedError }
    self.content = content
  }

  /// Makes the changes visible to transactions that begin later, and ends this one.
  public func commit() throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    engine.commit(content)
    end()
  }

  /// Ends the transaction; what was not committed is gone.
  ///
  /// Idempotent.
  public override func end() {
    guard isOpen else { return }
    super.end()
    saved.removeAll()
    engine.leave()
  }

  private func prepareToChange() throws(StorageError) {
    guard isOpen else { throw Self.closedError }
    changes += 1
  }
}
