import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

import Foundation

/// A copy of a database that appears at its path complete and durable, or not at all.
struct DatabaseCopy {
  private let original: DatabaseFile
  private let file: DatabaseFile
  private let folder: String

  /// Prepares a copy.
  ///
  /// - Throws: `StorageError.Code.alreadyExists` if anything is at the path, or a file beside it that
  ///   SQLite would take for the copy's own.
  init(of original: DatabaseFile, to path: String) throws(StorageError) {
    self.original = original
    let file = try DatabaseFile(path)
    self.file = file
    folder = file.path.lastIndex(of: "/").map { String(file.path[...$0]) } ?? "./"
    for suffix in ["", "-wal", "-journal", "-shm"] {
      var status = stat()
      if lstat(file.path + suffix, &status) == 0 { throw Self.exists(file.path + suffix) }
    }
  }

  /// Makes the copy: `write` fills a file of another name in the same folder.
  func make(_ write: (String) throws(StorageError) -> Void) throws(StorageError) {
    let temporary = "\(folder).holdfast-\(UUID().uuidString)"
    // Nobody else may read it before it has the permissions of the original.
    let descriptor = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("create a file in \(folder)") }
    // Gone already where the file has got its name.
    defer { _ = unlink(temporary) }
    guard close(descriptor) == 0 else { throw failure("create a file in \(folder)") }
    try write(temporary)
    var status = stat()
    guard stat(original.path, &status) == 0 else { throw failure("look at \(original.path)") }
    try sync(temporary, permissions: status.st_mode & 0o7777)
    try publish(temporary)
    do throws(StorageError) {
      try sync(folder, permissions: nil)
    } catch {
      _ = unlink(file.path)
      throw error
    }
  }

  /// Gives the file its name, unless something has it by now.
  private func publish(_ temporary: String) throws(StorageError) {
    if link(temporary, file.path) == 0 { return }
    // Not every file system has links.
    let hasLinks = errno != EPERM && errno != ENOTSUP && errno != EOPNOTSUPP && errno != EMLINK
    if hasLinks { throw failure("create \(file.path)") }
    if access(file.path, F_OK) == 0 { throw Self.exists(file.path) }
    if rename(temporary, file.path) != 0 { throw failure("create \(file.path)") }
  }

  private func sync(_ path: String, permissions: mode_t?) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open \(path)") }
    // What was written has been synced by then, or that has failed.
    defer { _ = close(descriptor) }
    if let permissions, fchmod(descriptor, permissions) != 0 {
      throw failure("set the permissions of \(path)")
    }
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    if fsync(descriptor) != 0 { throw failure("sync \(path)") }
  }

  /// The error of the system call that failed last.
  private func failure(_ action: String) -> StorageError {
    let number = errno
    let code: StorageError.Code =
      switch number {
      case EEXIST: .alreadyExists
      case ENOENT, ENOTDIR: .cannotOpen
      case EACCES, EPERM, EROFS: .permissionDenied
      case ENOSPC, EDQUOT: .storageFull
      default: .ioError
      }
    return StorageError(
      code,
      "cannot \(action) for a backup: \(String(cString: strerror(number)))",
      backend: "sqlite",
      engineCode: Int(number)
    )
  }

  private static func exists(_ path: String) -> StorageError {
    .sqlite(.alreadyExists, "\(path) exists already; back up to another path or remove it")
  }
}
