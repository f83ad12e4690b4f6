import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What a path holds, told from the outside without opening a store.
public enum StoreKind: Sendable, Hashable, CustomStringConvertible {
  /// Nothing.
  case missing
  /// A folder without entries, or with nothing but a lock file that a store about to be created has.
  case emptyFolder
  /// A file without bytes.
  case emptyFile
  /// A SQLite database.
  case sqlite
  /// An LMDB environment.
  case lmdb
  /// A folder of JSON or property-list files of Holdfast.
  case archive
  /// Another folder.
  case folder
  /// Another file.
  case file
  /// Something that this process may not read.
  case unreadable

  private static let archiveFiles = [
    "catalog.json", "catalog.json.new", "journal.jsonl", "journal.jsonl.new",
  ]

  /// Looks at a path.
  public init(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = .missing
      return
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      self = Self.folder(at: path)
      return
    }
    // To open a pipe would wait for its writer.
    guard status.st_mode & S_IFMT == S_IFREG else {
      self = .file
      return
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      self = .unreadable
      return
    }
    defer { try? handle.close() }
    let head = (try? handle.read(upToCount: 16)) ?? Data()
    if head.isEmpty {
      self = .emptyFile
    } else {
      self = head.starts(with: Data("SQLite format 3\u{0}".utf8)) ? .sqlite : .file
    }
  }

  /// What a folder holds; it is listed only where none of the names that tell it is there.
  private static func folder(at path: String) -> StoreKind {
    func kind(_ holds: (String) -> Bool) -> StoreKind? {
      // Some of these are all that a creation has made so far, or left when it was cut short.
      if ["data.mdb", "data.mdb.new", "write.lock"].contains(where: holds) { return .lmdb }
      return archiveFiles.contains(where: holds) ? .archive : nil
    }
    var status = stat()
    if let known = kind({ lstat(path + "/" + $0, &status) == 0 }) { return known }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return .unreadable
    }
    // Again, for a folder that may be listed and not entered.
    return kind(names.contains) ?? (names.allSatisfy { $0 == "lock" } ? .emptyFolder : .folder)
  }

  /// What it is, in words.
  public var description: String {
    switch self {
    case .missing: "nothing"
    case .emptyFolder: "an empty folder"
    case .emptyFile: "an empty file"
    case .sqlite: "a SQLite database"
    case .lmdb: "an LMDB environment"
    case .archive: "a folder of archive files"
    case .folder: "a folder with other files"
    case .file: "another kind of file"
    case .unreadable: "something that cannot be read"
    }
  }
}
