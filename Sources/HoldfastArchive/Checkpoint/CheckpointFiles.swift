import Holdfast

/// The new files of a checkpoint, written beside those whose places they take.
struct CheckpointFiles {
  let folder: ArchiveFolder
  let encoding: ArchiveEncoding
  let kind: ArchiveFolder.Replacement
  /// The commit whose state they have.
  let sequence: Int64
  /// The collections whose records are among them.
  let collections: [Collection]
  /// The files that go out of use and whose names no other one takes over.
  let obsolete: [ArchiveState.RecordContent]
  /// What the record files hold once all are in place, by collection.
  private(set) var digests: [Int: FileDigest]
  /// The new files as they were when they were complete, by the path that each will have.
  private var stamps: [String: FileStamp] = [:]

  /// Finds out what a checkpoint of a state has to write; nothing is written yet.
  init(
    _ folder: ArchiveFolder,
    _ state: ArchiveState,
    _ snapshot: ArchiveMemory.Reader,
    _ kind: ArchiveFolder.Replacement
  ) {
    self.folder = folder
    self.kind = kind
    encoding = state.encoding
    sequence = state.sequence
    collections = snapshot.catalog.collections.filter { state.files[$0.id]?.needsWriting ?? true }
    digests = state.files.compactMapValues { $0.onDisk?.digest }
    let targets = Set(state.files.values.map(\.target))
    let moved = state.files.values.compactMap { $0.onDisk?.name == $0.target ? nil : $0.onDisk }
    obsolete = (state.obsolete + moved).filter { !targets.contains($0.name) }
  }

  // MARK: Writing

  /// Writes the records of a collection, with the permissions of the file that has them now.
  mutating func writeRecords(
    of collection: Collection,
    from snapshot: ArchiveMemory.Reader,
    inPlaceOf old: String?,
    _ files: any FileOperations
  ) throws(StorageError) {
    let path = folder.records(collection.physicalName, encoding)
    let original = old.map { folder.records($0, encoding) } ?? path
    let file = try create(path, like: original, files)
    try RecordFile.write(collection, encoding, from: snapshot, to: file)
    digests[collection.id] = try finish(file, path)
  }

  /// Writes the catalog of the files; those of records come before.
  mutating func writeCatalog(
    of snapshot: ArchiveMemory.Reader,
    _ files: any FileOperations
  ) throws(StorageError) {
    let text = try ArchiveCatalog(
      of: snapshot,
      encoding: encoding,
      base: sequence,
      digests: digests
    ).text()
    let file = try create(folder.catalog, like: folder.catalog, files)
    try file.append(text)
    _ = try finish(file, folder.catalog)
  }

  /// Writes the journal that follows the files, with nothing in it.
  ///
  /// - Returns: its text.
  mutating func writeJournal(
    store: String,
    _ files: any FileOperations
  ) throws(StorageError) -> [UInt8] {
    let header = JournalLine.header(store: store, base: sequence)
    let file = try create(folder.journal, like: folder.journal, files)
    try file.append(header)
    _ = try finish(file, folder.journal)
    return header
  }

  private func create(
    _ path: String,
    like original: String,
    _ files: any FileOperations
  ) throws(StorageError) -> FileWriter {
    try FileWriter(
      ArchiveFolder.replacement(of: path, kind),
      mode: try FileStamp.of(original)?.mode,
      files: files
    )
  }

  private mutating func finish(
    _ file: FileWriter,
    _ path: String
  ) throws(StorageError) -> FileDigest {
    let digest = try file.finish()
    stamps[path] = try FileStamp.of(ArchiveFolder.replacement(of: path, kind))
    return digest
  }

  // MARK: Putting in place

  /// Whether nobody has changed or removed a new file since it was written.
  func areIntact() throws(StorageError) -> Bool {
    for (path, stamp) in stamps
    where try FileStamp.of(ArchiveFolder.replacement(of: path, kind)) != stamp { return false }
    return true
  }

  /// Removes new files that do not come into use: a full disk needs their room.
  func discard(_ files: any FileOperations) {
    folder.removeReplacements(
      of: collections.map { folder.records($0.physicalName, encoding) },
      [kind],
      files
    )
  }
}
