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
    let collections = snapshot.catalog.collections.filter {
      state.files[$0.id]?.needsWriting ?? true
    }
    let removed = try obsoleteFiles(state)
    var written: [Int: FileDigest] = [:]
    // 1. New files beside the old ones.
    do throws(StorageError) {
      for collection in collections {
        try checkUnedited(collection.id, &state)
        written[collection.id] = try writeRecords(collection, snapshot, state)
      }
      try files.syncFolder(folder.path)
    } catch {
      removeReplacements(collections.map(\.physicalName), state)
      throw error
    }
    do throws(StorageError) {
      // 2. The mark that says what they hold.
      let digests = state.files.compactMapValues { $0.onDisk?.digest }
        .merging(written) { _, written in written }
      try cutTornTail(&state)
      try appendMark(digests, &state)
      // 3. The new files in place of the old, and away with those that have no successor.
      for collection in collections {
        guard let digest = written[collection.id] else { continue }
        try checkUnedited(collection.id, &state)
        try putInPlace(collection, digest, &state)
      }
      try files.syncFolder(folder.path)
      try remove(removed, &state)
      // 4. The catalog, 5. a fresh journal.
      let catalog = try ArchiveCatalog(
        of: snapshot,
        encoding: state.encoding,
        base: state.sequence,
        digests: digests
      )
      let replacement = ArchiveFileReplacement(folder: folder, files: files)
      try replacement.replace(folder.catalog, with: try catalog.text())
      try replaceJournal(&state)
    } catch {
      recordFailure(error)
      throw error
    }
    // 6. What an interrupted one wrote and this one had no need to.
    removeReplacements(state.replacements, state)
    state.replacements = []
  }

  /// The files that go out of use with this checkpoint and whose names no other one takes over.
  ///
  /// - Throws: `StorageError.Code.conflict` if one was edited by hand.
  private func obsoleteFiles(
    _ state: ArchiveState
  ) throws(StorageError) -> [ArchiveState.RecordContent] {
    let targets = Set(state.files.values.map(\.target))
    let moved = state.files.values.compactMap { $0.onDisk?.name == $0.target ? nil : $0.onDisk }
    let files = (state.obsolete + moved).filter { !targets.contains($0.name) }
    for file in files { _ = try checkUnedited(file, state.encoding) }
    return files
  }

  private func remove(
    _ obsolete: [ArchiveState.RecordContent],
    _ state: inout ArchiveState
  ) throws(StorageError) {
    for file in obsolete where try checkUnedited(file, state.encoding) != nil {
      try files.remove(folder.records(file.name, state.encoding))
    }
    if !obsolete.isEmpty { try files.syncFolder(folder.path) }
    state.obsolete = []
  }

  /// Gives back the room of new files that do not come into use, which a full disk has none of.
  private func removeReplacements(_ names: [String], _ state: ArchiveState) {
    for name in names {
      let path = folder.records(name, state.encoding)
      // What cannot be removed is removed before it is written again.
      _ = Result { () throws(StorageError) in
        try files.remove(ArchiveFolder.replacement(of: path))
      }
    }
  }

  private func writeRecords(
    _ collection: Collection,
    _ snapshot: ArchiveMemory.Writer,
    _ state: ArchiveState
  ) throws(StorageError) -> FileDigest {
    let path = folder.records(collection.physicalName, state.encoding)
    let old = state.files[collection.id]?.onDisk.map { folder.records($0.name, state.encoding) }
    let fresh = ArchiveFolder.replacement(of: path)
    let file = try FileWriter(fresh, mode: try FileStamp.of(old ?? path)?.mode, files: files)
    try RecordFile.write(collection, state.encoding, from: snapshot, to: file)
    return try file.finish()
  }

  private func putInPlace(
    _ collection: Collection,
    _ digest: FileDigest,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    let path = folder.records(collection.physicalName, state.encoding)
    try files.rename(ArchiveFolder.replacement(of: path), to: path)
    state.files[collection.id] = ArchiveState.TrackedFile(
      onDisk: ArchiveState.RecordContent(
        name: collection.physicalName,
        digest: digest,
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
      files: digests.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      from: state.journal.end,
      synced: state.journal.synced
    )
    try append(line, &state, isDurable: true)
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
    state.isCheckpointUnfinished = false
    state.isEdited = false
  }

  // MARK: Shared with commits

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

  /// Checks that the file of a collection still has the content that memory goes back to, and that
  /// nobody has put one where it is to be.
  ///
  /// Costs one look at its stamp as a rule; the file is read only if that has changed.
  /// - Throws: `StorageError.Code.conflict`.
  func checkUnedited(_ id: Int, _ state: inout ArchiveState) throws(StorageError) {
    guard let file = state.files[id] else { return }
    if let content = file.onDisk {
      guard let found = try checkUnedited(content, state.encoding) else {
        throw edited(content.name, state.encoding)
      }
      if found.stamp != content.stamp { state.files[id]?.onDisk = found }
      if content.name == file.target { return }
    }
    // The place may be that of a collection that was dropped.
    if let obsolete = state.obsolete.first(where: { $0.name == file.target }) {
      _ = try checkUnedited(obsolete, state.encoding)
    } else if try FileStamp.of(folder.records(file.target, state.encoding)) != nil {
      let path = folder.records(file.target, state.encoding)
      throw StorageError(
        .conflict,
        "\(path) is in the place of a collection's file; move it away, then open the store again",
        backend: format.backend
      )
    }
  }

  /// Checks that a file has the content that it had.
  ///
  /// - Returns: the content with a stamp; nil if the file is not there any more.
  func checkUnedited(
    _ content: ArchiveState.RecordContent,
    _ encoding: ArchiveEncoding
  ) throws(StorageError) -> ArchiveState.RecordContent? {
    let path = folder.records(content.name, encoding)
    if let stamp = content.stamp, try FileStamp.of(path) == stamp { return content }
    guard let found = try FileBytes.read(path) else { return nil }
    guard FileDigest(hash: found.hash, size: found.bytes.count) == content.digest else {
      throw edited(content.name, encoding)
    }
    var content = content
    content.stamp = found.stamp
    return content
  }

  private func edited(_ name: String, _ encoding: ArchiveEncoding) -> StorageError {
    StorageError(
      .conflict,
      "\(folder.records(name, encoding)) was edited by hand while the store was open; put back the "
        + "file as it was, close the store, then edit it again",
      backend: format.backend
    )
  }
}
