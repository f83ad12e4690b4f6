import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What the system says about a file without reading it: equal stamps mean that nobody changed it.
struct FileStamp: Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var mode: UInt32
  var modified: Int64
  var changed: Int64

  /// The stamp of the file at a path; nil if there is none.
  ///
  /// - Throws: what the system reports otherwise.
  static func of(_ path: String) throws(StorageError) -> FileStamp? {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else {
      if errno == ENOENT { return nil }
      throw SystemError.error(errno, "look at", path)
    }
    return FileStamp(status)
  }

  /// Whether there is anything at a path, be it a symbolic link that leads nowhere.
  static func isTaken(_ path: String) throws(StorageError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    if errno == ENOENT { return false }
    throw SystemError.error(errno, "look at", path)
  }

  /// The stamp of an open file.
  static func of(_ file: Int32, path: String) throws(StorageError) -> FileStamp {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemError.error(errno, "look at", path) }
    return FileStamp(status)
  }

  /// The absolute path, symbolic links resolved, of a path that exists; otherwise the path itself.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder that a path lies in; the one that is current for a name alone.
  static func folder(of path: String) -> String {
    // The same of `NSString` traps on names of one letter.
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    mode = UInt32(status.st_mode)
    #if canImport(Darwin)
    modified = Self.nanoseconds(status.st_mtimespec)
    changed = Self.nanoseconds(status.st_ctimespec)
    #else
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
    #endif
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Whether this is a folder.
  var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
  /// Whether this is an ordinary file.
  var isFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  /// Whether two stamps are of the same file, changed or not.
  func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }
}
