extension KeyValueStorageWriter {
  /// Sets the largest automatic key that the collection has given out: the next one is one more.
  ///
  /// It may go down.
  public func setLastAutomaticKey(_ last: Int64, of collection: Collection) throws(StorageError) {
    let prepared = try prepare(collection)
    changes += 1
    prepared.lastAutomaticKey = last
    prepared.isAutomaticKeyDirty = true
  }

  /// Writes the automatic keys that were given out so far, so that the engine has them.
  func writeAutomaticKeys() throws(StorageError) {
    for prepared in session.all where prepared.isAutomaticKeyDirty {
      try writeAutomaticKey(prepared)
    }
  }

  func lastAutomaticKey(_ prepared: PreparedCollection) throws(StorageError) -> Int64 {
    if let last = prepared.lastAutomaticKey { return last }
    let last = try lastAutomaticKey(of: prepared.collection)
    prepared.lastAutomaticKey = last
    return last
  }

  func nextAutomaticKey(_ prepared: PreparedCollection) throws(StorageError) -> Int64 {
    let last = try lastAutomaticKey(prepared)
    guard last < Int64.max else {
      throw StorageError(
        .overflow,
        "collection \(prepared.collection.name) has used the largest automatic key; give keys"
      )
    }
    return last + 1
  }

  @inline(__always)
  func raiseAutomaticKey(_ prepared: PreparedCollection, to key: Int64) throws(StorageError) {
    if key > (try lastAutomaticKey(prepared)) {
      prepared.lastAutomaticKey = key
      prepared.isAutomaticKeyDirty = true
    }
  }

  func writeAutomaticKey(_ prepared: PreparedCollection) throws(StorageError) {
    guard let last = prepared.lastAutomaticKey else { return }
    encodeSequenceKey(prepared)
    session.longValue.removeAll()
    session.longValue.append(CBOR.Item(last))
    try transaction.put(
      session.longKey.bytes,
      session.longValue.bytes,
      in: session.schema.sequenceTable
    )
    prepared.isAutomaticKeyDirty = false
  }
}
