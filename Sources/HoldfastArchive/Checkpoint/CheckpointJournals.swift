import Holdfast

/// The two journals of a checkpoint that runs beside commits, with what was committed since its
/// snapshot.
///
/// The marked one is the old journal up to the snapshot, the checkpoint's mark, and the later commits:
/// it is in place while record files and catalog are renamed. The next one has the later commits
/// alone, and takes its place after that.
struct CheckpointJournals {
  private let folder: ArchiveFolder
  /// The old journal, which whoever has the state keeps open.
  private let source: Int32
  private let marked: FileWriter
  private let next: FileWriter
  /// How far the old journal is in both.
  private(set) var copied: Int
  /// The last commit in both.
  private var sequence: Int64
  private let isDurable: Bool

  /// Copies the old journal up to a state, and marks which content the record files will have.
  init(
    _ folder: ArchiveFolder,
    _ state: ArchiveState,
    digests: [Int: FileDigest],
    isDurable: Bool,
    _ files: any FileOperations
  ) throws(StorageError) {
    self.folder = folder
    source = try state.journal.descriptor()
    self.isDurable = isDurable
    copied = state.journal.end
    sequence = state.sequence
    let mode = try FileStamp.of(folder.journal)?.mode
    marked = try FileWriter(folder.markedJournal, mode: mode, files: files)
    next = try FileWriter(
      ArchiveFolder.replacement(of: folder.journal, .besideCommits),
      mode: mode,
      files: files
    )
    try next.append(JournalLine.header(store: state.store, base: state.sequence))
    while marked.count < copied {
      let limit = min(1 << 20, copied - marked.count)
      let part = try FileBytes.read(
        source,
        from: marked.count,
        limit: limit,
        path: folder.journal
      )
      defer { part.keepAlive() }
      guard part.bytes.count == limit else { throw damaged }
      try marked.append(part.bytes)
    }
    let mark = JournalLine.checkpoint(
      state.sequence,
      files: digests,
      from: marked.count,
      synced: isDurable ? marked.count : 0
    )
    try marked.append(mark)
  }

  /// Adds what was committed up to an offset of the old journal.
  ///
  /// - Throws: `StorageError.Code.corrupt` if it is not what was committed.
  mutating func copy(upTo end: Int) throws(StorageError) {
    var limit = 1 << 22
    while copied < end {
      let isLast = limit >= end - copied
      let length = try copyGroups(within: min(limit, end - copied))
      if length > 0 { continue }
      // Not even the first one fits.
      if isLast { throw damaged }
      limit *= 2
    }
  }

  /// Adds the whole groups of the next stretch.
  ///
  /// - Returns: how many bytes they have.
  private mutating func copyGroups(within length: Int) throws(StorageError) -> Int {
    let content = try FileBytes.read(
      source,
      from: copied,
      limit: length,
      path: folder.journal
    )
    defer { content.keepAlive() }
    let scan = try JournalScan(
      content.bytes,
      at: copied,
      after: sequence,
      synced: 0,
      name: folder.journal
    )
    guard scan.groups.allSatisfy({ $0.mark.kind == .commit }) else { throw damaged }
    for journal in [marked, next] { try append(scan.groups, of: content.bytes, to: journal) }
    sequence = scan.groups.last?.mark.sequence ?? sequence
    copied += scan.end
    return scan.end
  }

  private func append(
    _ groups: [JournalScan.Group],
    of bytes: UnsafeRawBufferPointer,
    to journal: FileWriter
  ) throws(StorageError) {
    var group = JSONWriter()
    var text: [UInt8] = []
    for found in groups {
      group.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[found.changes]))
      // All of it is durable before it is in place.
      let start = journal.count + text.count
      JournalLine.appendCommit(
        found.mark.sequence,
        from: start,
        synced: isDurable ? start : 0,
        to: &group
      )
      text.append(contentsOf: group.bytes)
      group.bytes.removeAll(keepingCapacity: true)
      try journal.takeIfLarge(&text)
    }
    try journal.take(&text)
  }

  /// Makes both durable.
  func sync() throws(StorageError) {
    try marked.sync()
    try next.sync()
  }

  /// Whether both are where they were written.
  func areIntact() throws(StorageError) -> Bool {
    for journal in [marked, next] where try !journal.isInPlace() { return false }
    return true
  }

  /// The size of the next one.
  var nextCount: Int { next.count }

  private var damaged: StorageError {
    StorageError(
      .corrupt,
      "\(folder.journal) is damaged; close and reopen the store",
      backend: "archive"
    )
  }
}
