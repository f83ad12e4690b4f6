import Holdfast

/// An engine in memory with one thing wrong beneath rows and indexes.
final class MutantEngine: OrderedKeyValueEngine {
  private let base: MemoryEngine
  private let mutation: Mutation?

  init(_ base: MemoryEngine, _ mutation: Mutation?) {
    self.base = base
    self.mutation = mutation
  }

  var maximumKeyLength: Int { base.maximumKeyLength }
  var capabilities: Capabilities { base.capabilities }

  func beginReading(timeout: Duration) throws(StorageError) -> MemorySnapshot {
    try base.beginReading(timeout: timeout)
  }

  func beginWriting(timeout: Duration) throws(StorageError) -> MutantEngineWriter {
    MutantEngineWriter(try base.beginWriting(timeout: timeout), mutation)
  }

  func openTable(_ name: String) throws(StorageError) -> KeyValueTable? {
    try base.openTable(name)
  }

  func takeExternalChange() throws(StorageError) -> Bool { try base.takeExternalChange() }
  func backup(to path: String, timeout: Duration) throws(StorageError) {
    try base.backup(to: path, timeout: timeout)
  }
  func compact(timeout: Duration) throws(StorageError) { try base.compact(timeout: timeout) }
  func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    try base.verify(timeout: timeout)
  }
  func suspend() throws(StorageError) { try base.suspend() }
  func resume() throws(StorageError) { try base.resume() }
  func close() throws(StorageError) { try base.close() }
}

/// A write transaction with one thing wrong beneath rows and indexes.
final class MutantEngineWriter: KeyValueWriter {
  private let base: MemoryTransaction
  private let mutation: Mutation?

  init(_ base: MemoryTransaction, _ mutation: Mutation?) {
    self.base = base
    self.mutation = mutation
  }

  func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    try base.get(key, in: table)
  }

  func count(in table: KeyValueTable) throws(StorageError) -> Int { try base.count(in: table) }

  func openCursor(in table: KeyValueTable) throws(StorageError) -> MemoryCursor {
    try base.openCursor(in: table)
  }

  func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) {
    try base.put(key, value, in: table)
  }

  func insert(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool {
    try base.insert(key, value, in: table)
  }

  func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError) -> Bool {
    if mutation == .indexStaleAfterUpdate, try isIndexEntry(key, in: table) { return true }
    return try base.delete(key, in: table)
  }

  /// Whether the key is of an index: entries of an index have no value of their own.
  private func isIndexEntry(
    _ key: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) -> Bool {
    try base.get(key, in: table)?.isEmpty ?? false
  }

  func clear(_ table: KeyValueTable) throws(StorageError) { try base.clear(table) }
  func createTable(_ name: String) throws(StorageError) -> KeyValueTable {
    try base.createTable(name)
  }
  func dropTable(_ table: KeyValueTable) throws(StorageError) { try base.dropTable(table) }
  func beginNested() throws(StorageError) { try base.beginNested() }
  func commitNested() throws(StorageError) { try base.commitNested() }
  func rollbackNested() throws(StorageError) { try base.rollbackNested() }
  func commit() throws(StorageError) { try base.commit() }
  func end() { base.end() }
}
