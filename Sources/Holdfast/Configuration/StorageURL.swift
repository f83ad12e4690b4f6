/// Where a store is and how it is opened: `scheme:path?option=value&…`.
///
/// Schemes are `sqlite`, `lmdb`, `json`, `plist` and `memory`. The path is taken literally, without
/// percent decoding, up to the first `?`; relative paths are relative to the working directory, or
/// to the configuration file that names them. Options are `durability=full|normal|none`,
/// `readonly=0|1`, `create=0|1`, `timeout=SECONDS`, for `plist` `format=xml|binary`, for `json` and
/// `plist` `edits=accept|refuse`, for `lmdb` `mapsize=BYTES` (`K`, `M`, `G` may follow).
public struct StorageURL: Sendable, Hashable, CustomStringConvertible {
  /// A built-in backend.
  public enum Scheme: String, Sendable, CaseIterable {
    /// One SQLite database file.
    case sqlite
    /// One LMDB environment, a folder.
    case lmdb
    /// A folder of JSON files.
    case json
    /// A folder of property lists.
    case plist
    /// Nothing on disk; with a name, shared in the process until destroyed.
    case memory
  }

  /// The backend.
  public var scheme: Scheme
  /// The file or folder; for `memory` the name, or empty for a private store.
  public var path: String
  /// How the store is opened.
  public var options: StorageOptions

  /// Creates a URL from its parts.
  public init(_ scheme: Scheme, path: String, options: StorageOptions = StorageOptions()) {
    self.scheme = scheme
    self.path = path
    self.options = options
  }

  /// Reads a URL.
  ///
  /// - Parameters:
  ///   - text: the URL.
  ///   - folder: what a relative path is relative to; nil for the working directory.
  /// - Throws: ``StorageError/Code/invalidConfiguration``, naming the known words.
  public init(_ text: String, relativeTo folder: String? = nil) throws(StorageError) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      throw StorageError(
        .invalidConfiguration,
        "\(text) is no storage URL; it begins with one of \(Self.knownSchemes)"
      )
    }
    guard let scheme = Scheme(rawValue: String(text[..<colon])) else {
      throw StorageError(
        .invalidConfiguration,
        "unknown backend \(text[..<colon]); a storage URL begins with one of \(Self.knownSchemes)"
      )
    }
    let rest = text.utf8[text.utf8.index(after: colon)...]
    let mark = rest.firstIndex(of: UInt8(ascii: "?"))
    path = String(Substring(rest[..<(mark ?? rest.endIndex)]))
    self.scheme = scheme
    options = StorageOptions()
    guard !path.utf8.contains(0) else {
      throw StorageError(.invalidConfiguration, "the path of a storage URL cannot hold U+0000")
    }
    if scheme != .memory {
      guard !path.isEmpty else {
        throw StorageError(
          .invalidConfiguration,
          "\(text) names no path; write \(scheme.rawValue):PATH"
        )
      }
      if let folder, !path.hasPrefix("/") { path = folder + "/" + path }
    }
    guard let mark else { return }
    var given: [String] = []
    for item in rest[rest.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
      let item = Substring(item)
      guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw StorageError(
          .invalidConfiguration,
          "storage option \(item) has no value; write \(item)=VALUE"
        )
      }
      let name = String(item[..<equals])
      guard !given.contains(name) else {
        throw StorageError(.invalidConfiguration, "storage option \(name) is given twice")
      }
      given.append(name)
      try set(name, String(item[item.utf8.index(after: equals)...]))
    }
  }

  private static var knownSchemes: String {
    Scheme.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
  }

  private mutating func set(_ name: String, _ value: String) throws(StorageError) {
    switch name {
    case "durability": options.durability = try Self.word(name, value)
    case "readonly": options.isReadOnly = try Self.flag(name, value)
    case "create": options.createsIfMissing = try Self.flag(name, value)
    case "timeout":
      guard let seconds = Double(value), seconds >= 0, seconds <= 86_400 else {
        throw StorageError(
          .invalidConfiguration,
          "storage option timeout takes seconds from 0 to 86400"
        )
      }
      options.timeout = .milliseconds(Int64(seconds * 1000))
    case "format" where scheme == .plist: options.format = try Self.word(name, value)
    case "edits" where scheme == .json || scheme == .plist:
      options.edits = try Self.word(name, value)
    case "mapsize" where scheme == .lmdb: options.mapSize = try Self.size(name, value)
    default:
      var known = ["durability", "readonly", "create", "timeout"]
      if scheme == .plist { known.append("format") }
      if scheme == .json || scheme == .plist { known.append("edits") }
      if scheme == .lmdb { known.append("mapsize") }
      throw StorageError(
        .invalidConfiguration,
        "unknown storage option \(name) for \(scheme.rawValue); known are "
          + known.joined(separator: ", ")
      )
    }
  }

  private static func word<Word: RawRepresentable & CaseIterable>(_ name: String, _ value: String)
    throws(StorageError) -> Word where Word.RawValue == String
  {
    if let word = Word(rawValue: value) { return word }
    throw StorageError(
      .invalidConfiguration,
      "storage option \(name) takes \(Word.allCases.map(\.rawValue).joined(separator: ", ")), "
        + "not \(value)"
    )
  }

  private static func flag(_ name: String, _ value: String) throws(StorageError) -> Bool {
    switch value {
    case "1", "true": return true
    case "0", "false": return false
    default:
      throw StorageError(.invalidConfiguration, "storage option \(name) takes 0 or 1, not \(value)")
    }
  }

  private static func size(_ name: String, _ value: String) throws(StorageError) -> Int {
    var digits = value[...]
    var unit = 1
    if let last = value.last, let shift = ["K": 10, "M": 20, "G": 30, "T": 40][last] {
      unit = 1 << shift
      digits = digits.dropLast()
    }
    guard let count = Int(digits), count > 0, !count.multipliedReportingOverflow(by: unit).overflow
    else {
      throw StorageError(
        .invalidConfiguration,
        "storage option \(name) takes a number of bytes, as 1048576, 64M or 2G, not \(value)"
      )
    }
    return count * unit
  }

  /// The URL as text, without options.
  public var description: String { "\(scheme.rawValue):\(path)" }
}
