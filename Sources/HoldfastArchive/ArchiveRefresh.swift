import Holdfast

/// Brings an open archive up to date with what other processes have journalled.
struct ArchiveRefresh {
  let folder: ArchiveFolder
  let loader: ArchiveLoader

  /// Applies new groups; reads everything again only where the groups between are gone.
  ///
  /// Costs one look at the journal's stamp where nothing has happened.
  func run(_ state: inout ArchiveState) throws(StorageError) {
    guard let stamp = try FileStamp.of(folder.journal) else {
      throw StorageError(
        .corrupt,
        "\(folder.journal) is missing; restore it, or close and reopen the store",
        backend: "archive"
      )
    }
    if stamp == state.journal.stamp { return }
    if stamp.isSameFile(as: state.journal.stamp), stamp.size < state.journal.synced {
      throw StorageError(
        .corrupt,
        "\(folder.journal) was cut before a place that was made durable; restore it from a backup",
        backend: "archive"
      )
    }
    // Whatever is still in the journal that is open belongs before a new one.
    guard try readOn(&state) else {
      state = try loader.load()
      return
    }
    if stamp.isSameFile(as: state.journal.stamp) { return }
    if try !adoptNewJournal(&state) { state = try loader.load() }
  }

  /// Applies what was appended to the open journal; false if it is no continuation.
  private func readOn(_ state: inout ArchiveState) throws(StorageError) -> Bool {
    let tailStart = state.journal.end - state.journal.tail.count
    let content = try FileBytes.read(
      state.journal.file.descriptor,
      from: tailStart,
      path: folder.journal
    )
    defer { content.keepAlive() }
    guard content.bytes.starts(with: state.journal.tail) else { return false }
    let fresh = UnsafeRawBufferPointer(rebasing: content.bytes[state.journal.tail.count...])
    try apply(fresh, &state)
    state.journal.stamp = content.stamp
    return true
  }

  private func apply(
    _ bytes: UnsafeRawBufferPointer,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    let scan = try JournalScan(
      bytes,
      at: state.journal.end,
      after: state.sequence,
      synced: state.journal.synced,
      name: folder.journal
    )
    guard let last = scan.groups.last else { return }
    let writer = try state.memory.beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    var replay = JournalReplay(writer, path: folder.journal)
    var files = state.files
    for group in scan.groups where group.mark.kind == .commit {
      try replay.apply(UnsafeRawBufferPointer(rebasing: bytes[group.changes])) {
        (collection) throws(StorageError) in
        files[collection.id] = ArchiveState.TrackedFile(
          name: collection.physicalName,
          digest: nil,
          stamp: nil,
          isDirty: true
        )
      } isApplied: { _ in
        false
      }
    }
    for id in replay.touched { files[id]?.isDirty = true }
    try writer.commit()
    state.files = files
    state.sequence = last.mark.sequence
    // A checkpoint that another process began and did not finish is finished before we commit.
    for group in scan.groups where group.mark.kind == .checkpoint {
      state.needsCheckpoint = true
      for (id, digest) in group.mark.files { state.files[id]?.marked.append(digest) }
    }
    state.journal.end += scan.end
    state.journal.synced = scan.synced
    state.journal.tail = Array(
      (state.journal.tail + bytes[..<scan.end].suffix(JournalLine.checkLength))
        .suffix(JournalLine.checkLength)
    )
  }

  /// Goes over to the journal that another process' checkpoint began, if it goes on where this one
  /// has arrived.
  private func adoptNewJournal(_ state: inout ArchiveState) throws(StorageError) -> Bool {
    guard
      let file = try OpenFile.open(folder.journal, writable: !loader.options.isReadOnly),
      let catalogContent = try FileBytes.read(folder.catalog)
    else { return false }
    let content = try FileBytes.read(file.descriptor, from: 0, path: folder.journal)
    defer {
      content.keepAlive()
      catalogContent.keepAlive()
    }
    let (header, headerEnd) = try ArchiveLoader.header(content.bytes, path: folder.journal)
    let catalog = try ArchiveCatalog(catalogContent.bytes, path: folder.catalog, isOurs: true)
    guard header.store == state.store, header.sequence == state.sequence,
      catalog.store == state.store, catalog.base == header.sequence,
      catalog.encoding == state.encoding
    else { return false }
    for entry in catalog.collections {
      state.files[entry.id] = ArchiveState.TrackedFile(
        name: entry.physicalName,
        digest: entry.digest,
        stamp: nil,
        isDirty: false
      )
    }
    state.base = catalog.base
    state.needsCheckpoint = false
    state.journal = JournalPosition(
      file: file,
      stamp: content.stamp,
      end: headerEnd,
      synced: headerEnd,
      tail: Array(content.bytes[..<headerEnd].suffix(JournalLine.checkLength))
    )
    try apply(UnsafeRawBufferPointer(rebasing: content.bytes[headerEnd...]), &state)
    return true
  }
}
