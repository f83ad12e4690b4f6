import Holdfast

/// The catalog and the journal of a folder, and where they say that the records are.
///
/// A record file is in the state of the catalog's `base`, or, if a checkpoint was interrupted, of the
/// commit of its mark. Nothing is committed before a checkpoint is finished: behind its mark are only
/// the commits that were made while it wrote, none of which changes the schema. So every collection
/// has a file of either state at every moment, and a file that holds neither was edited by hand.
struct ArchiveContents {
  let folder: ArchiveFolder
  let format: ArchiveFormat
  let catalog: ArchiveCatalog
  let journal: FoundJournal
  let outline: JournalOutline

  /// Where the records of a collection are.
  enum Source {
    /// In a file as the catalog describes it.
    case base(ArchiveState.RecordContent, FileBytes)
    /// In a file that an interrupted checkpoint wrote, whose mark is the journal's group of that
    /// number.
    case checkpoint(ArchiveState.RecordContent, FileBytes, mark: Int)
    /// Nowhere: the collection is new, or dropped and its file removed.
    case nowhere
    /// In a file that was edited by hand.
    case edited(ArchiveState.RecordContent, FileBytes)
    /// In a file that is not there.
    case missing
  }

  /// Reads catalog and journal.
  ///
  /// - Throws: `StorageError.Code.wrongKind`, `StorageError.Code.newerFormat`,
  ///   `StorageError.Code.corrupt`.
  init(_ folder: ArchiveFolder, _ format: ArchiveFormat, writable: Bool) throws(StorageError) {
    self.folder = folder
    self.format = format
    guard let content = try FileBytes.read(folder.catalog) else {
      throw Self.missing(folder.catalog, format)
    }
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
    guard let (journal, store) = try FoundJournal.read(folder.journal, writable: writable) else {
      throw Self.missing(folder.journal, format)
    }
    guard store == catalog.store else {
      throw Self.damaged("\(folder.journal) belongs to another archive", format)
    }
    let leadsToCatalog = journal.scan.groups.contains {
      $0.mark.kind == .checkpoint && $0.mark.sequence == catalog.base
    }
    guard journal.base == catalog.base || (journal.base < catalog.base && leadsToCatalog) else {
      let names = "\(folder.journal) and \(ArchiveCatalog.fileName)"
      throw Self.damaged("\(names) are of different times", format)
    }
    var outline = JournalOutline()
    for group in journal.scan.groups where Self.isCommit(group, after: catalog.base) {
      outline.add(journal.changes(group))
    }
    self.catalog = catalog
    self.journal = journal
    self.outline = outline
    journal.content.keepAlive()
  }

  private static func isCommit(_ group: JournalScan.Group, after base: Int64) -> Bool {
    group.mark.kind == .commit && group.mark.sequence > base
  }

  /// The groups that are not in the files of ``catalog``, with their numbers.
  var pending: some Sequence<(offset: Int, element: JournalScan.Group)> {
    journal.scan.groups.enumerated().lazy.filter { [base = catalog.base] group in
      group.element.mark.kind == .checkpoint || Self.isCommit(group.element, after: base)
    }
  }

  /// Whether a checkpoint was begun and not finished.
  var isCheckpointUnfinished: Bool {
    journal.base != catalog.base || journal.scan.groups.contains { $0.mark.kind == .checkpoint }
  }

  /// Whether commits that are not in the files change a collection.
  func hasPendingCommits(to id: Int) -> Bool {
    defer { journal.content.keepAlive() }
    return journal.scan.groups.contains { group in
      Self.isCommit(group, after: catalog.base)
        && JournalOutline.touched(by: journal.changes(group)).contains(id)
    }
  }

  // MARK: Record files

  /// Finds the records of a collection that the catalog knows.
  ///
  /// - Returns: where they are, and a file that went out of use with them, if it is still there.
  func source(
    of entry: ArchiveCatalog.Entry
  ) throws(StorageError) -> (source: Source, obsolete: ArchiveState.RecordContent?) {
    let target = outline.names[entry.id] ?? entry.physicalName
    let isDropped = outline.dropped.contains(entry.id)
    let found = try read(entry.physicalName)
    if let found, found.content.digest == entry.digest {
      // Its file under a new name makes the old one obsolete.
      if !isDropped, target != entry.physicalName, let moved = try marked(entry.id, target) {
        return (moved, found.content)
      }
      return (.base(found.content, found.bytes), nil)
    }
    if let found, !isMarked(found.content) { return (.edited(found.content, found.bytes), nil) }
    if isDropped { return (.nowhere, nil) }
    if let marked = try marked(entry.id, target) { return (marked, nil) }
    return (.missing, nil)
  }

  /// Finds the records of a collection that pending commits create.
  func source(ofCreated id: Int) throws(StorageError) -> Source {
    guard let name = outline.names[id], !outline.dropped.contains(id) else { return .nowhere }
    if let marked = try marked(id, name) { return marked }
    guard let found = try read(name) else { return .nowhere }
    // Under its name there may still be the file of a collection that was dropped before.
    let isPredecessor = catalog.collections.contains { entry in
      outline.dropped.contains(entry.id) && entry.physicalName == name
        && entry.digest == found.content.digest
    }
    return isPredecessor ? .nowhere : .edited(found.content, found.bytes)
  }

  /// The new files that an interrupted checkpoint left beside the files of these names.
  func replacements() throws(StorageError) -> [String] {
    if journal.scan.groups.isEmpty { return [] }
    var left: [String] = []
    for name in outline.allNames.union(catalog.collections.map(\.physicalName)) {
      let path = folder.records(name, catalog.encoding)
      for kind in ArchiveFolder.Replacement.allCases
      where try FileStamp.of(ArchiveFolder.replacement(of: path, kind)) != nil {
        left.append(name)
      }
    }
    return left
  }

  private func read(
    _ name: String
  ) throws(StorageError) -> (content: ArchiveState.RecordContent, bytes: FileBytes)? {
    let path = folder.records(name, catalog.encoding)
    guard let bytes = try FileBytes.read(path) else { return nil }
    let content = ArchiveState.RecordContent(
      name,
      FileDigest(hash: bytes.hash, size: bytes.bytes.count),
      at: path,
      stamp: bytes.stamp
    )
    return (content, bytes)
  }

  /// The file of that name, if an interrupted checkpoint wrote it for that collection.
  private func marked(_ id: Int, _ name: String) throws(StorageError) -> Source? {
    guard isCheckpointUnfinished, let found = try read(name) else { return nil }
    let mark = journal.scan.groups.lastIndex { group in
      group.mark.kind == .checkpoint
        && group.mark.files.contains { $0.id == id && $0.digest == found.content.digest }
    }
    return mark.map { .checkpoint(found.content, found.bytes, mark: $0) }
  }

  /// Whether an interrupted checkpoint gave a file the content that it has.
  private func isMarked(_ content: ArchiveState.RecordContent) -> Bool {
    func name(_ id: Int) -> String? {
      outline.names[id] ?? catalog.collections.first { $0.id == id }?.physicalName
    }
    return journal.scan.groups.contains { group in
      group.mark.kind == .checkpoint
        && group.mark.files.contains { $0.digest == content.digest && name($0.id) == content.name }
    }
  }

  // MARK: Errors

  /// The error for a file that is not there.
  static func missing(_ path: String, _ format: ArchiveFormat) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) is missing; restore it from a backup (nothing was changed)",
      backend: format.backend
    )
  }

  /// The error for what makes no sense.
  static func damaged(_ what: String, _ format: ArchiveFormat) -> StorageError {
    StorageError(
      .corrupt,
      "\(what); restore the files from a backup (nothing was changed)",
      backend: format.backend
    )
  }
}
