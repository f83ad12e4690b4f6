/// Looks for other entries of a unique index with the same values.
final class UniquenessCheck<Transaction: KeyValueReader> {
  private let transaction: Transaction
  private let entryForm: IndexEntry
  private let probe = ByteBuffer()
  private var cursors: [Int: Transaction.Cursor] = [:]

  init(_ transaction: Transaction, _ entryForm: IndexEntry) {
    self.transaction = transaction
    self.entryForm = entryForm
  }

  /// Lets the cursors go.
  func close() {
    for cursor in cursors.values { cursor.close() }
    cursors.removeAll()
  }

  /// Whether another key's entry has the values of the index's new entry.
  func isTaken(_ index: PreparedIndex, _ table: KeyValueTable) throws(StorageError) -> Bool {
    let cursor: Transaction.Cursor
    if let known = cursors[index.index.id] {
      cursor = known
    } else {
      cursor = try transaction.openCursor(in: table)
      cursors[index.index.id] = cursor
    }
    let values = index.new.bytes(upTo: index.newValuesLength)
    let key = index.new.bytes(from: index.newValuesLength)
    if values.count < entryForm.limit, try isTakenInOrder(values, key, cursor) { return true }
    // Where all of the values and one byte more are in the stored key, order found long ones too.
    if values.count < entryForm.prefixLength { return false }
    return try isTakenByHash(values, key, cursor)
  }

  /// Looks among the entries whose stored keys begin with the values.
  private func isTakenInOrder(
    _ values: UnsafeRawBufferPointer,
    _ key: UnsafeRawBufferPointer,
    _ cursor: Transaction.Cursor
  ) throws(StorageError) -> Bool {
    var isFound = try cursor.seek(values)
    while isFound {
      let stored = cursor.key
      guard stored.count > values.count,
        Bytes.compare(.init(rebasing: stored[..<values.count]), values) == 0
      else { return false }
      let isLong = entryForm.isLong(stored.count)
      // Behind the prefix a long entry has hashes, which say nothing here; its turn comes later.
      if !isLong || values.count < entryForm.prefixLength {
        // An escaped zero: longer values that begin with these.
        if stored[values.count] == KeyCoding.escape { return false }
        if try isLong
          ? isOther(values, key, cursor)
          : Bytes.compare(.init(rebasing: stored[values.count...]), key) != 0
        {
          return true
        }
      }
      isFound = try cursor.next()
    }
    return false
  }

  /// Looks among the long entries with the hash of the values.
  private func isTakenByHash(
    _ values: UnsafeRawBufferPointer,
    _ key: UnsafeRawBufferPointer,
    _ cursor: Transaction.Cursor
  ) throws(StorageError) -> Bool {
    probe.removeAll()
    probe.append(.init(rebasing: values[..<entryForm.prefixLength]))
    entryForm.append(hashOf: values, to: probe)
    var isFound = try cursor.seek(probe.bytes)
    while isFound {
      let stored = cursor.key
      guard stored.count > probe.count,
        Bytes.compare(.init(rebasing: stored[..<probe.count]), probe.bytes) == 0
      else { return false }
      if entryForm.isLong(stored.count), try isOther(values, key, cursor) { return true }
      isFound = try cursor.next()
    }
    return false
  }

  /// Whether the long entry at the cursor has these values and another key.
  private func isOther(
    _ values: UnsafeRawBufferPointer,
    _ key: UnsafeRawBufferPointer,
    _ cursor: Transaction.Cursor
  ) throws(StorageError) -> Bool {
    guard let parts = IndexEntry.parts(cursor.value) else {
      throw StorageError(
        .corrupt,
        "an entry of a unique index is damaged; restore a backup"
      )
    }
    return Bytes.compare(parts.values, values) == 0 && Bytes.compare(parts.key, key) != 0
  }
}
