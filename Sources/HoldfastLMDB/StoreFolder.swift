import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What tells files apart, whatever path leads to them.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
}

/// The folder of a store: `data.mdb`, LMDB's `lock.mdb`, and our `write.lock`.
///
/// `lock.mdb` is never opened here: closing it would let go of LMDB's own locks on it.
struct StoreFolder: Sendable {
  /// The folder's path.
  let path: String

  var dataPath: String { path + "/data.mdb" }
  var writeLockPath: String { path + "/write.lock" }
  /// A data file in the making, renamed when it is complete and on disk.
  var draftPath: String { path + "/data.mdb.new" }

  /// Sees to it that the folder holds a data file, and creates both where that was asked for.
  ///
  /// - Throws: `StorageError.Code.cannotOpen`, `StorageError.Code.wrongKind`,
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.busy`.
  func prepare(_ options: StorageOptions) throws(StorageError) {
    let creates = options.createsIfMissing && !options.isReadOnly
    if let file = try examine(path) {
      guard file.is_folder != 0 else { throw wrongKind("\(StoreKind(at: path))") }
    } else {
      guard creates else { throw missing() }
      try createFolder()
    }
    if try checkData() { return }
    do throws(StorageError) {
      try checkEntries()
    } catch {
      // Another process may have created the store since the first look.
      if try checkData() { return }
      throw error
    }
    guard creates else { throw missing() }
    let lock = try WriteLock(path: writeLockPath)
    defer { lock.close() }
    try lock.take(until: .now + options.timeout)
    defer { lock.release() }
    if try checkData() { return }
    try createData()
  }

  /// The identity of the data file, or nil if there is none.
  func dataIdentity() throws(StorageError) -> FileIdentity? {
    try examine(dataPath).map { FileIdentity(device: $0.device, inode: $0.inode) }
  }

  private func examine(_ path: String) throws(StorageError) -> holdfast_file? {
    var file = holdfast_file()
    let status = holdfast_examine(path, &file)
    if status == 0 { return file }
    if status == ENOENT { return nil }
    throw .system(status, "examining", path)
  }

  private func checkData() throws(StorageError) -> Bool {
    guard let file = try examine(dataPath) else { return false }
    guard file.is_file != 0 else {
      throw wrongKind("something called data.mdb that is not a file")
    }
    return true
  }

  private func checkEntries() throws(StorageError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      let isRefused = access(path, R_OK | X_OK) != 0 && errno == EACCES
      throw StorageError(
        isRefused ? .permissionDenied : .ioError,
        "\(path) cannot be listed; check its permissions",
        backend: "lmdb",
        underlying: error
      )
    }
    if names.contains("lock.mdb") {
      throw StorageError(
        .corrupt,
        "\(path) has lost its data.mdb; put it back or restore a backup",
        backend: "lmdb"
      )
    }
    // A creation that was cut short leaves these two behind.
    if names.contains(where: { $0 != "write.lock" && $0 != "data.mdb.new" }) {
      throw wrongKind("\(StoreKind(at: path))")
    }
  }

  private func createFolder() throws(StorageError) {
    if mkdir(path, 0o755) != 0, errno != EEXIST {
      let number = errno
      guard number == ENOENT else { throw .system(number, "creating", path) }
      throw StorageError(
        .cannotOpen,
        "the folder in which \(path) should be created does not exist; create it",
        backend: "lmdb",
        engineCode: Int(number)
      )
    }
    try Self.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Makes an empty environment beside its place and moves it there, so that a `data.mdb` is always
  /// complete: an empty one is damage, not a creation that was cut short.
  private func createData() throws(StorageError) {
    if unlink(draftPath) != 0, errno != ENOENT { throw .system(errno, "removing", draftPath) }
    var handle: OpaquePointer?
    var status = mdb_env_create(&handle)
    if status == 0 {
      status = mdb_env_open(handle, draftPath, UInt32(MDB_NOSUBDIR | MDB_NOLOCK), 0o644)
    }
    if let handle { mdb_env_close(handle) }
    if status != 0 { throw .lmdb(status, "creating", path) }
    try Self.synchronize(draftPath)
    if rename(draftPath, dataPath) != 0 { throw .system(errno, "renaming", draftPath) }
    try Self.synchronize(path)
  }

  /// Flushes a file or folder to disk.
  static func synchronize(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .system(errno, "opening", path) }
    defer { _ = close(descriptor) }
    try synchronize(descriptor, path)
  }

  /// Flushes an open file to disk.
  static func synchronize(_ descriptor: Int32, _ path: String) throws(StorageError) {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    if fsync(descriptor) != 0 { throw .system(errno, "writing", path) }
  }

  private func missing() -> StorageError {
    StorageError(
      .cannotOpen,
      "there is no store at \(path); check the path or allow creating it",
      backend: "lmdb"
    )
  }

  private func wrongKind(_ what: String) -> StorageError {
    StorageError(
      .wrongKind,
      "\(path) holds \(what), not an LMDB store; choose another path",
      backend: "lmdb"
    )
  }
}
