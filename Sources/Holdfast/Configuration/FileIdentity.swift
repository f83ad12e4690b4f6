#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Which file is at a path, to tell it from another one that comes to be there.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let inode: UInt64

  /// What is at a path, links followed; nil if nothing is.
  init?(at path: String) {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// A file that stays the same as long as its store is in its place.
struct WatchedFile {
  let path: String
  private var identity: FileIdentity

  /// Nil if there is no file, and so nothing to watch.
  init?(_ path: String) {
    guard let identity = FileIdentity(at: path) else { return nil }
    self.path = path
    self.identity = identity
  }

  /// Whether the same file is there.
  var isInPlace: Bool { FileIdentity(at: path) == identity }

  /// Takes what is there now for the right one.
  mutating func renew() { identity = FileIdentity(at: path) ?? identity }
}
