/// Entries of indexes: stored at once or in the index's order later, removed, and kept unique.
extension KeyValueStorageWriter {
  /// Stores the new entry of an index, now or with others in the index's order.
  ///
  /// Those of unique indexes are stored now, since the next check has to find them.
  @inline(__always)
  func storeLater(_ index: PreparedIndex, _ table: KeyValueTable) throws(StorageError) {
    if index.isUnique || entryForm.isLong(index.new.count) { return try store(index, table) }
    hasBacklog = true
    index.backlog.append(index.new.bytes)
    if index.backlog.isFull { try storeBacklog(index, table) }
  }

  func storeBacklog(_ index: PreparedIndex, _ table: KeyValueTable) throws(StorageError) {
    if index.backlog.isEmpty { return }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try index.backlog.drain { (entry) throws(StorageError) in
      _ = try transaction.insert(entry, nothing, in: table)
    }
  }

  /// Brings the engine's indexes up to date.
  func storeBacklogs() throws(StorageError) {
    if !hasBacklog { return }
    for prepared in session.all {
      for (index, table) in zip(prepared.indexes, prepared.tables.indexes) {
        try storeBacklog(index, table)
      }
    }
    hasBacklog = false
  }

  func forgetBacklogs() {
    if !hasBacklog { return }
    hasBacklog = false
    for prepared in session.all {
      for index in prepared.indexes { index.backlog.removeAll() }
    }
  }

  func store(_ index: PreparedIndex, _ table: KeyValueTable) throws(StorageError) {
    if !entryForm.isLong(index.new.count) {
      return try transaction.put(index.new.bytes, .init(start: nil, count: 0), in: table)
    }
    entryForm.storeLong(
      index.new.bytes,
      valuesLength: index.newValuesLength,
      key: session.longKey,
      value: session.longValue
    )
    try transaction.put(session.longKey.bytes, session.longValue.bytes, in: table)
  }

  func remove(
    _ index: PreparedIndex,
    _ prepared: PreparedCollection,
    _ table: KeyValueTable
  ) throws(StorageError) {
    var key = index.old.bytes
    if entryForm.isLong(key.count) {
      entryForm.storeLong(
        key,
        valuesLength: index.oldValuesLength,
        key: session.longKey,
        value: session.longValue
      )
      key = session.longKey.bytes
    }
    guard try transaction.delete(key, in: table) else {
      throw StorageError(
        .corrupt,
        "index \(index.index.definition.name) of \(prepared.collection.name) lacks an entry; "
          + "restore a backup"
      )
    }
  }

  func checkUniqueness(
    _ prepared: BoundCollection,
    replacing: Bool = false
  ) throws(StorageError) {
    let check = uniqueness ?? UniquenessCheck(transaction, entryForm)
    uniqueness = check
    for (position, index) in prepared.indexes.enumerated()
    where index.isUnique && index.mayCollide && (!replacing || index.areValuesChanged) {
      guard try check.isTaken(index, prepared.tables.indexes[position]) else { continue }
      throw uniqueViolation(index, prepared)
    }
  }

  /// Checks the new entry of one index that is being built.
  func checkUniqueness(
    _ index: PreparedIndex,
    _ table: KeyValueTable,
    _ prepared: BoundCollection
  ) throws(StorageError) {
    guard index.isUnique, index.mayCollide else { return }
    let check = uniqueness ?? UniquenessCheck(transaction, entryForm)
    uniqueness = check
    if try check.isTaken(index, table) { throw uniqueViolation(index, prepared) }
  }

  func uniqueViolation(_ index: PreparedIndex, _ prepared: PreparedCollection)
    -> StorageError
  {
    StorageError(
      .uniqueViolation,
      "index \(index.index.definition.name) of \(prepared.collection.name) already holds an "
        + "equal value; change the value, or update the record that has it"
    )
  }
}
