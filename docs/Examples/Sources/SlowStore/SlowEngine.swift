import Holdfast
import Synchronization

/// A key or a value, in memory that stays where it is.
final class Bytes: @unchecked Sendable {  // never changed once made
  let buffer: UnsafeRawBufferPointer

  init(_ source: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
    copy.copyMemory(from: source)
    buffer = UnsafeRawBufferPointer(copy)
  }

  deinit { buffer.deallocate() }
}

/// The tables of one moment: for each a sorted array of entries.
struct Tables: Sendable {
  var numbers: [String: Int] = [:]
  var entries: [[(key: Bytes, value: Bytes)]] = []

  /// The place of the first entry whose key is not before `key`, and whether it has that key.
  func find(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) -> (index: Int, isKey: Bool) {
    let entries = entries[table.number]
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.buffer.lexicographicallyPrecedes(key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < entries.count && entries[low].key.buffer.elementsEqual(key))
  }
}

public final class SlowEngine: OrderedKeyValueEngine {
  public let maximumKeyLength = 1 << 20
  public let capabilities = Capabilities(
    backend: "slow",
    engine: "sorted arrays",
    maximumValueSize: 1 << 30,
    sharesBetweenProcesses: false,
    isPersistent: false
  )
  private let tables: Mutex<Tables>
  private let save: @Sendable (Tables) -> Void

  /// An engine that begins with some tables, and says what they are after each commit.
  init(_ tables: Tables = Tables(), save: @escaping @Sendable (Tables) -> Void = { _ in }) {
    self.tables = Mutex(tables)
    self.save = save
  }

  public func beginReading(timeout: Duration) throws(StorageError) -> SlowReader {
    SlowReader(tables.withLock { $0 })
  }

  /// `Store` lets one writer in at a time; an engine that other processes share waits here.
  public func beginWriting(timeout: Duration) throws(StorageError) -> SlowWriter {
    SlowWriter(self, tables.withLock { $0 })
  }

  public func openTable(_ name: String) throws(StorageError) -> KeyValueTable? {
    tables.withLock { $0.numbers[name] }.map { KeyValueTable(number: $0) }
  }

  public func close() throws(StorageError) {}

  func commit(_ changed: Tables) {
    tables.withLock { $0 = changed }
    save(changed)
  }
}

public class SlowReader: KeyValueReader {
  var tables: Tables

  init(_ tables: Tables) { self.tables = tables }

  public func get(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> UnsafeRawBufferPointer?
  {
    let (index, isKey) = tables.find(key, in: table)
    return isKey ? tables.entries[table.number][index].value.buffer : nil
  }

  public func openCursor(in table: KeyValueTable) throws(StorageError) -> SlowCursor {
    SlowCursor(self, table)
  }

  public func end() {}
}

public final class SlowWriter: SlowReader, KeyValueWriter {
  private let engine: SlowEngine
  private var saved: [Tables] = []

  init(_ engine: SlowEngine, _ tables: Tables) {
    self.engine = engine
    super.init(tables)
  }

  public func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    in table: KeyValueTable
  ) throws(StorageError) {
    let (index, isKey) = tables.find(key, in: table)
    if isKey {
      tables.entries[table.number][index].value = Bytes(value)
    } else {
      tables.entries[table.number].insert((Bytes(key), Bytes(value)), at: index)
    }
  }

  public func delete(_ key: UnsafeRawBufferPointer, in table: KeyValueTable) throws(StorageError)
    -> Bool
  {
    let (index, isKey) = tables.find(key, in: table)
    if isKey { tables.entries[table.number].remove(at: index) }
    return isKey
  }

  public func clear(_ table: KeyValueTable) throws(StorageError) {
    tables.entries[table.number] = []
  }

  public func createTable(_ name: String) throws(StorageError) -> KeyValueTable {
    if let number = tables.numbers[name] { return KeyValueTable(number: number) }
    tables.numbers[name] = tables.entries.count
    tables.entries.append([])
    return KeyValueTable(number: tables.entries.count - 1)
  }

  public func beginNested() throws(StorageError) { saved.append(tables) }

  public func commitNested() throws(StorageError) { saved.removeLast() }

  public func rollbackNested() throws(StorageError) { tables = saved.removeLast() }

  public func commit() throws(StorageError) { engine.commit(tables) }
}

public final class SlowCursor: KeyValueCursor {
  private let reader: SlowReader
  private let table: KeyValueTable
  private var index = -1

  init(_ reader: SlowReader, _ table: KeyValueTable) {
    self.reader = reader
    self.table = table
  }

  private var entries: [(key: Bytes, value: Bytes)] { reader.tables.entries[table.number] }

  private func move(to index: Int) -> Bool {
    self.index = index
    return entries.indices.contains(index)
  }

  public func first() throws(StorageError) -> Bool { move(to: 0) }
  public func last() throws(StorageError) -> Bool { move(to: entries.count - 1) }
  public func next() throws(StorageError) -> Bool { move(to: index + 1) }
  public func previous() throws(StorageError) -> Bool { move(to: index - 1) }
  public func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    move(to: reader.tables.find(key, in: table).index)
  }
  public var key: UnsafeRawBufferPointer { entries[index].key.buffer }
  public var value: UnsafeRawBufferPointer { entries[index].value.buffer }
  public func close() {}
}
