import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A store in the making, in a folder of its own beside the place that it takes when it is complete
/// and on disk.
///
/// The folder is closed to others and locked, so that one that a crash left behind is told from one
/// in use; the next draft for the same place removes it.
final class StoreDraft {
  private static let suffix = ".unfinished"

  private let destination: String
  private let folder: String
  private let lock: Int32
  private let backend: String

  /// Where the store is made.
  var path: String { folder + "/store" }

  /// Makes the folder beside a place.
  ///
  /// - Throws: `StorageError.Code.cannotOpen` if there is no folder to put it in;
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.storageFull`.
  init(for url: StorageURL) throws(StorageError) {
    destination = PathText.withoutSlash(url.path)
    backend = url.scheme.rawValue
    Self.removeLeftovers(of: destination)
    while true {
      let folder = "\(destination).\(UUID().uuidString)\(Self.suffix)"
      guard mkdir(folder, 0o700) == 0 else {
        throw Self.failure("make a folder beside", url.path, backend)
      }
      // Another draft may have taken it for a leftover before it was locked.
      guard let lock = try Self.lock(folder, waiting: true, backend) else { continue }
      self.folder = folder
      self.lock = lock
      return
    }
  }

  /// Opens and locks a folder; nil if it is in use or gone.
  private static func lock(
    _ folder: String,
    waiting: Bool,
    _ backend: String
  ) throws(StorageError) -> Int32? {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw failure("lock", folder, backend)
    }
    var opened = stat()
    var found = stat()
    while flock(file, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      closeFile(file)
      return nil
    }
    guard fstat(file, &opened) == 0, lstat(folder, &found) == 0, opened.st_ino == found.st_ino
    else {
      closeFile(file)
      return nil
    }
    return file
  }

  deinit { closeFile(lock) }

  /// Removes the draft.
  func discard() {
    // What cannot be removed has a name that says what it is.
    _ = Result { try FileManager.default.removeItem(atPath: folder) }
  }

  /// Flushes the closed store to disk and moves it to its place.
  ///
  /// - Parameter permissions: what its files may have at most, for each class of users.
  /// - Throws: `StorageError.Code.alreadyExists` if something came there meanwhile;
  ///   `StorageError.Code.ioError`, `StorageError.Code.storageFull`.
  func publish(permissions: mode_t?) throws(StorageError) {
    try settle(path, permissions)
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.failure("look at", path, backend) }
    if status.st_mode & S_IFMT == S_IFDIR {
      // An empty folder is replaced, and nothing else is.
      if rename(path, destination) != 0 { throw Self.failure("create", destination, backend) }
    } else {
      try publishFile()
    }
    try sync(PathText.parent(of: destination))
    discard()
  }

  /// Gives the file its name, unless something with content has it by now.
  private func publishFile() throws(StorageError) {
    if case .emptyFile = StoreKind(at: destination) {
      if rename(path, destination) == 0 { return }
    } else if link(path, destination) == 0 {
      return
    } else if errno != EEXIST, access(destination, F_OK) != 0 {
      // Not every file system has links.
      if rename(path, destination) == 0 { return }
    }
    throw Self.failure("create", destination, backend)
  }

  /// Flushes a file, or a folder with what is in it, and takes permissions away.
  private func settle(_ path: String, _ permissions: mode_t?) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.failure("look at", path, backend) }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    if isFolder {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: path)
      } catch {
        throw StorageError(.ioError, "cannot list \(path)", backend: backend, underlying: error)
      }
      for name in names { try settle(path + "/" + name, permissions) }
    }
    try sync(path)
    guard let permissions else { return }
    // Who may read a folder may enter it.
    let allowed = isFolder ? permissions | (permissions & 0o444) >> 2 : permissions
    let mode = status.st_mode & 0o777 & allowed
    guard chmod(path, mode) == 0 else {
      throw Self.failure("set the permissions of", path, backend)
    }
  }

  private func sync(_ path: String) throws(StorageError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure("open", path, backend) }
    defer { closeFile(file) }
    #if canImport(Darwin)
    if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw Self.failure("sync", path, backend) }
  }

  /// Removes drafts for a place that nobody is working on any more.
  private static func removeLeftovers(of destination: String) {
    let parent = PathText.parent(of: destination)
    let name = PathText.name(of: destination)
    // A folder that cannot be listed has nothing that could be removed.
    let names = try? FileManager.default.contentsOfDirectory(atPath: parent)
    for entry in names ?? [] where entry.hasPrefix(name + ".") && entry.hasSuffix(suffix) {
      let middle = entry.dropFirst(name.count + 1).dropLast(suffix.count)
      guard UUID(uuidString: String(middle)) != nil else { continue }
      let path = parent + "/" + entry
      guard let lock = (try? lock(path, waiting: false, "")) ?? nil else { continue }
      defer { closeFile(lock) }
      _ = Result { try FileManager.default.removeItem(atPath: path) }
    }
  }

  private static func failure(_ action: String, _ path: String, _ backend: String) -> StorageError {
    let number = errno
    let isTaken = action == "create" && [EEXIST, ENOTEMPTY, ENOTDIR].contains(number)
    let (code, advice): (StorageError.Code, String) =
      switch number {
      case _ where isTaken: (.alreadyExists, "choose another path, or remove what is there")
      case ENOENT, ENOTDIR: (.cannotOpen, "create the folder that it is to be in first")
      case EACCES, EPERM, EROFS: (.permissionDenied, "check the permissions of its folder")
      case ENOSPC, EDQUOT: (.storageFull, "free some space")
      default: (.ioError, "check the disk")
      }
    return StorageError(
      code,
      "cannot \(action) \(path): \(String(cString: strerror(number))); \(advice)",
      backend: backend,
      engineCode: Int(number)
    )
  }
}

/// Closes a file; what was written to it was flushed by then, or that has failed.
private func closeFile(_ file: Int32) { _ = close(file) }
