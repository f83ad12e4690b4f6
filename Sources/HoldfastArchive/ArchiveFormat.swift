public import Holdfast

/// The kind of files that an archive keeps its records in.
public enum ArchiveFormat: String, Sendable, CaseIterable {
  /// JSON (`json:`).
  case json
  /// Property lists, XML or binary as the options say (`plist:`).
  case propertyList

  /// The format of the archive in a folder, as its catalog says.
  ///
  /// - Throws: `StorageError.Code.cannotOpen` if there is none; `StorageError.Code.wrongKind`,
  ///   `StorageError.Code.newerFormat`, `StorageError.Code.corrupt`.
  public static func ofArchive(at path: String) throws(StorageError) -> ArchiveFormat {
    let folder = ArchiveFolder(path)
    guard let content = try FileBytes.read(folder.catalog) else {
      throw StorageError(.cannotOpen, "there is no archive at \(path)", backend: "archive")
    }
    defer { content.keepAlive() }
    let isOurs = try FileStamp.of(folder.journal) != nil
    let catalog = try ArchiveCatalog(content.bytes, path: folder.catalog, isOurs: isOurs)
    return catalog.encoding.format
  }

  /// The backend's name, as in storage URLs.
  var backend: String {
    switch self {
    case .json: "json"
    case .propertyList: "plist"
    }
  }
}

/// How the records of an archive are written, as its catalog names it.
enum ArchiveEncoding: String, Codable, Sendable {
  case json
  case xml = "plist-xml"
  case binary = "plist-binary"

  var format: ArchiveFormat { self == .json ? .json : .propertyList }
  /// The extension of record files.
  var fileExtension: String { format.backend }
}
