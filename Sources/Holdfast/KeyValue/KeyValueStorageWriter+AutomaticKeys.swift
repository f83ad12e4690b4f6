extension KeyValueStorageWriter {
  /// The largest automatic key that the collection has given out or taken, 0 if none.
  ///
  /// For backends that keep their own journal over this storage.
  /// - Throws: ``StorageError/Code/corrupt`` if the stored one is damaged.
  public func automaticCounter(of collection: Collection) throws(StorageError) -> Int64 {
    try lastAutomaticKey(try prepare(collection))
  }

  /// Sets the largest automatic key that the collection has given out: the next one is one more.
  ///
  /// For backends that keep their own journal over this storage; it may go down.
  public func setAutomaticCounter(_ last: Int64, of collection: Collection) throws(StorageError) {
    let prepared = try prepare(collection)
    changes += 1
    prepared.lastAutomaticKey = last
    prepared.isAutomaticKeyDirty = true
  }

  func lastAutomaticKey(_ prepared: PreparedCollection) throws(StorageError) -> Int64 {
    if let last = prepared.lastAutomaticKey { return last }
    var last: Int64 = 0
    encodeSequenceKey(prepared)
    let table = session.schema.sequenceTable
    if let stored = try transaction.get(session.longKey.bytes, in: table) {
      guard let value = CBOR.integer(stored) else {
        throw StorageError(
          .corrupt,
          "the automatic key of \(prepared.collection.name) is damaged; restore a backup"
        )
      }
      last = value
    }
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

  private func encodeSequenceKey(_ prepared: PreparedCollection) {
    session.longKey.removeAll()
    KeyCoding.append(integer: Int64(prepared.collection.id), to: session.longKey)
  }
}
