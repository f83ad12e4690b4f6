public import Holdfast
import HoldfastArchive
import HoldfastLMDB
import HoldfastSQLite

/// The built-in backends, chosen at run time: the one place that knows all engines.
///
/// ```swift
/// let store = try Backends.open("sqlite:app.db")
/// ```
public enum Backends {
  /// Opens the store that a URL names, or shares the one that this process has open there.
  ///
  /// - Parameters:
  ///   - url: as `StorageURL` reads it.
  ///   - folder: what a relative path is relative to; nil for the working directory.
  /// - Returns: a handle of its own on the store.
  /// - Throws: `StorageError.Code.invalidConfiguration` for a URL that is not understood; what
  ///   ``open(_:)`` throws.
  public static func open(_ url: String, relativeTo folder: String? = nil) throws(StorageError)
    -> Store
  {
    try open(StorageURL(url, relativeTo: folder))
  }

  /// Opens the store that a URL names, or shares the one that this process has open there.
  ///
  /// - Throws: `StorageError.Code.wrongKind` if the path holds something else, saying what;
  ///   `StorageError.Code.cannotOpen` if there is no store and none may be created;
  ///   `StorageError.Code.alreadyOpen`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.newerFormat`, `StorageError.Code.permissionDenied`.
  public static func open(_ url: StorageURL) throws(StorageError) -> Store {
    if url.scheme == .memory, url.path.isEmpty {
      return Store(try make(url), options: url.options)
    }
    return try StoreRegistry.shared.open(
      url.path,
      isFile: url.scheme != .memory,
      file: mainFile(url),
      kind: url.scheme.rawValue,
      options: url.options
    ) { () throws(StorageError) in
      if url.scheme != .memory { try checkKind(url) }
      return try make(url)
    }
  }

  /// Opens the store of a configuration file.
  ///
  /// - Throws: `StorageError.Code.invalidConfiguration` if the file names no store; what
  ///   ``open(_:)`` throws.
  public static func open(configuration path: String) throws(StorageError) -> Store {
    guard let url = try Configuration(contentsOf: path).storage else {
      throw StorageError(
        .invalidConfiguration,
        "\(path) names no store; add \"storage\": \"sqlite:app.db\""
      )
    }
    return try open(url)
  }

  /// The file that is never replaced while a store is open, but by its own compaction.
  private static func mainFile(_ url: StorageURL) -> String? {
    switch url.scheme {
    case .memory, .sqlite: nil
    case .lmdb: url.path + "/data.mdb"
    case .json, .plist: url.path + "/lock"
    }
  }

  static func checkKind(_ url: StorageURL) throws(StorageError) {
    let kind = StoreKind(at: url.path)
    let isRight: Bool
    switch (url.scheme, kind) {
    case (_, .missing), (.memory, _): isRight = true
    // The backend tells what it lacks.
    case (_, .unreadable): isRight = true
    case (.sqlite, .sqlite), (.sqlite, .emptyFile): isRight = true
    case (.lmdb, .lmdb), (.lmdb, .emptyFolder): isRight = true
    case (.json, .archive), (.plist, .archive): isRight = true
    case (.json, .emptyFolder), (.plist, .emptyFolder): isRight = true
    default: isRight = false
    }
    if isRight { return }
    throw StorageError(
      .wrongKind,
      "\(url.path) holds \(kind), not a store of \(url.scheme.rawValue); "
        + "choose another path or its own backend",
      backend: url.scheme.rawValue
    )
  }

  private static func make(_ url: StorageURL) throws(StorageError) -> any Storage {
    switch url.scheme {
    case .sqlite:
      return try SQLiteStorage.open(path: url.path, options: url.options)
    case .lmdb:
      return try LMDBStorage.open(path: url.path, options: url.options)
    case .memory:
      let engine = url.path.isEmpty ? MemoryEngine() : MemoryEngine.shared(name: url.path)
      return try KeyValueStorage(engine, options: url.options)
    case .json:
      return try ArchiveStorage.open(path: url.path, format: .json, options: url.options)
    case .plist:
      return try ArchiveStorage.open(path: url.path, format: .propertyList, options: url.options)
    }
  }
}
