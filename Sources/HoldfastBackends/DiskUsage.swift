import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// How much of a disk a store takes.
package enum DiskUsage {
  /// The allocated bytes of a file with its journals beside it, or of all files in a folder.
  package static func bytes(at path: String) -> Int64 {
    var paths = [path] + ["-wal", "-shm", "-journal"].map { path + $0 }
    if let names = FileManager.default.enumerator(atPath: path) {
      for case let name as String in names { paths.append(path + "/" + name) }
    }
    return paths.reduce(0) { $0 + allocated($1) }
  }

  private static func allocated(_ path: String) -> Int64 {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int64(status.st_blocks) * 512
  }
}
