import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The bytes of a file, read whole.
///
/// Read, not mapped: a mapped file that somebody cuts while it is read kills the process.
final class FileBytes {
  let bytes: UnsafeRawBufferPointer
  /// The file's stamp before it was read.
  let stamp: FileStamp

  private init(bytes: UnsafeRawBufferPointer, stamp: FileStamp) {
    self.bytes = bytes
    self.stamp = stamp
  }

  deinit { bytes.deallocate() }

  /// Reads the file at a path; nil if there is none.
  ///
  /// - Throws: `StorageError.Code.wrongKind` for anything but an ordinary file.
  static func read(_ path: String) throws(StorageError) -> FileBytes? {
    // Not blocking: a named pipe must not hang the open.
    let file = SystemFiles.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemError.error(errno, "open", path)
    }
    defer { close(file) }
    return try read(file, from: 0, path: path)
  }

  /// Reads an open file from an offset to its end, or no more than `limit` bytes.
  static func read(
    _ file: Int32,
    from offset: Int,
    limit: Int = .max,
    path: String
  ) throws(StorageError) -> FileBytes {
    let stamp = try FileStamp.of(file, path: path)
    guard stamp.isFile else {
      throw StorageError(
        .wrongKind,
        "\(path) is not an ordinary file; remove it or use another path"
      )
    }
    let wanted = min(max(0, stamp.size - offset), limit)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(wanted, 1), alignment: 16)
    var done = 0
    while done < wanted, let base = buffer.baseAddress {
      let count = pread(file, base + done, wanted - done, off_t(offset + done))
      if count < 0 {
        if errno == EINTR { continue }
        let number = errno
        buffer.deallocate()
        throw SystemError.error(number, "read", path)
      }
      if count == 0 { break }
      done += count
    }
    return FileBytes(
      bytes: UnsafeRawBufferPointer(start: buffer.baseAddress, count: done),
      stamp: stamp
    )
  }

  /// Keeps the bytes where they are up to here: what points into them does not.
  func keepAlive() { withExtendedLifetime(self) {} }

  /// The hash of the bytes.
  var hash: UInt64 {
    defer { keepAlive() }
    return XXHash64.hash(bytes)
  }
}
