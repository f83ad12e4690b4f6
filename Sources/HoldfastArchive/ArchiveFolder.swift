import Foundation
import Holdfast

/// The paths of an archive's folder, and what may be found in it.
struct ArchiveFolder: Sendable {
  let path: String
  let catalog: String
  let journal: String
  let lock: String

  init(_ path: String) {
    self.path = path
    catalog = path + "/" + ArchiveCatalog.fileName
    journal = path + "/journal.jsonl"
    lock = path + "/lock"
  }

  /// The file of a collection.
  func records(_ physicalName: String, _ encoding: ArchiveEncoding) -> String {
    "\(path)/\(physicalName).\(encoding.fileExtension)"
  }

  /// The new files of a checkpoint, which take the places of those that they are beside.
  ///
  /// One under the folder's lock and one that runs beside commits have names of their own: either may
  /// go on while another process does the other.
  enum Replacement: String, CaseIterable {
    case underLock = ".new"
    case besideCommits = ".next"
  }

  /// The new file that will replace the one at a path.
  static func replacement(of path: String, _ kind: Replacement = .underLock) -> String {
    path + kind.rawValue
  }

  /// The journal that a checkpoint beside commits puts in place while it renames the files.
  var markedJournal: String { journal + ".marked" }

  /// Removes new files that do not come into use, those of catalog and journal among them.
  func removeReplacements(
    of records: [String],
    _ kinds: [Replacement],
    _ files: any FileOperations
  ) {
    var paths: [String] = []
    for kind in kinds {
      paths += (records + [catalog, journal]).map { Self.replacement(of: $0, kind) }
      if kind == .besideCommits { paths.append(markedJournal) }
    }
    // What cannot be removed is removed before it is written again.
    for path in paths { _ = Result { () throws(StorageError) in try files.remove(path) } }
  }

  /// Names that no collection's file may have, without extension.
  static let reservedNames: Set<String> = ["catalog", "journal", "lock"]

  /// Whether a name may be that of a collection's file, which leads out of no folder.
  static func isRecordName(_ name: String) -> Bool {
    !name.isEmpty && !reservedNames.contains(Name.folded(name))
      && name.utf8.allSatisfy { byte in
        (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
          || byte == 0x5F || byte == 0x2D
      }
  }

  /// What is left in a folder when the creation of an archive was interrupted.
  private static let beginnings: Set<String> = [
    "lock", "journal.jsonl", "journal.jsonl.new", "catalog.json.new",
  ]

  /// Files that people and systems put into empty folders.
  private static let strangers: Set<String> = [
    ".DS_Store", ".localized", ".git", ".gitignore", ".gitattributes", ".gitkeep",
  ]

  /// What a folder holds, as far as opening an archive there goes.
  enum Content: Equatable {
    case missing
    /// Nothing, or the beginnings of an archive that was never finished.
    case empty
    case archive
  }

  /// Looks into the folder.
  ///
  /// - Throws: `StorageError.Code.wrongKind` if it holds other things;
  ///   `StorageError.Code.corrupt` if it is an archive that lost its catalog.
  func content() throws(StorageError) -> Content {
    guard let stamp = try FileStamp.of(path) else { return .missing }
    guard stamp.isFolder else {
      throw StorageError(
        .wrongKind,
        "\(path) is a file, and an archive is a folder; choose another path",
        backend: "archive"
      )
    }
    if try FileStamp.of(catalog) != nil { return .archive }
    let others = Set(try names()).subtracting(Self.strangers).subtracting(Self.beginnings)
    if others.isEmpty, try !hasCommits() { return .empty }
    let isArchive = others.isEmpty ? true : try hasJournal()
    // Another process may have created the archive since the first look.
    if try FileStamp.of(catalog) != nil { return .archive }
    if !isArchive {
      throw StorageError(
        .wrongKind,
        "\(path) holds other files and no archive; choose an empty folder or a new one",
        backend: "archive"
      )
    }
    throw StorageError(
      .corrupt,
      "\(catalog) is missing; restore it from a backup (nothing was changed)",
      backend: "archive"
    )
  }

  /// The names of everything in the folder.
  func names() throws(StorageError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw StorageError(
        .permissionDenied,
        "cannot list \(path); grant access to it",
        backend: "archive",
        underlying: error
      )
    }
  }

  private func hasJournal() throws(StorageError) -> Bool {
    guard let content = try FileBytes.read(journal) else { return false }
    defer { content.keepAlive() }
    return content.bytes.starts(with: "{\"journal\":\"holdfast\"".utf8)
  }

  /// Whether there is a journal with more in it than its header.
  private func hasCommits() throws(StorageError) -> Bool {
    guard let content = try FileBytes.read(journal) else { return false }
    defer { content.keepAlive() }
    guard let end = content.bytes.firstIndex(of: 0x0A) else { return false }
    return end + 1 < content.bytes.count
  }
}
