import Holdfast

/// The keys of a collection's records and hashes of their values, as of one snapshot: a store says of
/// commits of other processes only that there were some, and two of these say what they changed.
struct CollectionDigest: Sendable {
  /// Beyond so many records nothing is kept but that there are more, to bound memory.
  static let maximumCount = 1_000_000

  private struct Entry {
    /// Of all values of the record.
    var hash: Int
    /// Where its key stands in `keys`.
    var key: Range<Int>
  }

  /// What the records are, nil where there is no such collection.
  private let definition: CollectionDefinition?
  /// Whether `entries` has all records.
  private let isComplete: Bool
  /// By hashes of the keys.
  private var entries: [Int: Entry] = [:]
  /// The keys as JSON, one after the other, in their order.
  private var keys: [UInt8] = []

  /// Reads a collection.
  ///
  /// O(n).
  init(_ name: String, in transaction: ReadTransaction) throws {
    let collection = try transaction.catalog.collection(named: name)
    definition = collection?.definition
    guard let collection, try transaction.count(name) <= Self.maximumCount else {
      isComplete = false
      return
    }
    isComplete = true
    let cursor = try transaction.rows(Query(name))
    defer { cursor.close() }
    var writer = JSONWriter()
    while let row = try cursor.next() {
      try Self.writeKey(of: row, collection, to: &writer)
      let start = keys.count
      keys += writer.bytes
      let position = writer.bytes.hashValue
      writer.bytes.removeAll(keepingCapacity: true)
      entries[position] = Entry(hash: Self.hash(row), key: start..<keys.count)
    }
  }

  private static func writeKey(
    of row: RowView,
    _ collection: Collection,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    writer.beginText()
    let positions = collection.keyPositions
    if positions.count > 1 { writer.beginArray() }
    for position in positions {
      let field = collection.fields[position]
      try ValueJSON.write(row, position, field, in: collection.name, to: &writer)
    }
    if positions.count > 1 { writer.endArray() }
  }

  private static func hash(_ row: RowView) -> Int {
    var hasher = Hasher()
    for position in 0..<row.count {
      let slot = row.slots[position]
      hasher.combine(slot.kind)
      hasher.combine(slot.bits)
      if slot.kind == .text || slot.kind == .blob { hasher.combine(bytes: row.bytes(position)) }
    }
    return hasher.finalize()
  }

  /// The line of JSON about what changed since an older digest; nil for nothing.
  ///
  /// The keys are in ascending order.
  func line(since older: CollectionDigest, of name: String) -> String? {
    guard definition == older.definition, isComplete, older.isComplete else {
      let isSame = definition == nil && older.definition == nil
      return isSame ? nil : Self.line(name, isComplete: false, [])
    }
    var inserted: [Range<Int>] = []
    var updated: [Range<Int>] = []
    var deleted: [Range<Int>] = []
    for (position, entry) in entries {
      guard let old = older.entries[position] else {
        inserted.append(entry.key)
        continue
      }
      if old.hash != entry.hash { updated.append(entry.key) }
    }
    for (position, entry) in older.entries where entries[position] == nil {
      deleted.append(entry.key)
    }
    if inserted.isEmpty, updated.isEmpty, deleted.isEmpty { return nil }
    return Self.line(
      name,
      isComplete: true,
      [
        ("inserted", inserted, keys), ("updated", updated, keys), ("deleted", deleted, older.keys),
      ]
    )
  }

  private static func line(
    _ name: String,
    isComplete: Bool,
    _ lists: [(name: String, ranges: [Range<Int>], keys: [UInt8])]
  ) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("collection")
    writer.string(name)
    writer.key("complete")
    writer.bool(isComplete)
    writer.endObject()
    var text = String(writer.text.dropLast())
    for list in lists {
      let sorted = list.ranges.sorted { $0.lowerBound < $1.lowerBound }
      let keys = sorted.map { String(decoding: list.keys[$0], as: UTF8.self) }
      text += ",\"\(list.name)\":[\(keys.joined(separator: ","))]"
    }
    return text + "}"
  }
}
