import Foundation

/// What a path holds, told from the outside without opening a store.
public enum StoreKind: Sendable, Hashable, CustomStringConvertible {
  /// Nothing.
  case missing
  /// A folder without entries.
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

  /// Looks at a path.
  public init(at path: String) {
    var isFolder: ObjCBool = false
    let files = FileManager.default
    guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
      self = .missing
      return
    }
    if isFolder.boolValue {
      let names = Set((try? files.contentsOfDirectory(atPath: path)) ?? ["?"])
      // The last two are all that a creation leaves which was cut short.
      if !names.isDisjoint(with: ["data.mdb", "data.mdb.new", "write.lock"]) {
        self = .lmdb
      } else if names.contains("catalog.json") || names.contains("journal.jsonl") {
        self = .archive
      } else {
        self = names.isEmpty ? .emptyFolder : .folder
      }
      return
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      self = .file
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
    }
  }
}
