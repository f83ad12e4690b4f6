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
      try destination.write { writer in
        try writer.checkEmpty()
        return try StoreCopy(source).run(in: writer, progress: progress)
      }
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
      try writer.checkEmpty()
      return try self.performRead(deadline: nil) {
        try StoreCopy($0).run(in: writer, progress: progress)
      }
    }
  }

  /// Copies everything into an empty store that nobody else sees yet, in transactions of about `batch`
  /// bytes of rows, which bound its memory; a failure leaves a part of it there.
  @discardableResult
  package func fill(
    _ destination: Store,
    batch: Int = 32 << 20,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    try checkApart(destination)
    return try performRead(deadline: nil) { source in
      let copy = try StoreCopy(source)
      var hasMore = try destination.performWrite(deadline: nil) { writer in
        try writer.checkEmpty()
        try copy.createCollections(in: writer)
        return try copy.copyRows(into: writer, limit: batch, progress: progress)
      }
      while hasMore {
        hasMore = try destination.performWrite(deadline: nil) { writer in
          try copy.copyRows(into: writer, limit: batch, progress: progress)
        }
      }
      try destination.performWrite(deadline: nil) { try copy.finish(in: $0) }
      return copy.count
    }
  }

  func checkApart(_ other: Store) throws(StorageError) {
    if other.shared === shared {
      throw StorageError(.alreadyExists, "a store cannot be copied into itself; use another one")
    }
  }
}
