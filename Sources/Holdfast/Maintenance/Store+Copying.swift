extension Store {
  /// Copies everything of this store into an empty one on any backend: collections, records, indexes,
  /// references, automatic counters and the names of the applied migrations.
  ///
  /// From one snapshot, in one transaction: whole or not at all.
  ///
  /// - Parameters:
  ///   - destination: another store, without collections.
  ///   - progress: called with the number of records copied so far, now and then.
  /// - Returns: the number of records.
  /// - Throws: ``StorageError/Code/alreadyExists`` if the destination has collections;
  ///   ``StorageError/Code/referenceViolation`` if this store holds broken references; what either
  ///   engine reports.
  @available(*, noasync, message: "use the asynchronous copy")
  @discardableResult
  public func copy(
    into destination: Store,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    try checkApart(destination)
    return try read { source in
      try destination.write { try $0.copy(source, progress: progress) }
    }
  }

  /// Copies everything of this store into an empty one on any backend.
  @discardableResult
  public func copy(
    into destination: Store,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Int {
    try checkApart(destination)
    return try await destination.write { writer in
      try self.performRead(deadline: nil) { try writer.copy($0, progress: progress) }
    }
  }

  private func checkApart(_ destination: Store) throws(StorageError) {
    if destination.shared === shared {
      throw StorageError(.alreadyExists, "a store cannot be copied into itself; use another one")
    }
  }
}

extension WriteTransaction {
  /// Copies everything that a snapshot of another store holds into this one, which must be empty.
  func copy(_ source: ReadTransaction, progress: (Int) -> Void) throws -> Int {
    let copy = try StoreCopy(source, self)
    return try deferringReferences {
      while try copy.step(rows: 10_000) { progress(copy.count) }
      return copy.count
    }
  }
}

/// A copy of a whole store under way, some records at a time, so that it can be spread over
/// transactions.
package final class StoreCopy {
  private let source: ReadTransaction
  private var destination: WriteTransaction
  private let collections: [Collection]
  private var position = 0
  private var cursor: (any StorageCursor)?
  private var target: Collection?
  /// The records copied so far.
  package private(set) var count = 0

  /// Creates the collections in an empty destination.
  package init(_ source: ReadTransaction, _ destination: WriteTransaction) throws(StorageError) {
    self.source = source
    self.destination = destination
    guard try destination.catalog.collections.isEmpty, try destination.catalog.migrations.isEmpty
    else {
      throw StorageError(
        .alreadyExists,
        "the destination already has collections; copy into an empty store"
      )
    }
    let catalog = try source.catalog
    collections = catalog.collections
    for collection in collections { try destination.createCollection(collection.definition) }
    if !catalog.migrations.isEmpty { try destination.setMigrations(catalog.migrations) }
  }

  /// Goes on in another transaction of the destination.
  package func resume(in destination: WriteTransaction) {
    self.destination = destination
    target = nil
  }

  /// Copies at most so many records.
  ///
  /// - Returns: whether there may be more.
  package func step(rows: Int) throws(StorageError) -> Bool {
    let end = count + rows
    while count < end {
      guard position < collections.count else { return false }
      let collection = collections[position]
      let cursor = try openCursor(collection)
      let target = try findTarget(collection)
      while count < end {
        guard let row = try cursor.next() else {
          try finish(collection, target)
          break
        }
        try destination.insert(row, into: target)
        count += 1
      }
    }
    return true
  }

  private func openCursor(_ collection: Collection) throws(StorageError) -> any StorageCursor {
    if let cursor { return cursor }
    let opened = try source.reader.scan(Scan(collection))
    cursor = opened
    return opened
  }

  private func findTarget(_ collection: Collection) throws(StorageError) -> Collection {
    if let target { return target }
    let found = try destination.collection(collection.name)
    target = found
    return found
  }

  private func finish(_ collection: Collection, _ target: Collection) throws(StorageError) {
    cursor?.close()
    cursor = nil
    self.target = nil
    position += 1
    if collection.automaticKeyPosition != nil {
      let last = try source.reader.lastAutomaticKey(of: collection)
      try destination.setLastAutomaticKey(last, of: target)
    }
  }

  deinit { cursor?.close() }
}
