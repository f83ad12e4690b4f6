/// Changing and removing records inside a transaction: no model is loaded.
extension Selection {
  /// Removes the records, all or none, and says how many there were.
  ///
  /// - Throws: ``StorageError/Code/referenceViolation``; as ``fetch(in:)``.
  @discardableResult
  public func delete(in transaction: WriteTransaction) throws -> Int {
    guard let source = try repository.source(of: query, in: transaction) else { return 0 }
    return try transaction.delete(source.query)
  }

  /// Changes properties of the records, all or none, and says how many records there were.
  ///
  /// - Throws: ``StorageError/Code/overflow``, ``StorageError/Code/uniqueViolation``,
  ///   ``StorageError/Code/referenceViolation``, ``StorageError/Code/invalidValue``; as
  ///   ``fetch(in:)``. Nothing was changed then.
  @discardableResult
  public func update(
    set assignments: Assignment<M>...,
    in transaction: WriteTransaction
  ) throws -> Int {
    try update(set: assignments, in: transaction)
  }

  @discardableResult
  func update(set assignments: [Assignment<M>], in transaction: WriteTransaction) throws -> Int {
    try query.checkPart()
    let schema = try repository.resolved()
    let stored = try assignments.map { try $0.stored(schema) }
    // What is refused is refused before the collection gets what it lacks.
    guard try repository.source(of: query, in: transaction) != nil else { return 0 }
    _ = try repository.ensure(in: transaction)
    return try transaction.update(query, set: stored)
  }
}

extension Repository {
  /// Adds a number to a property of the record with that key.
  ///
  /// Atomic: no other writer comes between reading and writing.
  /// - Returns: the property's new value.
  /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/overflow`` and
  ///   ``StorageError/Code/typeMismatch`` for a number that does not fit, and nothing was changed.
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible,
    in transaction: WriteTransaction
  ) throws -> V {
    try increment(property, .increment(property, by: amount), of: key, in: transaction)
  }

  /// Adds a number to a property of the record with that key; null stays null.
  ///
  /// - Returns: the property's new value.
  /// - Throws: as for a property that is never null.
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible,
    in transaction: WriteTransaction
  ) throws -> V? {
    try increment(property, .increment(property, by: amount), of: key, in: transaction)
  }

  private func increment<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    _ assignment: Assignment<M>,
    of key: some KeyConvertible,
    in transaction: WriteTransaction
  ) throws -> V {
    let schema = try resolved()
    let stored = try assignment.stored(schema)
    guard try collection(in: transaction) != nil else {
      throw StorageError(
        .notFound,
        "collection \(collectionName) has no record with that key; insert it"
      )
    }
    let target = try ensure(in: transaction)
    let value = try transaction.increment(stored, of: try key.storedKey(), in: target.collection)
    return try value.decoded(V.self, at: try schema.position(of: property), of: schema.layout)
  }
}
