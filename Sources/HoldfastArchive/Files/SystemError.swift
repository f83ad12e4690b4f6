import Foundation
package import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The system's error numbers as storage errors; the number is kept.
package enum SystemError {
  /// The error for a failed system call.
  ///
  /// - Parameters:
  ///   - number: the value of `errno` after the call.
  ///   - action: what was attempted, as it follows “cannot”.
  ///   - path: the file or folder.
  /// - Returns: the error, with a code that is the same on every backend.
  package static func error(_ number: Int32, _ action: String, _ path: String) -> StorageError {
    let (code, advice): (StorageError.Code, String) =
      switch number {
      case ENOSPC, EDQUOT: (.storageFull, "free some space, then reopen the store")
      case EACCES, EPERM, EROFS: (.permissionDenied, "grant access, or open the store read-only")
      case ENOENT, ENOTDIR: (.cannotOpen, "check the path")
      case EMFILE, ENFILE: (.ioError, "raise the limit on open files")
      default: (.ioError, "check the disk, then reopen the store")
      }
    let reason = String(cString: strerror(number))
    return StorageError(
      code,
      "cannot \(action) \(path): \(reason); \(advice)",
      backend: "archive",
      engineCode: Int(number)
    )
  }
}
