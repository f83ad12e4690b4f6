/// An ordered walk over a collection of a ``KeyValueStorage``, by its key or one of its indexes.
public final class KeyValueStorageCursor<Transaction: KeyValueReader>: StorageCursor {
  private enum Place {
    case beforeFirst
    case onEntry
    /// On an entry that was not looked at yet.
    case onUnseen
    case atEnd
  }

  @exclusivity(unchecked) private var reader: KeyValueStorageReader<Transaction>?
  private let prepared: BoundCollection
  /// Not as `Transaction.Cursor`, a type that would be looked up for each row.
  private let cursor: any KeyValueCursor
  private let slots: UnsafeMutablePointer<RowView.Slot>
  private let changes: Int
  private let index: Collection.Index?
  private let bounds: ScanBounds
  private let isReversed: Bool
  private let entryForm: IndexEntry
  @exclusivity(unchecked) private var place = Place.beforeFirst
  @exclusivity(unchecked) private var group = EntryGroup()

  init(
    _ reader: KeyValueStorageReader<Transaction>,
    _ prepared: BoundCollection,
    _ cursor: Transaction.Cursor,
    _ scan: Scan
  ) {
    self.reader = reader
    self.prepared = prepared
    self.cursor = cursor
    slots = .allocate(capacity: prepared.fieldCount)
    slots.initialize(repeating: .null, count: prepared.fieldCount)
    changes = reader.changes
    index = scan.index.map { prepared.collection.indexes[$0] }
    bounds = ScanBounds(scan)
    isReversed = scan.isReversed
    entryForm = reader.entryForm
  }

  deinit {
    close()
    slots.deallocate()
  }

  /// Moves to the next row.
  ///
  /// - Returns: the fields, borrowed until the next call on this cursor or a write; nil at the end.
  /// - Throws: ``StorageError/Code/transactionClosed`` once the cursor was closed, its transaction
  ///   has ended or something was written; ``StorageError/Code/corrupt`` if a record is damaged or
  ///   an index names one that is not there; what the engine throws.
  public func next() throws(StorageError) -> RowView? {
    guard let reader, reader.changes == changes else {
      throw StorageError(
        .transactionClosed,
        "the cursor is closed, or the store was written to; scan again"
      )
    }
    if place == .atEnd, group.isEmpty { return nil }
    if index != nil { return try nextOfIndex(reader) }
    guard try advance(), bounds.contains(cursor.key, isReversed: isReversed) else {
      place = .atEnd
      return nil
    }
    return try decode(cursor.value)
  }

  /// Closes the cursor.
  ///
  /// Idempotent.
  public func close() {
    guard let reader else { return }
    self.reader = nil
    cursor.close()
    reader.forget(self)
  }

  private func decode(_ value: UnsafeRawBufferPointer) throws(StorageError) -> RowView {
    guard RowCoding.decode(value, prepared.shapes, count: prepared.fieldCount, into: slots) else {
      throw prepared.damagedRow
    }
    return RowView(slots: slots, count: prepared.fieldCount)
  }

  // MARK: Moving

  /// Moves to the next entry in the scan's direction, whether or not it is in range.
  @inline(__always)
  private func advance() throws(StorageError) -> Bool {
    switch place {
    case .onEntry: return try isReversed ? cursor.previous() : cursor.next()
    case .onUnseen:
      place = .onEntry
      return true
    case .beforeFirst:
      place = .onEntry
      return try isReversed ? moveToUpperEnd() : moveToLowerEnd()
    case .atEnd: return false
    }
  }

  /// How many bytes of a bound take part in a seek.
  private var seekLength: Int { index == nil ? entryForm.limit : entryForm.prefixLength }

  private func moveToLowerEnd() throws(StorageError) -> Bool {
    guard let lower = bounds.lower else { return try cursor.first() }
    return try cursor.seek(lower.bytes(upTo: min(lower.count, seekLength)))
  }

  private func moveToUpperEnd() throws(StorageError) -> Bool {
    guard let upper = bounds.upper else { return try cursor.last() }
    guard upper.count > seekLength, index != nil else {
      let isFound = try cursor.seek(upper.bytes(upTo: min(upper.count, seekLength)))
      return isFound ? try cursor.previous() : try cursor.last()
    }
    // The bound lies inside a group, which is sorted as a whole: begin at the group's end.
    let groupEnd = ByteBuffer()
    groupEnd.append(upper.bytes(upTo: seekLength))
    for _ in seekLength..<entryForm.limit { groupEnd.append(0xFF) }
    defer { withExtendedLifetime(groupEnd) {} }
    guard try cursor.seek(groupEnd.bytes) else { return try cursor.last() }
    if Bytes.compare(cursor.key, groupEnd.bytes) == 0 { return true }
    return try cursor.previous()
  }

  // MARK: Index entries

  private func nextOfIndex(_ reader: KeyValueStorageReader<Transaction>) throws(StorageError)
    -> RowView?
  {
    while true {
      while let entry = group.next() {
        let row: RowView? = try entry.withBytes { (full, keyStart) throws(StorageError) in
          guard bounds.contains(full) else { return nil }
          return try fetch(UnsafeRawBufferPointer(rebasing: full[keyStart...]), reader)
        }
        if let row { return row }
      }
      guard try advance() else { break }
      let key = cursor.key
      if key.count > entryForm.prefixLength {
        guard bounds.reaches(key, entryForm.prefixLength, isReversed: isReversed) else { break }
        try gather()
        continue
      }
      guard bounds.contains(key, isReversed: isReversed) else { break }
      return try fetch(UnsafeRawBufferPointer(rebasing: key[try keyStart(in: key)...]), reader)
    }
    place = .atEnd
    return nil
  }

  private func fetch(
    _ key: UnsafeRawBufferPointer,
    _ reader: KeyValueStorageReader<Transaction>
  ) throws(StorageError) -> RowView {
    guard let value = try reader.transaction.get(key, in: prepared.tables.rows) else {
      throw damaged("names a record that is not there")
    }
    return try decode(value)
  }

  /// Where the primary key begins in an entry's full bytes.
  private func keyStart(in full: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    var start = 0
    for _ in 0..<(index?.positions.count ?? 0) {
      guard let end = KeyCoding.end(of: full, from: start) else {
        throw damaged("has a damaged entry")
      }
      start = end
    }
    return start
  }

  /// Takes in the entries that share the first bytes with the current one, and moves behind them.
  private func gather() throws(StorageError) {
    let prefix = ByteBuffer()
    prefix.append(UnsafeRawBufferPointer(rebasing: cursor.key[..<entryForm.prefixLength]))
    defer { withExtendedLifetime(prefix) {} }
    group.removeAll()
    repeat {
      let key = cursor.key
      guard key.count > prefix.count,
        Bytes.compare(.init(rebasing: key[..<prefix.count]), prefix.bytes) == 0
      else {
        place = .onUnseen
        group.sort(isReversed: isReversed)
        return
      }
      if entryForm.isLong(key.count) {
        guard let parts = IndexEntry.parts(cursor.value) else {
          throw damaged("has a damaged entry")
        }
        group.append(parts.values, parts.key)
      } else {
        let start = try keyStart(in: key)
        group.append(.init(rebasing: key[..<start]), .init(rebasing: key[start...]))
      }
    } while try isReversed ? cursor.previous() : cursor.next()
    place = .atEnd
    group.sort(isReversed: isReversed)
  }

  private func damaged(_ what: String) -> StorageError {
    StorageError(
      .corrupt,
      "index \(index?.definition.name ?? "") of \(prepared.collection.name) \(what); "
        + "restore a backup"
    )
  }
}
