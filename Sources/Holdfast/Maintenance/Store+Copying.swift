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
    let (mine, other) = (try catalog, try source.catalog)
    guard mine.collections.isEmpty, mine.migrations.isEmpty else {
      throw StorageError(
        .alreadyExists,
        "the destination already has collections; copy into an empty store"
      )
    }
    for collection in other.collections { try createCollection(collection.definition) }
    if !other.migrations.isEmpty { try setMigrations(other.migrations) }
    return try deferringReferences {
      var count = 0
      for collection in other.collections {
        let target = try self.collection(collection.name)
        let cursor = try source.reader.scan(Scan(collection))
        defer { cursor.close() }
        while let row = try cursor.next() {
          try insert(row, into: target)
          count += 1
          if count % 10_000 == 0 { progress(count) }
        }
        if collection.automaticKeyPosition != nil {
          let last = try source.reader.lastAutomaticKey(of: collection)
          try setLastAutomaticKey(last, of: target)
        }
      }
      return count
    }
  }
}
