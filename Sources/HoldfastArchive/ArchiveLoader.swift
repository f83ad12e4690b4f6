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
    let deadline = ContinuousClock.now + options.timeout
    while true {
      let catalog = try FileStamp.of(folder.catalog)
      let journal = try FileStamp.of(folder.journal)
      do throws(StorageError) {
        let state = try attempt()
        let nowCatalog = try FileStamp.of(folder.catalog)
        let nowJournal = try FileStamp.of(folder.journal)
        if nowCatalog == catalog, nowJournal?.inode == journal?.inode { return state }
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

  /// A journal as it was found.
  private struct FoundJournal {
    var file: OpenFile
    var content: FileBytes
    var base: Int64
    var headerEnd: Int
    var scan: JournalScan

    func changes(_ group: JournalScan.Group) -> UnsafeRawBufferPointer {
      let bytes = content.bytes[headerEnd...]
      return UnsafeRawBufferPointer(
        rebasing: bytes[
          (headerEnd + group.changes.lowerBound)..<(headerEnd + group.changes.upperBound)
        ]
      )
    }
  }

  private func attempt() throws(StorageError) -> ArchiveState {
    let catalog = try readCatalog()
    let journal = try readJournal(catalog)
    defer { journal.content.keepAlive() }
    let memory = try ArchiveMemory(MemoryEngine(), storeID: catalog.store)
    let writer = try memory.beginWriting(timeout: options.timeout)
    defer { writer.end() }
    var files: [Int: ArchiveState.TrackedFile] = [:]
    // The commit whose state each collection's file has.
    var sequences: [Int: Int64] = [:]
    var isEdited = false
    for entry in catalog.collections {
      let collection = try checked(entry)
      try writer.restoreCollection(collection)
      let found = try loadFile(of: collection, entry, catalog, journal, into: writer)
      if let last = entry.lastKey,
        try writer.lastAutomaticKey(of: collection) < last
      {
        try writer.setLastAutomaticKey(last, of: collection)
      }
      files[collection.id] = found.file
      sequences[collection.id] = found.sequence
      if found.isEdited { isEdited = true }
    }
    try writer.setCatalog(schemaVersion: catalog.schemaVersion, nextID: catalog.nextID)
    var replay = JournalReplay(writer, path: folder.journal)
    var sequence = max(journal.base, catalog.base)
    for group in journal.scan.groups
    where group.mark.kind == .commit && group.mark.sequence > catalog.base {
      sequence = group.mark.sequence
      try replay.apply(journal.changes(group)) { (collection) throws(StorageError) in
        let found = try loadCreated(collection, catalog, journal, into: writer)
        files[collection.id] = found.file
        sequences[collection.id] = found.sequence
      } isApplied: { id in
        sequences[id, default: 0] >= sequence
      }
    }
    for id in replay.touched where (sequences[id] ?? 0) < sequence { files[id]?.isDirty = true }
    // Another process may be about to finish a checkpoint, or die before its end.
    for group in journal.scan.groups where group.mark.kind == .checkpoint {
      for (id, digest) in group.mark.files { files[id]?.marked.append(digest) }
    }
    try writer.commit()
    var state = ArchiveState(
      memory: memory,
      store: catalog.store,
      encoding: catalog.encoding,
      files: files,
      journal: position(journal),
      base: catalog.base,
      sequence: sequence,
      needsCheckpoint: isEdited || journal.base != catalog.base
        || journal.scan.groups.contains { $0.mark.kind == .checkpoint }
    )
    convert(&state)
    return state
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

  private func position(_ journal: FoundJournal) -> JournalPosition {
    let end = journal.headerEnd + journal.scan.end
    return JournalPosition(
      file: journal.file,
      stamp: journal.content.stamp,
      end: end,
      synced: journal.scan.synced,
      tail: Array(journal.content.bytes[..<end].suffix(JournalLine.checkLength))
    )
  }

  // MARK: Catalog and journal

  private func readCatalog() throws(StorageError) -> ArchiveCatalog {
    guard let content = try FileBytes.read(folder.catalog) else { throw missing(folder.catalog) }
    defer { content.keepAlive() }
    let isOurs = try FileStamp.of(folder.journal) != nil
    let catalog = try ArchiveCatalog(content.bytes, path: folder.catalog, isOurs: isOurs)
    guard catalog.encoding.format == format else {
      throw StorageError(
        .wrongKind,
        "\(folder.path) is an archive of \(catalog.encoding.format.backend) files; open it as "
          + "\(catalog.encoding.format.backend):",
        backend: format.backend
      )
    }
    return catalog
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

  private func readJournal(_ catalog: ArchiveCatalog) throws(StorageError) -> FoundJournal {
    guard let file = try OpenFile.open(folder.journal, writable: !options.isReadOnly) else {
      throw missing(folder.journal)
    }
    let content = try FileBytes.read(file.descriptor, from: 0, path: folder.journal)
    defer { content.keepAlive() }
    let (header, headerEnd) = try Self.header(content.bytes, path: folder.journal)
    guard header.store == catalog.store else {
      throw damaged("\(folder.journal) belongs to another archive")
    }
    let scan = try JournalScan(
      UnsafeRawBufferPointer(rebasing: content.bytes[headerEnd...]),
      at: headerEnd,
      after: header.sequence,
      synced: headerEnd,
      name: folder.journal
    )
    let leadsToCatalog = scan.groups.contains {
      $0.mark.kind == .checkpoint && $0.mark.sequence == catalog.base
    }
    guard header.sequence == catalog.base || (header.sequence < catalog.base && leadsToCatalog)
    else {
      throw damaged("\(folder.journal) and \(ArchiveCatalog.fileName) are of different times")
    }
    return FoundJournal(
      file: file,
      content: content,
      base: header.sequence,
      headerEnd: headerEnd,
      scan: scan
    )
  }

  /// Reads the header of a journal.
  ///
  /// - Returns: the header and where it ends.
  static func header(
    _ bytes: UnsafeRawBufferPointer,
    path: String
  ) throws(StorageError) -> (JournalMark, Int) {
    let end = (bytes.firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
    let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    let mark = JournalMark(line)
    if let mark, mark.kind == .header, mark.format > JournalLine.format {
      throw StorageError(
        .newerFormat,
        "\(path) has format \(mark.format), and this version of Holdfast reads up to "
          + "\(JournalLine.format); use a newer version",
        backend: "archive"
      )
    }
    guard let mark, mark.kind == .header, JournalLine.isIntact(line) else {
      throw StorageError(
        .corrupt,
        "\(path) is damaged in its first line; restore it from a backup (nothing was changed)",
        backend: "archive"
      )
    }
    return (mark, end)
  }

  // MARK: Record files

  private struct FoundFile {
    var file: ArchiveState.TrackedFile
    var sequence: Int64
    var isEdited = false
  }

  private func loadFile(
    of collection: Collection,
    _ entry: ArchiveCatalog.Entry,
    _ catalog: ArchiveCatalog,
    _ journal: FoundJournal,
    into writer: ArchiveMemory.Writer
  ) throws(StorageError) -> FoundFile {
    let path = folder.records(collection.physicalName, catalog.encoding)
    guard let content = try FileBytes.read(path) else { throw missing(path) }
    defer { content.keepAlive() }
    let digest = FileDigest(hash: content.hash, size: content.bytes.count)
    var found = FoundFile(
      file: ArchiveState.TrackedFile(
        name: collection.physicalName,
        digest: digest,
        stamp: content.stamp,
        isDirty: false
      ),
      sequence: catalog.base
    )
    if digest != entry.digest {
      if let sequence = Self.checkpoint(of: collection.id, digest, journal) {
        found.sequence = sequence
      } else {
        try acceptEdit(of: collection, path, catalog, journal)
        found.isEdited = true
        found.file.isDirty = true
      }
    }
    try RecordFile.load(
      content.bytes,
      name: path,
      collection,
      catalog.encoding,
      into: writer
    )
    return found
  }

  /// Loads the file of a collection that the catalog does not know yet, if a checkpoint wrote it.
  private func loadCreated(
    _ collection: Collection,
    _ catalog: ArchiveCatalog,
    _ journal: FoundJournal,
    into writer: ArchiveMemory.Writer
  ) throws(StorageError) -> FoundFile {
    let path = folder.records(collection.physicalName, catalog.encoding)
    var found = FoundFile(
      file: ArchiveState.TrackedFile(
        name: collection.physicalName,
        digest: nil,
        stamp: nil,
        isDirty: true
      ),
      sequence: 0
    )
    guard let content = try FileBytes.read(path) else { return found }
    defer { content.keepAlive() }
    let digest = FileDigest(hash: content.hash, size: content.bytes.count)
    guard let sequence = Self.checkpoint(of: collection.id, digest, journal) else {
      throw editedWhilePending(path)
    }
    found.file.digest = digest
    found.file.stamp = content.stamp
    found.file.isDirty = false
    found.sequence = sequence
    try RecordFile.load(content.bytes, name: path, collection, catalog.encoding, into: writer)
    return found
  }

  /// The last commit that a checkpoint put into a file of this content; nil if none did.
  private static func checkpoint(
    of id: Int,
    _ digest: FileDigest,
    _ journal: FoundJournal
  ) -> Int64? {
    journal.scan.groups.last { group in
      group.mark.kind == .checkpoint
        && group.mark.files.contains { $0.id == id && $0.digest == digest }
    }?.mark.sequence
  }

  /// Checks that a file which no checkpoint wrote may be taken over as edited by hand.
  private func acceptEdit(
    of collection: Collection,
    _ path: String,
    _ catalog: ArchiveCatalog,
    _ journal: FoundJournal
  ) throws(StorageError) {
    guard options.edits == .accept else {
      throw damaged("\(path) was changed outside of the store")
    }
    for group in journal.scan.groups
    where group.mark.kind == .commit && group.mark.sequence > catalog.base {
      if JournalReplay.touched(by: journal.changes(group)).contains(collection.id) {
        throw editedWhilePending(path)
      }
    }
  }

  private func editedWhilePending(_ path: String) -> StorageError {
    StorageError(
      .conflict,
      "\(path) was edited by hand while commits to it were pending; put back the file as it was, "
        + "open and close the store, then edit it again",
      backend: format.backend
    )
  }

  private func missing(_ path: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) is missing; restore it from a backup (nothing was changed)",
      backend: format.backend
    )
  }

  private func damaged(_ what: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(what); restore the files from a backup (nothing was changed)",
      backend: format.backend
    )
  }
}
