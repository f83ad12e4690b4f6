/// References that are checked at the end of a body: the ids of collections that were written to.
final class DeferredReferences {
  var collections: Set<Int> = []
}

extension WriteTransaction {
  /// Runs `body` with references checked once at its end, so that records may come in any order.
  ///
  /// For imports. Deleting works as ever.
  ///
  /// - Throws: what the body throws; ``StorageError/Code/referenceViolation`` at the end, after
  ///   undoing what the body did.
  @discardableResult
  public func deferringReferences<T>(_ body: () throws -> T) throws -> T {
    if deferred != nil { return try body() }
    return try savepoint {
      let deferred = DeferredReferences()
      self.deferred = deferred
      defer { self.deferred = nil }
      let result = try body()
      // By id: the body may have renamed or dropped some.
      for collection in try catalog.collections where deferred.collections.contains(collection.id) {
        for reference in collection.references {
          try checkReference(reference, of: collection)
        }
      }
      return result
    }
  }

  // MARK: Writing records that refer

  /// Runs a write of a row once its references were found to be right.
  ///
  /// What the key and the unique indexes have against the row is said first.
  @inline(__always)
  func referring<T>(
    _ row: RowView,
    _ collection: Collection,
    _ write: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    if collection.references.isEmpty { return try perform(write) }
    return try checkingReferences(row, collection, write)
  }

  private func checkingReferences<T>(
    _ row: RowView,
    _ collection: Collection,
    _ write: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    if let deferred {
      deferred.collections.insert(collection.id)
      return try perform(write)
    }
    return try perform { () throws(StorageError) in
      guard let broken = try firstBroken(row, collection) else { return try write() }
      return try undoing { () throws(StorageError) in
        _ = try write()
        throw orphan(broken, collection)
      }
    }
  }

  /// The first reference of a row that leads to no record, not even to the row itself.
  private func firstBroken(_ row: RowView, _ collection: Collection) throws(StorageError)
    -> Collection.Reference?
  {
    for reference in collection.references {
      if reference.positions.contains(where: { row.isNull($0) }) { continue }
      if reference.definition.target == collection.name,
        refersToItself(row, reference, collection)
      {
        continue
      }
      if try !holdsTarget(row, reference) { return reference }
    }
    return nil
  }

  private func refersToItself(
    _ row: RowView,
    _ reference: Collection.Reference,
    _ collection: Collection
  ) -> Bool {
    zip(reference.positions, collection.keyPositions).allSatisfy { position, keyPosition in
      RowView.Slot.areEqual(row.slots[position], row.slots[keyPosition])
    }
  }

  private func holdsTarget(_ row: RowView, _ reference: Collection.Reference) throws(StorageError)
    -> Bool
  {
    guard let target = writer.catalog.collection(named: reference.definition.target) else {
      return false
    }
    keyBuffer.reset(count: reference.positions.count)
    for (part, position) in reference.positions.enumerated() {
      keyBuffer.copyField(part, row.slots[position])
    }
    // No record has a key that is too long.
    if KeyCoding.encodedLength(keyBuffer.view) > KeyCoding.maximumKeyLength { return false }
    return try writer.get(keyBuffer.view, in: target) != nil
  }

  private func orphan(_ reference: Collection.Reference, _ collection: Collection) -> StorageError {
    StorageError(
      .referenceViolation,
      "reference \(reference.definition.name) of \(collection.name) leads to no record of "
        + "\(reference.definition.target); insert that first"
    )
  }

  // MARK: Deleting records that others refer to

  /// Whether a record of the collection may be referred to, or its key has to be told to observers.
  func mustDeleteOneByOne(_ collection: Collection) throws(StorageError) -> Bool {
    if changes.isDetailed { return true }
    for (child, _) in try referrers(to: collection) where child.id != collection.id {
      if try !isEmpty(child) { return true }
    }
    return false
  }

  private func isEmpty(_ collection: Collection) throws(StorageError) -> Bool {
    let cursor = try writer.scan(Scan(collection))
    defer { cursor.close() }
    return try cursor.next() == nil
  }

  func referrers(to collection: Collection) throws(StorageError)
    -> [(collection: Collection, reference: Collection.Reference)]
  {
    if let known = referrers[collection.id] { return known }
    let found = try catalog.referrers(to: collection.name)
    referrers[collection.id] = found
    return found
  }

  /// Deletes records by key, and does with those that refer to them what their references say; all
  /// or nothing.
  ///
  /// A reference that restricts is checked when everything else is done: a record that goes too does
  /// not count.
  /// - Returns: how many of the keys there were.
  func deleteRecords(_ keys: [Key], from collection: Collection) throws(StorageError) -> Int {
    if try !isReferredTo(keys, collection) {
      return try perform { () throws(StorageError) in
        var count = 0
        for key in keys where try deleteOne(key, collection) { count += 1 }
        return count
      }
    }
    return try undoing { () throws(StorageError) in try cascade(keys, collection) }
  }

  private func deleteOne(_ key: Key, _ collection: Collection) throws(StorageError) -> Bool {
    try load(key, collection)
    guard try writer.delete(keyBuffer.view, from: collection) else { return false }
    try changes.note(.deleted, collection) { () throws(StorageError) in
      Key(try keyBuffer.view.values())
    }
    return true
  }

  private func isReferredTo(_ keys: [Key], _ collection: Collection) throws(StorageError) -> Bool {
    let referrers = try referrers(to: collection)
    if referrers.isEmpty { return false }
    for key in keys {
      for (child, reference) in referrers {
        if try !children(of: key, child, reference, limit: 1).isEmpty { return true }
      }
    }
    return false
  }

  /// The keys of the records that refer to a key.
  private func children(
    of key: Key,
    _ child: Collection,
    _ reference: Collection.Reference,
    limit: Int = .max
  ) throws(StorageError) -> [Key] {
    let target = try catalog.collection(named: reference.definition.target)
    guard let target else { return [] }
    try load(key, target)
    let bound = Scan.Bound(try keyBuffer.view.values(), inclusive: true)
    let cursor = try writer.scan(
      Scan(child, index: reference.index, lower: bound, upper: bound)
    )
    defer { cursor.close() }
    var keys: [Key] = []
    while keys.count < limit, let row = try cursor.next() {
      keys.append(try self.key(of: row, nil, child))
    }
    return keys
  }

  /// Deletes records and those that go with them, breadth first.
  private func cascade(_ keys: [Key], _ collection: Collection) throws(StorageError) -> Int {
    var work = keys.map { (key: $0, collection: collection) }
    var restricted: [(key: Key, child: Collection, reference: Collection.Reference)] = []
    var count = 0
    var next = 0
    while next < work.count {
      let (key, current) = work[next]
      guard try deleteOne(key, current) else {
        next += 1
        continue
      }
      if next < keys.count { count += 1 }
      next += 1
      for (child, reference) in try referrers(to: current) {
        let children = try children(of: key, child, reference)
        if children.isEmpty { continue }
        switch reference.definition.onDelete {
        case .restrict: restricted.append((key, child, reference))
        case .cascade: work += children.map { ($0, child) }
        case .setNull: for key in children { try setNull(key, child, reference) }
        }
      }
    }
    for (key, child, reference) in restricted {
      guard try children(of: key, child, reference, limit: 1).isEmpty else {
        throw StorageError(
          .referenceViolation,
          "a record of \(reference.definition.target) cannot be deleted, since records of "
            + "\(child.name) refer to it by \(reference.definition.name); delete those first"
        )
      }
    }
    return count
  }

  private func setNull(
    _ key: Key,
    _ child: Collection,
    _ reference: Collection.Reference
  ) throws(StorageError) {
    try load(key, child)
    guard let row = try writer.get(keyBuffer.view, in: child) else { return }
    let changed = RowBuffer()
    changed.copy(row)
    for position in reference.positions { changed.setNull(position) }
    _ = try writer.update(changed.view, in: child)
    try changes.note(.updated, child) { () throws(StorageError) in key }
  }

  // MARK: Checking all

  /// Checks that every record's reference leads to a record.
  ///
  /// O(n), a get for each value.
  func checkReference(_ reference: Collection.Reference, of collection: Collection)
    throws(StorageError)
  {
    let broken = try ReferenceCheck.brokenKeys(reference, of: collection, writer, limit: 10)
    if broken.isEmpty { return }
    var error = orphan(reference, collection)
    error.keys = broken
    throw error
  }

  /// Checks that every reference leads to the key of a collection, by its types.
  ///
  /// With `mustExist` the target has to be there already.
  func checkReferences(in catalog: Catalog, mustExist: Bool) throws(StorageError) {
    for collection in catalog.collections {
      for reference in collection.references {
        try ReferenceCheck.checkTarget(reference, collection, catalog, mustExist: mustExist)
      }
    }
  }
}

extension RowView.Slot {
  /// Whether two slots hold equal values of one kind.
  static func areEqual(_ left: RowView.Slot, _ right: RowView.Slot) -> Bool {
    guard left.kind == right.kind, left.bits == right.bits else { return false }
    guard left.kind == .text || left.kind == .blob else { return true }
    return Bytes.compare(
      UnsafeRawBufferPointer(start: left.pointer, count: Int(left.bits)),
      UnsafeRawBufferPointer(start: right.pointer, count: Int(right.bits))
    ) == 0
  }
}
