import Holdfast
import Synchronization

/// All that a store holds at one moment. A copy shares whatever neither side changes, so that a
/// snapshot and a savepoint are copies.
struct Content: Sendable {
  var catalog: Catalog
  /// The rows of each collection, in the order of their keys.
  var rows: [Int: [[Value]]] = [:]
  /// The largest automatic key that each collection has given out.
  var lastKeys: [Int: Int64] = [:]
}

public final class ListStorage: Storage {
  public let capabilities = Capabilities(
    backend: "list",
    engine: "sorted lists",
    maximumValueSize: 1 << 30,
    sharesBetweenProcesses: false,
    isPersistent: false
  )
  public let wasCreated: Bool
  private let content: Mutex<Content>
  private let save: @Sendable (Content) -> Void

  /// A storage that begins with some content, and says what it is after each commit.
  init(_ content: Content, wasCreated: Bool, save: @escaping @Sendable (Content) -> Void) {
    self.content = Mutex(content)
    self.wasCreated = wasCreated
    self.save = save
  }

  public func beginReading(timeout: Duration) throws(StorageError) -> ListReader {
    ListReader(content.withLock { $0 })
  }

  /// `Store` lets one writer in at a time.
  public func beginWriting(timeout: Duration) throws(StorageError) -> ListWriter {
    ListWriter(self, content.withLock { $0 })
  }

  public func close() throws(StorageError) {}

  func commit(_ changed: Content) {
    content.withLock { $0 = changed }
    save(changed)
  }
}

public class ListReader: StorageReader {
  var content: Content
  private let buffer = RowBuffer()

  init(_ content: Content) { self.content = content }

  public var catalog: Catalog { content.catalog }

  public func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    let rows = content.rows[collection.id] ?? []
    let (index, isKey) = rows.find(try key.values(), collection)
    return isKey ? buffer.fill(rows[index]) : nil
  }

  /// An index is nothing but another order: its fields, then the key.
  public func scan(_ scan: Scan) throws(StorageError) -> ListCursor {
    var rows = content.rows[scan.collection.id] ?? []
    var positions = scan.collection.keyPositions
    if let index = scan.index {
      positions = scan.collection.indexes[index].positions + positions
      rows.sort { $0.fields(positions).lexicographicallyPrecedes($1.fields(positions)) }
    }
    // Whether a row is below a bound is asked of as many fields as the bound has.
    func place(_ bound: Scan.Bound, passesEqual: Bool) -> Int {
      rows.partition { row in
        let fields = row.fields(positions.prefix(bound.values.count))
        return passesEqual
          ? !bound.values.lexicographicallyPrecedes(fields)
          : fields.lexicographicallyPrecedes(bound.values)
      }
    }
    let first = scan.lower.map { place($0, passesEqual: !$0.isInclusive) } ?? 0
    let end = scan.upper.map { place($0, passesEqual: $0.isInclusive) } ?? rows.count
    return ListCursor(rows, first..<max(first, end), isReversed: scan.isReversed)
  }

  public func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    content.lastKeys[collection.id] ?? 0
  }

  public func end() {}
}

public final class ListCursor: StorageCursor {
  private let rows: [[Value]]
  private var left: Range<Int>
  private let isReversed: Bool
  private let buffer = RowBuffer()

  init(_ rows: [[Value]], _ range: Range<Int>, isReversed: Bool) {
    self.rows = rows
    left = range
    self.isReversed = isReversed
  }

  public func next() throws(StorageError) -> RowView? {
    guard let index = isReversed ? left.last : left.first else { return nil }
    left = isReversed ? left.dropLast() : left.dropFirst()
    return buffer.fill(rows[index])
  }

  public func close() { left = 0..<0 }
}

extension RowBuffer {
  /// Makes the buffer hold a row.
  func fill(_ row: [Value]) -> RowView {
    reset(count: row.count)
    for (index, value) in row.enumerated() { set(index, value) }
    return view
  }
}

extension [Value] {
  /// Some fields of a row.
  func fields(_ positions: some Sequence<Int>) -> [Value] { positions.map { self[$0] } }
}

extension [[Value]] {
  /// How many rows at the beginning pass a test that no later row passes.
  func partition(_ passes: ([Value]) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if passes(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The place of the first row whose key is not before `key`, and whether it has that key.
  func find(_ key: [Value], _ collection: Collection) -> (index: Int, isKey: Bool) {
    let positions = collection.keyPositions
    let index = partition { $0.fields(positions).lexicographicallyPrecedes(key) }
    return (index, index < count && self[index].fields(positions) == key)
  }
}
