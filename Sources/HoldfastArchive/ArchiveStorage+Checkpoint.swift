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
    let snapshot = try state.memory.beginWriting(timeout: options.timeout)
    defer { snapshot.end() }
    let collections = snapshot.catalog.collections
    var changed: [(collection: Collection, digest: FileDigest)] = []
    // 1. New files beside the old ones.
    do throws(StorageError) {
      for collection in collections where needsWriting(collection, state) {
        try checkUnedited(collection, &state)
        changed.append((collection, try writeRecords(collection, snapshot, state)))
      }
      try files.syncFolder(folder.path)
    } catch {
      removeReplacements(collections, state)
      throw error
    }
    do throws(StorageError) {
      // 2. The mark that says what they hold.
      var digests: [Int: FileDigest] = [:]
      for collection in collections { digests[collection.id] = state.files[collection.id]?.digest }
      for entry in changed { digests[entry.collection.id] = entry.digest }
      try cutTornTail(&state)
      try appendMark(digests, &state)
      // 3. The new files in place of the old.
      for entry in changed {
        try checkUnedited(entry.collection, &state)
        let path = folder.records(entry.collection.physicalName, state.encoding)
        try files.rename(ArchiveFolder.replacement(of: path), to: path)
        state.files[entry.collection.id] = ArchiveState.TrackedFile(
          name: entry.collection.physicalName,
          digest: entry.digest,
          stamp: try FileStamp.of(path),
          isDirty: false
        )
      }
      try files.syncFolder(folder.path)
      // 4. The catalog, 5. a fresh journal.
      try replaceCatalog(snapshot, state)
      try replaceJournal(&state)
    } catch {
      recordFailure(error)
      throw error
    }
  }

  /// Gives back the room of new files that do not come into use, which a full disk has none of.
  private func removeReplacements(_ collections: [Collection], _ state: ArchiveState) {
    for collection in collections {
      let path = folder.records(collection.physicalName, state.encoding)
      // What cannot be removed is removed before it is written again.
      _ = Result { () throws(StorageError) in
        try files.remove(ArchiveFolder.replacement(of: path))
      }
    }
  }

  private func needsWriting(_ collection: Collection, _ state: ArchiveState) -> Bool {
    guard let file = state.files[collection.id] else { return true }
    return file.isDirty || file.digest == nil
  }

  private func writeRecords(
    _ collection: Collection,
    _ snapshot: ArchiveMemory.Writer,
    _ state: ArchiveState
  ) throws(StorageError) -> FileDigest {
    let path = folder.records(collection.physicalName, state.encoding)
    let fresh = ArchiveFolder.replacement(of: path)
    let file = try FileWriter(fresh, mode: try FileStamp.of(path)?.mode, files: files)
    try RecordFile.write(collection, state.encoding, from: snapshot, to: file)
    return try file.finish()
  }

  private func appendMark(
    _ digests: [Int: FileDigest],
    _ state: inout ArchiveState
  ) throws(StorageError) {
    let line = JournalLine.checkpoint(
      state.sequence,
      files: digests.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      from: state.journal.end,
      synced: state.journal.synced
    )
    try append(line, &state, isDurable: true)
  }

  private func replaceCatalog(
    _ snapshot: ArchiveMemory.Writer,
    _ state: ArchiveState
  ) throws(StorageError) {
    var catalog = ArchiveCatalog(encoding: state.encoding, store: state.store)
    catalog.base = state.sequence
    catalog.schemaVersion = snapshot.catalog.schemaVersion
    catalog.nextID = snapshot.catalog.nextID
    for collection in snapshot.catalog.collections {
      var lastKey: Int64?
      if collection.automaticKeyPosition != nil {
        lastKey = try snapshot.lastAutomaticKey(of: collection)
      }
      catalog.collections.append(
        ArchiveCatalog.Entry(
          collection,
          lastKey: lastKey,
          digest: state.files[collection.id]?.digest
        )
      )
    }
    let replacement = ArchiveFileReplacement(folder: folder, files: files)
    try replacement.replace(folder.catalog, with: try catalog.text())
  }

  private func replaceJournal(_ state: inout ArchiveState) throws(StorageError) {
    let header = JournalLine.header(store: state.store, base: state.sequence)
    let replacement = ArchiveFileReplacement(folder: folder, files: files)
    try replacement.replace(folder.journal, with: header)
    guard let file = try OpenFile.open(folder.journal, writable: true) else {
      throw StorageError(
        .corrupt,
        "\(folder.journal) is missing; close and reopen the store",
        backend: format.backend
      )
    }
    state.journal = JournalPosition(
      file: file,
      stamp: try FileStamp.of(file.descriptor, path: folder.journal),
      end: header.count,
      synced: header.count,
      tail: Array(header.suffix(JournalLine.checkLength))
    )
    state.base = state.sequence
    state.needsCheckpoint = false
  }

  // MARK: Shared with commits

  /// Appends a closed group to the journal; if `isDurable`, it survives power loss once this
  /// returns.
  func append(
    _ group: [UInt8],
    _ state: inout ArchiveState,
    isDurable: Bool
  ) throws(StorageError) {
    let file = state.journal.file.descriptor
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
    state.journal.stamp = try FileStamp.of(file, path: folder.journal)
  }

  /// Checks that a record file still has the content that memory goes back to.
  ///
  /// Costs one look at its stamp as a rule; the file is read only if that has changed.
  func checkUnedited(_ collection: Collection, _ state: inout ArchiveState) throws(StorageError) {
    let path = folder.records(collection.physicalName, state.encoding)
    let file = state.files[collection.id]
    let digests = (file?.digest.map { [$0] } ?? []) + (file?.marked ?? [])
    // A collection without a file yet.
    if file?.digest == nil, try FileStamp.of(path) == nil { return }
    guard let file, !digests.isEmpty else {
      throw StorageError(
        .conflict,
        "\(path) is in the place of a collection's file; move it away, then open the store again",
        backend: format.backend
      )
    }
    if let stamp = file.stamp, try FileStamp.of(path) == stamp { return }
    if let content = try FileBytes.read(path) {
      let digest = FileDigest(hash: content.hash, size: content.bytes.count)
      if digests.contains(digest) {
        state.files[collection.id]?.digest = digest
        state.files[collection.id]?.stamp = content.stamp
        return
      }
    }
    throw StorageError(
      .conflict,
      "\(path) was edited by hand while the store was open; put back the file as it was, close the "
        + "store, then edit it again",
      backend: format.backend
    )
  }
}
