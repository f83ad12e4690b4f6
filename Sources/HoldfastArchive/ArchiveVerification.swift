import Holdfast

/// Checks the files of an archive without changing any.
struct ArchiveVerification {
  private let loader: ArchiveLoader
  private let folder: ArchiveFolder
  private let format: ArchiveFormat

  init(_ loader: ArchiveLoader) {
    self.loader = loader
    folder = loader.folder
    format = loader.format
  }

  /// Checks everything, at one moment at which no other process replaced a file.
  func run() throws(StorageError) -> [Finding] {
    try loader.whileUnchanged { () throws(StorageError) in try attempt() }
  }

  private func attempt() throws(StorageError) -> [Finding] {
    let contents: ArchiveContents
    do throws(StorageError) {
      contents = try ArchiveContents(folder, format, writable: false)
    } catch {
      return [try fault(error)]
    }
    var findings = try records(contents)
    // Whether all of it can be read and indexed, and the commits replayed, loading shows.
    if !findings.contains(where: \.isFault) {
      do throws(StorageError) {
        _ = try loader.load()
      } catch {
        findings.append(try fault(error))
      }
    }
    return findings + journal(contents) + (try leftovers(contents))
  }

  /// The finding for an error that tells of damage; any other error goes on.
  private func fault(_ error: StorageError) throws(StorageError) -> Finding {
    switch error.code {
    case .corrupt, .conflict, .newerFormat, .wrongKind: return .fault(error.message)
    default: throw error
    }
  }

  // MARK: Parts

  private func records(_ contents: ArchiveContents) throws(StorageError) -> [Finding] {
    var findings: [Finding] = []
    for entry in contents.catalog.collections {
      let path = folder.records(entry.physicalName, contents.catalog.encoding)
      switch try contents.source(of: entry).source {
      case .base, .checkpoint, .nowhere: continue
      case .missing: findings.append(.fault("\(path) is missing; restore it from a backup"))
      case .edited where loader.options.edits == .refuse:
        findings.append(.fault("\(path) was changed outside of the store"))
      case .edited where contents.hasPendingCommits(to: entry.id):
        findings.append(.fault("\(path) was edited by hand while commits to it were pending"))
      case .edited:
        findings.append(
          .note("\(path) was edited by hand; the next opening takes the edit over")
        )
      }
    }
    for id in contents.outline.created {
      if case .edited(let content, _) = try contents.source(ofCreated: id) {
        let path = content.path
        findings.append(.fault("\(path) is in the place of a collection's file; move it away"))
      }
    }
    return findings
  }

  private func journal(_ contents: ArchiveContents) -> [Finding] {
    var findings: [Finding] = []
    if contents.isCheckpointUnfinished {
      findings.append(
        .note("a checkpoint of \(folder.path) was interrupted; the next commit finishes it")
      )
    }
    let torn = contents.journal.content.bytes.count - contents.journal.end
    if torn > 0 {
      findings.append(
        .note(
          "\(folder.journal) ends in \(torn) bytes of a commit that was interrupted; "
            + "the next commit cuts them off"
        )
      )
    }
    return findings
  }

  /// What else is in the folder; hidden files are nobody's business.
  private func leftovers(_ contents: ArchiveContents) throws(StorageError) -> [Finding] {
    let encoding = contents.catalog.encoding
    var known: Set<String> = [folder.catalog, folder.journal, folder.lock]
    for entry in contents.catalog.collections {
      known.insert(folder.records(entry.physicalName, encoding))
    }
    for name in contents.outline.allNames { known.insert(folder.records(name, encoding)) }
    var findings: [Finding] = []
    for name in try folder.names().sorted() {
      let path = folder.path + "/" + name
      if name.hasPrefix(".") || known.contains(path) { continue }
      let isReplacement =
        path == folder.markedJournal
        || ArchiveFolder.Replacement.allCases.contains { kind in
          known.contains { ArchiveFolder.replacement(of: $0, kind) == path }
        }
      findings.append(
        .note(
          isReplacement
            ? "\(path) is of a checkpoint that is running, or left over from an interrupted one; "
              + "the next one removes it"
            : "\(path) is no file of the store"
        )
      )
    }
    return findings
  }
}
