/// The kind of files that an archive keeps its records in.
public enum ArchiveFormat: String, Sendable, CaseIterable {
  /// JSON (`json:`).
  case json
  /// Property lists, XML or binary as the options say (`plist:`).
  case propertyList

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
