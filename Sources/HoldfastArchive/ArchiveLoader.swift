import Holdfast

/// Reads a whole archive from its folder, without a lock.
///
/// Another process may write meanwhile. Files are only ever replaced whole and the journal only
/// grows, so what was read belongs together if catalog and journal are still the same files
/// afterwards; otherwise it is read again.
struct ArchiveLoader {
  let folder: ArchiveFolder
  let format: ArchiveFormat
  let options: StorageOptions

  /// Reads the archive.
  ///
  /// - Throws: `StorageError.Code.busy` if it keeps changing for longer than the timeout;
  ///   `StorageError.Code.wrongKind`, `StorageError.Code.newerFormat`,
  ///   `StorageError.Code.corrupt`, `StorageError.Code.conflict`.
  func load() throws(StorageError) -> ArchiveState {
    try whileUnchanged { () throws(StorageError) in try attempt() }
  }

  /// Repeats `body` until catalog and journal were the same files before it and after it.
  func whileUnchanged<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    let deadline = ContinuousClock.now + options.timeout
    while true {
      let catalog = try FileStamp.of(folder.catalog)
      let journal = try FileStamp.of(folder.journal)
      do throws(StorageError) {
        let result = try body()
        let nowCatalog = try FileStamp.of(folder.catalog)
        let nowJournal = try FileStamp.of(folder.journal)
        if nowCatalog == catalog, nowJournal?.inode == journal?.inode { return result }
      } catch {
        let nowCatalog = try FileStamp.of(folder.catalog)
        let nowJournal = try FileStamp.of(folder.journal)
        if nowCatalog == catalog, nowJournal == journal { throw error }
      }
      guard ContinuousClock.now < deadline else {
        throw StorageError(
          .busy,
          "the archive \(folder.path) kept changing while it was read; try again",
          backend: format.backend
        )
      }
    }
  }

  // MARK: One attempt

  /// A file that waits for the replay to reach the commit whose state it has.
  private struct WaitingFile {
    var mark: Int
    var bytes: FileBytes
  }

  private func attempt() throws(StorageError) -> ArchiveState {
    let contents = try ArchiveContents(folder, format, writable: !options.isReadOnly)
    let catalog = contents.catalog
    let memory = try ArchiveMemory(MemoryEngine(), storeID: catalog.store)
    var state = ArchiveState(
      memory: memory,
      store: catalog.store,
      encoding: catalog.encoding,
      files: [:],
      obsolete: [],
      replacements: try contents.replacements(),
      journal: contents.journal.position,
      base: catalog.base,
      sequence: max(contents.journal.base, catalog.base),
      needsCheckpoint: contents.isCheckpointUnfinished,
      isCheckpointUnfinished: contents.isCheckpointUnfinished,
      isEdited: false
    )
    let writer = try memory.beginWriting(timeout: options.timeout)
    defer { writer.end() }
    var waiting: [Int: WaitingFile] = [:]
    for entry in catalog.collections {
      let collection = try checked(entry)
      try writer.restoreCollection(collection)
      let (source, obsolete) = try contents.source(of: entry)
      if let obsolete { state.obsolete.append(obsolete) }
      waiting[entry.id] = try load(source, collection, entry.lastKey, contents, writer, &state)
    }
    for id in contents.outline.created {
      waiting[id] = try wait(for: id, contents, &state)
    }
    try writer.setCatalog(
      schemaVersion: catalog.schemaVersion,
      nextID: catalog.nextID,
      migrations: catalog.migrations
    )
    try replay(contents, waiting, writer, &state)
    try writer.commit()
    convert(&state)
    return state
  }

  /// Applies the pending groups, and takes in the waiting files in between.
  private func replay(
    _ contents: ArchiveContents,
    _ waiting: [Int: WaitingFile],
    _ writer: ArchiveMemory.Writer,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    defer { contents.journal.content.keepAlive() }
    var waiting = waiting
    var replay = JournalReplay(writer, path: folder.journal)
    for (number, group) in contents.pending {
      if group.mark.kind == .commit {
        state.sequence = group.mark.sequence
        try replay.apply(contents.journal.changes(group)) { waiting[$0] != nil }
        continue
      }
      for collection in writer.catalog.collections {
        guard let file = waiting[collection.id], file.mark == number else { continue }
        let last = try writer.lastAutomaticKey(of: collection)
        let name = state.files[collection.id]?.onDisk?.name ?? collection.physicalName
        try load(file.bytes, name, collection, state.encoding, writer)
        if collection.automaticKeyPosition != nil {
          try writer.setLastAutomaticKey(last, of: collection)
        }
        waiting[collection.id] = nil
        replay.forget(collection.id)
      }
    }
    for id in replay.touched { state.files[id]?.isDirty = true }
    state.follow(writer.catalog)
  }

  /// Turns the files to the other form of property lists, if the options ask for it.
  private func convert(_ state: inout ArchiveState) {
    guard format == .propertyList, !options.isReadOnly, let wanted = options.format else { return }
    let encoding: ArchiveEncoding = wanted == .xml ? .xml : .binary
    guard encoding != state.encoding else { return }
    state.encoding = encoding
    state.needsCheckpoint = true
    for id in state.files.keys { state.files[id]?.isDirty = true }
  }

  private func checked(_ entry: ArchiveCatalog.Entry) throws(StorageError) -> Collection {
    do throws(StorageError) {
      return try entry.collection()
    } catch {
      throw StorageError(
        .corrupt,
        "\(folder.catalog): \(error.message)",
        backend: format.backend,
        underlying: error
      )
    }
  }

  // MARK: Record files

  /// Loads the records of a collection that the catalog knows, if their time is now.
  ///
  /// - Returns: the file, if its time comes during the replay.
  private func load(
    _ source: ArchiveContents.Source,
    _ collection: Collection,
    _ lastKey: Int64?,
    _ contents: ArchiveContents,
    _ writer: ArchiveMemory.Writer,
    _ state: inout ArchiveState
  ) throws(StorageError) -> WaitingFile? {
    func track(_ content: ArchiveState.RecordContent?, isDirty: Bool) {
      state.files[collection.id] = ArchiveState.TrackedFile(
        onDisk: content,
        target: collection.physicalName,
        isDirty: isDirty
      )
    }
    var waiting: WaitingFile?
    switch source {
    case .base(let content, let bytes):
      track(content, isDirty: false)
      try load(bytes, content.path, collection, state.encoding, writer)
    case .edited(let content, let bytes):
      try acceptEdit(of: collection.id, content.path, contents)
      track(content, isDirty: true)
      state.isEdited = true
      state.needsCheckpoint = true
      try load(bytes, content.path, collection, state.encoding, writer)
    case .checkpoint(let content, let bytes, let mark):
      track(content, isDirty: false)
      waiting = WaitingFile(mark: mark, bytes: bytes)
    case .nowhere: track(nil, isDirty: true)
    case .missing:
      throw ArchiveContents.missing(
        folder.records(collection.physicalName, state.encoding),
        format
      )
    }
    // Keys may have been given out that no record has any more.
    if let lastKey, try writer.lastAutomaticKey(of: collection) < lastKey {
      try writer.setLastAutomaticKey(lastKey, of: collection)
    }
    return waiting
  }

  /// Finds the file of a collection that pending commits create, if a checkpoint wrote it.
  private func wait(
    for id: Int,
    _ contents: ArchiveContents,
    _ state: inout ArchiveState
  ) throws(StorageError) -> WaitingFile? {
    switch try contents.source(ofCreated: id) {
    case .checkpoint(let content, let bytes, let mark):
      state.files[id] = ArchiveState.TrackedFile(
        onDisk: content,
        target: content.name,
        isDirty: false
      )
      return WaitingFile(mark: mark, bytes: bytes)
    case .edited(let content, _):
      throw editedWhilePending(content.path)
    case .base, .nowhere, .missing: return nil
    }
  }

  private func load(
    _ bytes: FileBytes,
    _ path: String,
    _ collection: Collection,
    _ encoding: ArchiveEncoding,
    _ writer: ArchiveMemory.Writer
  ) throws(StorageError) {
    defer { bytes.keepAlive() }
    try RecordFile.load(bytes.bytes, name: path, collection, encoding, into: writer)
  }

  /// Checks that a file which no checkpoint wrote may be taken over as edited by hand.
  private func acceptEdit(
    of id: Int,
    _ path: String,
    _ contents: ArchiveContents
  ) throws(StorageError) {
    guard options.edits == .accept else {
      throw ArchiveContents.damaged("\(path) was changed outside of the store", format)
    }
    if contents.hasPendingCommits(to: id) { throw editedWhilePending(path) }
  }

  private func editedWhilePending(_ path: String) -> StorageError {
    StorageError(
      .conflict,
      "\(path) was edited by hand while commits to it were pending; put back the file as it was, "
        + "open and close the store, then edit it again",
      backend: format.backend
    )
  }
}
