import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A file that takes the place of standard output, `-o FILE`: it appears complete or not at all.
enum OutputFile {
  /// Runs `body` with an output to the file, or to `standard` where there is no path.
  ///
  /// What is written goes to a file beside it first, which takes its place at the end; a pipe or a
  /// device is written to directly.
  static func with<T>(_ path: String?, else standard: Output, _ body: (Output) throws -> T) throws
    -> T
  {
    guard let path, path != "-" else { return try body(standard) }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      return try write(to: path, O_WRONLY | O_CLOEXEC, mode: 0, body)
    }
    // The file itself where the path is a link to it, and with its own permissions.
    let target = realpath(path, nil).map { resolved in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let mode = target == nil ? 0o666 : status.st_mode & 0o777
    let temporary = "\(target ?? path).\(getpid()).part"
    do {
      let result = try write(
        to: temporary,
        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
        mode: mode,
        naming: path,
        body
      )
      guard rename(temporary, target ?? path) == 0 else { throw failure(path) }
      return result
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func write<T>(
    to path: String,
    _ flags: Int32,
    mode: mode_t,
    naming name: String? = nil,
    _ body: (Output) throws -> T
  ) throws -> T {
    let descriptor = open(path, flags, mode)
    guard descriptor >= 0 else { throw failure(name ?? path) }
    defer { close(descriptor) }
    let output = Output(descriptor)
    let result = try body(output)
    try output.flush()
    return result
  }

  private static func failure(_ path: String) -> StorageError {
    let code = errno
    return StorageError(
      code == EACCES || code == EPERM ? .permissionDenied : .ioError,
      "cannot write \(path): \(String(cString: strerror(code)))",
      engineCode: Int(code)
    )
  }
}
