import Holdfast

extension ArchiveStorage {
  /// Brings the record files up to date and begins a fresh journal.
  ///
  /// The lock is held.
  /// The order makes every crash recoverable: the journal names the new files' content before any of
  /// them replaces an old one, and the catalog goes over last.
  /// - Throws: `StorageError.Code.conflict` if a file was edited by hand meanwhile; what the
  ///   system reports. From the journal's mark on a failure leaves the archive for reading only.
  func checkpoint(_ state: inout ArchiveState) throws(StorageError) {
    let snapshot = try state.memory.beginReading(timeout: options.timeout)
    defer { snapshot.end() }
    var new = CheckpointFiles(folder, state, snapshot, .underLock)
    let header: [UInt8]
    do throws(StorageError) {
      try write(&new, of: snapshot, &state, files)
      header = try new.writeJournal(store: state.store, files)
      try files.syncFolder(folder.path)
      try cutTornTail(&state)
    } catch {
      new.discard(files)
      throw error
    }
    do throws(StorageError) {
      try appendMark(new.digests, &state)
      try putInPlace(new, journalEnd: header.count, &state)
    } catch {
      recordFailure(error)
      throw error
    }
    state.changed = []
    removeLeftovers(new.collections.map(\.physicalName), &state)
  }

  /// Removes what interrupted checkpoints wrote and this one had no need to.
  func removeLeftovers(_ names: [String], _ state: inout ArchiveState) {
    folder.removeReplacements(
      of: (names + state.replacements).map { folder.records($0, state.encoding) },
      ArchiveFolder.Replacement.allCases,
      files
    )
    state.replacements = []
  }

  /// Writes record files and catalog beside the old ones.
  ///
  /// - Throws: `StorageError.Code.conflict` if a file that would be replaced or removed was edited by
  ///   hand.
  func write(
    _ new: inout CheckpointFiles,
    of snapshot: ArchiveMemory.Reader,
    _ state: inout ArchiveState,
    _ files: any FileOperations
  ) throws(StorageError) {
    for file in new.obsolete { _ = try checkUnedited(file) }
    for collection in new.collections {
      try checkUnedited(collection.id, &state)
      let old = state.files[collection.id]?.onDisk?.name
      try new.writeRecords(of: collection, from: snapshot, inPlaceOf: old, files)
    }
    try new.writeCatalog(of: snapshot, files)
  }

  /// Renames the new files over the old ones, whose mark is in the journal, and goes on with the new
  /// journal.
  func putInPlace(
    _ new: CheckpointFiles,
    journalEnd: Int,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    // 1. The records, and away with files that have no successor.
    for collection in new.collections {
      try checkUnedited(collection.id, &state)
      try putInPlace(collection, new, &state)
    }
    try files.syncFolder(folder.path)
    for file in new.obsolete where try checkUnedited(file) != nil {
      try files.remove(file.path)
    }
    if !new.obsolete.isEmpty { try files.syncFolder(folder.path) }
    state.obsolete = []
    // 2. The catalog, 3. the journal.
    for path in [folder.catalog, folder.journal] {
      try files.rename(ArchiveFolder.replacement(of: path, new.kind), to: path)
      try files.syncFolder(folder.path)
    }
    state.journal = try newJournal(after: new.sequence, end: journalEnd)
    state.base = new.sequence
    state.needsCheckpoint = false
    state.isCheckpointUnfinished = false
    state.isEdited = false
  }

  private func putInPlace(
    _ collection: Collection,
    _ new: CheckpointFiles,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    guard let digest = new.digests[collection.id] else { return }
    let path = folder.records(collection.physicalName, state.encoding)
    try files.rename(ArchiveFolder.replacement(of: path, new.kind), to: path)
    state.files[collection.id] = ArchiveState.TrackedFile(
      onDisk: ArchiveState.RecordContent(
        collection.physicalName,
        digest,
        at: path,
        stamp: try FileStamp.of(path)
      ),
      target: collection.physicalName,
      isDirty: false
    )
  }

  private func appendMark(
    _ digests: [Int: FileDigest],
    _ state: inout ArchiveState
  ) throws(StorageError) {
    let line = JournalLine.checkpoint(
      state.sequence,
      files: digests,
      from: state.journal.end,
      synced: state.journal.synced
    )
    try append(line, &state, isDurable: true)
  }

  /// Opens the journal that a checkpoint has put in place, all of which is durable.
  private func newJournal(after base: Int64, end: Int) throws(StorageError) -> JournalPosition {
    guard let file = try OpenFile.open(folder.journal, writable: true) else {
      throw StorageError(
        .corrupt,
        "\(folder.journal) is missing; close and reopen the store",
        backend: format.backend
      )
    }
    let length = min(end, JournalLine.checkLength)
    let tail = try FileBytes.read(
      file.descriptor,
      from: end - length,
      limit: length,
      path: folder.journal
    )
    defer { tail.keepAlive() }
    return JournalPosition(
      file: file,
      base: base,
      stamp: tail.stamp,
      end: end,
      synced: options.durability == .none ? 0 : end,
      tail: Array(tail.bytes)
    )
  }

  /// Appends a closed group to the journal; if `isDurable`, it survives power loss once this
  /// returns.
  func append(
    _ group: [UInt8],
    _ state: inout ArchiveState,
    isDurable: Bool
  ) throws(StorageError) {
    let file = try state.journal.descriptor()
    let end = state.journal.end
    let result = group.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in
        try files.write(bytes, to: file, at: end, path: folder.journal)
      }
    }
    try result.get()
    if isDurable { try files.sync(file, path: folder.journal) }
    state.journal.end += group.count
    if isDurable, options.durability != .none { state.journal.synced = state.journal.end }
    state.journal.tail = Array(group.suffix(JournalLine.checkLength))
    state.journal.endsInOwnCommit = true
  }
}
