/// Writing by query: in the core, without loading models.
extension WriteTransaction {
  /// Removes the records that match; their keys are collected first.
  ///
  /// - Returns: how many there were.
  /// - Throws: ``StorageError/Code/referenceViolation``, and nothing was removed; what binding the
  ///   filter throws.
  @discardableResult
  public func deleteAll(
    in collection: String,
    where filter: Filter = .all
  ) throws(StorageError) -> Int {
    try delete(Query(collection, where: filter))
  }

  /// Removes the records of a query, all or none; their keys are collected first.
  ///
  /// - Returns: how many there were.
  /// - Throws: ``StorageError/Code/referenceViolation``, and nothing was removed; as
  ///   ``ReadTransaction/fetch(_:)``.
  @discardableResult
  public func delete(_ query: Query) throws(StorageError) -> Int {
    let collection = try self.collection(query.collection)
    if query == Query(query.collection), try !mustDeleteOneByOne(collection) {
      try prepareToWrite(collection)
      return try deleting(collection) { () throws(StorageError) in
        try perform { () throws(StorageError) in
          let count = try writer.deleteAll(in: collection)
          if count > 0 { changes.touch(collection) }
          return count
        }
      }
    }
    let keys = try keys(of: query)
    try prepareToWrite(collection)
    return try deleting(collection) { () throws(StorageError) in
      try deleteRecords(keys, from: collection)
    }
  }

  /// Changes some fields of the records of a query, all or none, one by one in the query's order.
  ///
  /// Keys are collected first: a record is changed once, even if the change moves it in the index
  /// that was walked. Unique indexes and references are checked at each record, as by ``update(_:in:)``.
  /// - Returns: how many there were.
  /// - Throws: ``StorageError/Code/overflow``, ``StorageError/Code/uniqueViolation``,
  ///   ``StorageError/Code/referenceViolation``, ``StorageError/Code/invalidValue``, and nothing was
  ///   changed; as ``ReadTransaction/fetch(_:)``.
  @discardableResult
  public func update(
    _ query: Query,
    set assignments: [FieldAssignment]
  ) throws(StorageError) -> Int {
    let collection = try self.collection(query.collection)
    let bound = try assignments.map { assignment throws(StorageError) in
      try BoundAssignment(assignment, collection)
    }
    let keys = try keys(of: query)
    if keys.isEmpty { return 0 }
    try prepareToWrite(collection)
    try undoing { () throws(StorageError) in
      for key in keys {
        try cancellation?.check()
        try update(key, bound, in: collection)
      }
    }
    return keys.count
  }

  /// Adds a number to a field of the record with that key.
  ///
  /// Atomic as everything in a write transaction: no other writer comes in between.
  /// - Returns: the field's new value; null where it was null, which an increment leaves.
  /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/overflow``, and nothing was
  ///   changed; ``StorageError/Code/typeMismatch`` for a field that is no number.
  @discardableResult
  public func increment(
    _ field: String,
    by amount: Value = 1,
    of key: Key,
    in collection: String
  ) throws(StorageError) -> Value {
    try increment(.increment(field, by: amount), of: key, in: try self.collection(collection))
  }

  func increment(
    _ assignment: FieldAssignment,
    of key: Key,
    in collection: Collection
  ) throws(StorageError) -> Value {
    let assignment = try BoundAssignment(assignment, collection)
    try update(key, [assignment], in: collection)
    return try assignment.value(in: rowBuffer.view)
  }

  /// Changes some fields of the record with that key; ``rowBuffer`` holds it then.
  func update(
    _ key: Key,
    _ assignments: [BoundAssignment],
    in collection: Collection
  ) throws(StorageError) {
    guard let current = try get(key, in: collection) else { throw missing(collection) }
    rowBuffer.copy(current)
    for assignment in assignments { try assignment.apply(to: rowBuffer) }
    try update(rowBuffer.view, in: collection)
  }

  private func keys(of query: Query) throws(StorageError) -> [Key] {
    let cursor = try rows(query)
    defer { cursor.close() }
    var keys: [Key] = []
    while let row = try cursor.next() { keys.append(try key(of: row, nil, cursor.collection)) }
    return keys
  }
}
