import CSQLite
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The database's file, looked at before SQLite may touch it: what is refused is not changed.
///
/// Bytes are read through SQLite's own file handle. To open and close the file here would drop the
/// locks that other connections of this process hold on it (POSIX locks belong to the process).
struct DatabaseFile {
  let path: String

  /// What lies at the path.
  enum Content {
    case missing
    case empty
    /// A file whose header is still to be checked.
    case database
  }

  init(_ path: String) throws(StorageError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StorageError.sqlite(.cannotOpen, "the path of the store is empty or holds U+0000")
    }
    // Keeps SQLite from reading `:memory:` or `file:` in it.
    self.path = path.hasPrefix("/") ? path : "./" + path
  }

  /// The size of the file with that suffix; nil if there is none.
  func size(_ suffix: String = "") -> Int? {
    var status = stat()
    guard stat(path + suffix, &status) == 0 else { return nil }
    return Int(status.st_size)
  }

  /// Looks at what is there, from the outside.
  ///
  /// - Throws: `StorageError.Code.wrongKind`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.cannotOpen`.
  func inspect() throws(StorageError) -> Content {
    var status = stat()
    guard stat(path, &status) == 0 else { return try missing(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      throw StorageError.sqlite(.wrongKind, "\(path) is a folder, not a SQLite database")
    default: throw StorageError.sqlite(.wrongKind, "\(path) is not a file")
    }
    try checkSideFiles()
    if status.st_size == 0 {
      if let log = size("-wal"), log > 0 {
        throw StorageError.sqlite(
          .corrupt,
          "\(path) is empty but has a log beside it; restore a backup"
        )
      }
      return .empty
    }
    return .database
  }

  /// SQLite would wait for ever to open a pipe.
  func checkSideFiles() throws(StorageError) {
    for suffix in ["-journal", "-wal", "-shm"] {
      var status = stat()
      if stat(path + suffix, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        throw StorageError.sqlite(.wrongKind, "\(path)\(suffix) is not a file; move it away")
      }
    }
  }

  private func missing(_ number: Int32) throws(StorageError) -> Content {
    switch number {
    case ENOENT, ENOTDIR:
      let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      var status = stat()
      let isFolder =
        folder.isEmpty || (stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
      guard isFolder else {
        throw StorageError(
          .cannotOpen,
          "cannot open \(path): there is no folder \(folder); create it first",
          backend: "sqlite",
          engineCode: Int(number)
        )
      }
      return .missing
    case EACCES, EPERM:
      throw StorageError(
        .permissionDenied,
        "cannot open \(path): check the permissions of its folder",
        backend: "sqlite",
        engineCode: Int(number)
      )
    default:
      throw StorageError(
        .cannotOpen,
        "cannot open \(path): \(String(cString: strerror(number)))",
        backend: "sqlite",
        engineCode: Int(number)
      )
    }
  }

  // MARK: Header

  private static let headerSize = 100
  private static let magic = Array("SQLite format 3".utf8) + [0]

  /// Checks that the file is a store of a known format, before anything else is done by its handle.
  ///
  /// - Throws: `StorageError.Code.wrongKind`, `StorageError.Code.newerFormat`,
  ///   `StorageError.Code.corrupt`.
  func checkHeader(_ database: OpaquePointer) throws(StorageError) {
    try check(try readHeader(database))
  }

  /// The first bytes of the file, at most a header's length, and the file's size.
  private func readHeader(_ database: OpaquePointer) throws(StorageError)
    -> (bytes: [UInt8], size: Int)
  {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let found = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee,
      let fileSize = methods.xFileSize, let read = methods.xRead
    else { throw StorageError(sqlite: SQLITE_CANTOPEN, database, "open the file") }
    var size: sqlite3_int64 = 0
    var status = fileSize(file, &size)
    guard status == SQLITE_OK else { throw StorageError(sqlite: status, database, "read") }
    var bytes = [UInt8](repeating: 0, count: min(Int(size), Self.headerSize))
    status = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) }
    guard status == SQLITE_OK else { throw StorageError(sqlite: status, database, "read") }
    return (bytes, Int(size))
  }

  /// The layout is in SQLite's documentation, "Database File Format", section 1.3.
  private func check(_ header: (bytes: [UInt8], size: Int)) throws(StorageError) {
    let bytes = header.bytes
    guard bytes.count >= Self.magic.count, Array(bytes.prefix(Self.magic.count)) == Self.magic
    else { throw StorageError.sqlite(.wrongKind, "\(path) is not a SQLite database") }
    guard bytes.count == Self.headerSize else { throw truncated }
    func word(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard word(56) <= 1 else {
      throw StorageError.sqlite(
        .wrongKind,
        "\(path) is a SQLite database with UTF-16 text; import it into a new store"
      )
    }
    guard word(68) == UInt32(bitPattern: StoredCatalog.applicationID) else {
      throw StorageError.sqlite(
        .wrongKind,
        "\(path) is a SQLite database that Holdfast did not make; import it into a new store"
      )
    }
    guard word(60) <= UInt32(Catalog.currentFormat) else {
      throw StorageError.sqlite(
        .newerFormat,
        "\(path) has format \(word(60)), this version of Holdfast reads up to "
          + "\(Catalog.currentFormat); update Holdfast"
      )
    }
    let stored = Int(bytes[16]) << 8 | Int(bytes[17])
    let pageSize = stored == 1 ? 65_536 : stored
    // The count of pages counts only if it was written with the last change; and pages may still be
    // in the log.
    let isCountValid =
      word(24) == word(92) && (size("-wal") ?? 0) == 0
      && (size("-journal") ?? 0) == 0
    if isCountValid, header.size < pageSize * Int(word(28)) { throw truncated }
  }

  private var truncated: StorageError {
    .sqlite(.corrupt, "\(path) is cut off; restore a backup")
  }

  // MARK: Handles

  /// The file as one that nobody changes: SQLite then needs no log and no lock.
  var immutableURI: String {
    var escaped = ""
    for byte in path.utf8 {
      let isPlain =
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A)
        || (byte >= 0x61 && byte <= 0x7A) || byte == 0x2F || byte == 0x2E
      escaped +=
        isPlain
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "file:\(escaped)?immutable=1"
  }

  /// Opens a handle with extended result codes.
  static func openHandle(_ path: String, _ flags: Int32) throws(StorageError) -> OpaquePointer {
    var database: OpaquePointer?
    let status = sqlite3_open_v2(
      path,
      &database,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nil
    )
    guard status == SQLITE_OK, let database else {
      let error = StorageError(sqlite: status, database, "open \(path)")
      // A handle that failed to open has nothing that could keep it.
      _ = sqlite3_close(database)
      throw error
    }
    return database
  }
}
