extension StorageReader {
  /// Until every backend has its own.
  public func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    throw StorageError(.unsupported, "this backend has no counters yet")
  }
}

extension StorageWriter {
  /// Until every backend has its own.
  public func dropCollection(_ collection: Collection) throws(StorageError) {
    throw StorageError(.unsupported, "this backend drops no collections yet")
  }
  /// Until every backend has its own.
  public func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    throw StorageError(.unsupported, "this backend changes no collections yet")
  }
  /// Until every backend has its own.
  public func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError) {
    throw StorageError(.unsupported, "this backend has no counters yet")
  }
  /// Until every backend has its own.
  public func setMigrations(_ names: [String]) throws(StorageError) {
    throw StorageError(.unsupported, "this backend has no migrations yet")
  }
}
