extension ReadTransaction {
  /// Runs `body` with the engine's own handles on this transaction, for what the engine can do and
  /// Holdfast does not offer.
  ///
  /// ```swift
  /// let pages = try store.read { transaction in
  ///   try transaction.withNative(SQLiteNative.self) { native in
  ///     try pageCount(of: native.connection)      // an OpaquePointer to sqlite3
  ///   }
  /// }
  /// ```
  /// The body may read and, in a write transaction, write: then it runs in a savepoint, so that an error
  /// which leaves it undoes what it did, and says what it changed with
  /// ``WriteTransaction/noteChange(of:)``. The transaction stays Holdfast's to end, and the schema its to
  /// change. Statements and cursors that the body makes it also lets go. The handle is refused once the
  /// body has returned.
  ///
  /// - Parameters:
  ///   - type: the backend's type of handle, such as `SQLiteNative` or `LMDBNative`.
  ///   - body: what to do with it.
  /// - Returns: what the body returns.
  /// - Throws: ``StorageError/Code/unsupported`` for a backend without such handles, see
  ///   ``Capabilities/lendsNativeHandles``; ``StorageError/Code/transactionFailed`` if the body ended
  ///   the transaction or left statements open, and the transaction can then only be rolled back; what
  ///   the body throws.
  public func withNative<Handle, T>(
    _ type: Handle.Type,
    _ body: (Handle) throws -> T
  ) throws -> T {
    guard let writer = self as? WriteTransaction else { return try lendNative(body) }
    return try writer.savepoint { try lendNative(body) }
  }

  private func lendNative<Handle, T>(_ body: (Handle) throws -> T) throws -> T {
    try checkOpen()
    let native = try perform { () throws(StorageError) in try reader.lendNative() }
    let result: Result<T, any Error>
    if let handle = native as? Handle {
      result = Result { try body(handle) }
    } else {
      result = .failure(
        StorageError(
          .unsupported,
          "this store has no \(Handle.self) to lend; its backend lends \(Swift.type(of: native))"
        )
      )
    }
    try perform { () throws(StorageError) in try reader.takeBackNative() }
    return try result.get()
  }
}

extension WriteTransaction {
  /// Says that records of a collection were changed by other means, see ``ReadTransaction/withNative(_:_:)``: observers
  /// hear of it as a change of unknown extent, and open cursors go on with what is there now.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``.
  public func noteChange(of collection: String) throws(StorageError) {
    let collection = try self.collection(collection)
    try prepareToWrite()
    changes.touch(collection)
  }
}
