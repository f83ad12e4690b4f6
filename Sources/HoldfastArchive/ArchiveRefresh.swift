import Holdfast

/// Brings an open archive up to date with what other processes have journalled.
struct ArchiveRefresh {
  let folder: ArchiveFolder
  let loader: ArchiveLoader

  /// Applies new groups; reads everything again only where the groups between are gone.
  ///
  /// Costs one look at the journal's stamp where nothing has happened.
  ///
  /// - Parameters:
  ///   - state: what is known.
  ///   - isResuming: whether the journal was closed meanwhile, so that another one may look like it.
  /// - Returns: whether memory holds something else than before.
  /// - Throws: `StorageError.Code.corrupt`; what loading throws.
  func run(_ state: inout ArchiveState, isResuming: Bool = false) throws(StorageError) -> Bool {
    guard let stamp = try FileStamp.of(folder.journal) else {
      throw StorageError(
        .corrupt,
        "\(folder.journal) is missing; restore it, or close and reopen the store",
        backend: "archive"
      )
    }
    if !isResuming, state.journal.isCurrent(stamp) { return false }
    if stamp.isSameFile(as: state.journal.stamp), stamp.size < state.journal.synced {
      throw StorageError(
        .corrupt,
        "\(folder.journal) was cut before a place that was made durable; restore it from a backup",
        backend: "archive"
      )
    }
    let sequence = state.sequence
    // Whatever is still in the journal that is open belongs before a new one.
    var isCurrent = try readOn(&state)
    if isCurrent, !stamp.isSameFile(as: state.journal.stamp) {
      isCurrent = try adoptNewJournal(&state)
    }
    if isCurrent { return state.sequence != sequence }
    state = try loader.load()
    return true
  }

  /// Applies what was appended to the open journal; false if it is no continuation.
  private func readOn(_ state: inout ArchiveState) throws(StorageError) -> Bool {
    let tailStart = state.journal.end - state.journal.tail.count
    let content = try FileBytes.read(
      state.journal.descriptor(),
      from: tailStart,
      path: folder.journal
    )
    defer { content.keepAlive() }
    guard content.bytes.starts(with: state.journal.tail) else { return false }
    let fresh = UnsafeRawBufferPointer(rebasing: content.bytes[state.journal.tail.count...])
    guard try apply(fresh, &state) else { return false }
    state.journal.stamp = content.stamp
    state.journal.endsInOwnCommit = false
    return true
  }

  /// Applies the groups of a stretch that follows the journal's end; false, having changed nothing,
  /// if they tell of a file that memory does not hold.
  private func apply(
    _ bytes: UnsafeRawBufferPointer,
    _ state: inout ArchiveState
  ) throws(StorageError) -> Bool {
    let scan = try JournalScan(
      bytes,
      at: state.journal.end,
      after: state.sequence,
      synced: state.journal.synced,
      name: folder.journal
    )
    guard let last = scan.groups.last else { return true }
    let writer = try state.memory.beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    var replay = JournalReplay(writer, path: folder.journal)
    for group in scan.groups where group.mark.kind == .commit {
      try replay.apply(UnsafeRawBufferPointer(rebasing: bytes[group.changes]))
    }
    var next = state
    for id in replay.touched { next.noteChange(of: id) }
    next.follow(writer.catalog)
    // A checkpoint that another process began and did not finish is finished before we commit.
    for group in scan.groups where group.mark.kind == .checkpoint {
      next.needsCheckpoint = true
      next.isCheckpointUnfinished = true
      guard next.holds(group.mark.files) else { return false }
    }
    try writer.commit()
    next.sequence = last.mark.sequence
    next.journal.end += scan.end
    next.journal.synced = scan.synced
    next.journal.tail = Array(
      (state.journal.tail + bytes[..<scan.end].suffix(JournalLine.checkLength))
        .suffix(JournalLine.checkLength)
    )
    state = next
    return true
  }

  /// Goes over to the journal that another process' checkpoint began, if it goes on where this one
  /// has arrived.
  private func adoptNewJournal(_ state: inout ArchiveState) throws(StorageError) -> Bool {
    guard let file = try OpenFile.open(folder.journal, writable: !loader.options.isReadOnly) else {
      return false
    }
    let header = try header(of: file)
    guard header.store == state.store, header.sequence <= state.sequence else { return false }
    if header.sequence == state.journal.base, state.sequence > header.sequence {
      // With commits that went into no file it is that of a checkpoint which is renaming files, or was
      // interrupted at it. The old one has all of them: before the next commit there is yet another.
      state.needsCheckpoint = true
      state.isCheckpointUnfinished = true
      return true
    }
    let content = try FileBytes.read(file.descriptor, from: 0, path: folder.journal)
    guard let catalogContent = try FileBytes.read(folder.catalog) else { return false }
    defer {
      content.keepAlive()
      catalogContent.keepAlive()
    }
    let catalog = try ArchiveCatalog(catalogContent.bytes, path: folder.catalog, isOurs: true)
    guard catalog.store == state.store, catalog.base == header.sequence,
      catalog.encoding == state.encoding, state.holds(catalog.digests)
    else { return false }
    return try adopt(file, content, catalog, &state)
  }

  private func header(of file: OpenFile) throws(StorageError) -> JournalMark {
    let start = try FileBytes.read(file.descriptor, from: 0, limit: 1 << 12, path: folder.journal)
    defer { start.keepAlive() }
    return try FoundJournal.header(start.bytes, path: folder.journal).0
  }

  /// Takes the catalog's files for those that memory goes back to, and applies the commits of the new
  /// journal that are not in memory yet.
  private func adopt(
    _ file: OpenFile,
    _ content: FileBytes,
    _ catalog: ArchiveCatalog,
    _ state: inout ArchiveState
  ) throws(StorageError) -> Bool {
    let (_, headerEnd) = try FoundJournal.header(content.bytes, path: folder.journal)
    let groups = UnsafeRawBufferPointer(rebasing: content.bytes[headerEnd...])
    let scan = try JournalScan(
      groups,
      at: headerEnd,
      after: catalog.base,
      synced: headerEnd,
      name: folder.journal
    )
    let known = scan.groups.prefix {
      $0.mark.kind == .commit && $0.mark.sequence <= state.sequence
    }
    guard (known.last?.mark.sequence ?? catalog.base) == state.sequence else { return false }
    state.files = [:]
    state.obsolete = []
    for entry in catalog.collections {
      state.files[entry.id] = ArchiveState.TrackedFile(
        onDisk: entry.digest.map {
          ArchiveState.RecordContent(
            entry.physicalName,
            $0,
            at: folder.records(entry.physicalName, catalog.encoding)
          )
        },
        target: entry.physicalName,
        isDirty: entry.digest == nil
      )
    }
    for group in known {
      let changes = UnsafeRawBufferPointer(rebasing: groups[group.changes])
      for id in JournalOutline.touched(by: changes) { state.noteChange(of: id) }
    }
    let end = known.last?.range.upperBound ?? 0
    state.base = catalog.base
    state.needsCheckpoint = false
    state.isCheckpointUnfinished = false
    state.journal = JournalPosition(
      file: file,
      base: catalog.base,
      stamp: content.stamp,
      end: headerEnd + end,
      synced: scan.synced,
      tail: Array(content.bytes[..<(headerEnd + end)].suffix(JournalLine.checkLength))
    )
    return try apply(UnsafeRawBufferPointer(rebasing: groups[end...]), &state)
  }
}

extension ArchiveState {
  /// Whether memory holds what a checkpoint of another process wrote to files; it does not if that
  /// one took over a file that was edited by hand.
  fileprivate func holds(_ written: [(id: Int, digest: FileDigest)]) -> Bool {
    !isEdited
      && written.allSatisfy { id, digest in
        guard let file = files[id], !file.isDirty else { return true }
        return file.onDisk?.digest == digest
      }
  }
}
