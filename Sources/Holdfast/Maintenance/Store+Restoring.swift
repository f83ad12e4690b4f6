extension Store {
  /// Replaces everything in this store by what another one on any backend holds, such as a backup.
  ///
  /// The source is verified first, and one with faults is refused. Then all is replaced in one
  /// transaction, from one snapshot: whole or not at all, also if the process is killed. Readers and
  /// other processes go on, and see it as one commit that changed every collection. The store keeps
  /// its identity, its options and the permissions of its files.
  ///
  /// - Parameters:
  ///   - source: another store, which is only read.
  ///   - progress: called with the number of records copied so far, now and then.
  /// - Returns: the number of records.
  /// - Throws: ``StorageError/Code/corrupt`` if the source is damaged;
  ///   ``StorageError/Code/alreadyExists`` if it is this store; ``StorageError/Code/busy``,
  ///   ``StorageError/Code/readOnly``, ``StorageError/Code/storageFull``; what either engine reports.
  @available(*, noasync, message: "use the asynchronous restore")
  @discardableResult
  public func restore(
    from source: Store,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    try checkApart(source)
    try checkNotReadOnly()
    try source.checkSound()
    return try source.read { reader in
      try write { writer in try writer.replaceAll(by: reader, progress: progress) }
    }
  }

  /// Replaces everything in this store by what another one on any backend holds, such as a backup.
  @discardableResult
  public func restore(
    from source: Store,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> Int {
    try checkApart(source)
    try checkNotReadOnly()
    try await source.onOwnThread { try $0.checkSound() }
    return try await write { writer in
      try source.performRead(deadline: nil) { try writer.replaceAll(by: $0, progress: progress) }
    }
  }

  /// Throws if verification finds a fault.
  @available(*, noasync)
  package func checkSound() throws(StorageError) {
    let faults = try verify().filter(\.isFault)
    guard let first = faults.first else { return }
    let others = faults.count > 1 ? " (and \(faults.count - 1) more faults)" : ""
    throw StorageError(
      .corrupt,
      "the store to restore from is damaged: \(first.message)\(others); use another backup",
      backend: capabilities.backend
    )
  }
}

extension WriteTransaction {
  /// Replaces everything that the store holds.
  fileprivate func replaceAll(by source: ReadTransaction, progress: (Int) -> Void)
    throws(StorageError) -> Int
  {
    try dropAllCollections()
    return try StoreCopy(source).run(in: self, progress: progress)
  }
}
