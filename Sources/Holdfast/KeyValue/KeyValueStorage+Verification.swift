extension KeyValueStorage {
  /// Checks the engine, and every key and index against the rows.
  ///
  /// Rows are left alone where the engine found faults beneath them. O(n log n) for n rows.
  /// - Throws: ``StorageError/Code/busy``; what the engine throws.
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    var findings = try engine.verify(timeout: timeout)
    if findings.contains(where: \.isFault) { return findings }
    let reader = try beginReading(timeout: timeout)
    defer { reader.end() }
    for collection in reader.catalog.collections {
      findings += try reader.verify(collection)
    }
    return findings
  }
}

extension KeyValueStorageReader {
  /// What is wrong between the rows of a collection and their keys and index entries.
  fileprivate func verify(_ collection: Collection) throws(StorageError) -> [Finding] {
    let prepared = try prepare(collection)
    let cursor = try transaction.openCursor(in: prepared.tables.rows)
    defer { cursor.close() }
    var damaged = 0
    var misplaced = 0
    var count = 0
    var missing = Array(repeating: 0, count: prepared.indexes.count)
    var equal = missing
    let uniqueness = UniquenessCheck(transaction, entryForm)
    defer { uniqueness.close() }
    var isFound = try cursor.first()
    while isFound {
      count += 1
      if RowCoding.decode(
        cursor.value,
        prepared.shapes,
        count: prepared.fieldCount,
        into: prepared.slots
      ) {
        let row = RowView(slots: prepared.slots, count: prepared.fieldCount)
        prepared.encodeKey(of: row, into: session.key)
        if Bytes.compare(session.key.bytes, cursor.key) != 0 { misplaced += 1 }
        for (position, index) in prepared.indexes.enumerated() {
          let table = prepared.tables.indexes[position]
          index.encodeNew(row, automatic: nil, position: -1, key: session.key.bytes)
          if try !holds(index, table) { missing[position] += 1 }
          if index.isUnique, index.mayCollide, try uniqueness.isTaken(index, table) {
            equal[position] += 1
          }
        }
      } else {
        damaged += 1
      }
      isFound = try cursor.next()
    }
    var findings: [Finding] = []
    if damaged > 0 {
      findings.append(.fault("\(damaged) records of \(collection.name) are damaged"))
    }
    if misplaced > 0 {
      findings.append(.fault("\(misplaced) records of \(collection.name) lie under another key"))
    }
    for (position, index) in collection.indexes.enumerated() {
      let name = "index \(index.definition.name) of \(collection.name)"
      if missing[position] > 0 {
        findings.append(.fault("\(name) lacks the entries of \(missing[position]) records"))
      }
      if equal[position] > 0 {
        findings.append(.fault("\(name) is unique, and \(equal[position]) records share values"))
      }
      let entries = try transaction.count(in: prepared.tables.indexes[position])
      let expected = count - damaged - missing[position]
      if entries != expected {
        findings.append(.fault("\(name) has \(entries) entries where \(expected) are right"))
      }
    }
    return findings
  }

  /// Whether the entry in ``PreparedIndex/new`` is in its table.
  private func holds(_ index: PreparedIndex, _ table: KeyValueTable) throws(StorageError) -> Bool {
    guard entryForm.isLong(index.new.count) else {
      return try transaction.get(index.new.bytes, in: table) != nil
    }
    entryForm.storeLong(
      index.new.bytes,
      valuesLength: index.newValuesLength,
      key: session.longKey,
      value: session.longValue
    )
    guard let value = try transaction.get(session.longKey.bytes, in: table) else { return false }
    return Bytes.compare(value, session.longValue.bytes) == 0
  }
}
