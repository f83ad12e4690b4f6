package import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// File operations as system calls: interrupted calls go on, short writes are completed.
package struct SystemFiles: FileOperations {
  /// Creates the operations.
  package init() {}

  package func create(_ path: String, mode: UInt32?) throws(StorageError) -> Int32 {
    let file = Self.retrying {
      openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
    guard file >= 0 else { throw SystemError.error(errno, "create", path) }
    if let mode, Self.retrying({ fchmod(file, mode_t(mode & 0o7777)) }) != 0 {
      let number = errno
      close(file)
      throw SystemError.error(number, "set the permissions of", path)
    }
    return file
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer,
    to file: Int32,
    at offset: Int,
    path: String
  ) throws(StorageError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let written = pwrite(file, base + done, bytes.count - done, off_t(offset + done))
      if written < 0 {
        if errno == EINTR { continue }
        throw SystemError.error(errno, "write", path)
      }
      if written == 0 { throw SystemError.error(EIO, "write", path) }
      done += written
    }
  }

  package func truncate(_ file: Int32, to length: Int, path: String) throws(StorageError) {
    guard Self.retrying({ ftruncate(file, off_t(length)) }) == 0 else {
      throw SystemError.error(errno, "cut", path)
    }
  }

  package func sync(_ file: Int32, path: String) throws(StorageError) {
    #if canImport(Darwin)
    let status = Self.retrying { fcntl(file, F_FULLFSYNC) }
    #else
    let status = Self.retrying { fdatasync(file) }
    #endif
    guard status == 0 else { throw SystemError.error(errno, "sync", path) }
  }

  package func syncFolder(_ path: String) throws(StorageError) {
    let folder = Self.retrying { openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    guard folder >= 0 else { throw SystemError.error(errno, "open", path) }
    defer { close(folder) }
    guard Self.retrying({ fsync(folder) }) == 0 else {
      throw SystemError.error(errno, "sync", path)
    }
  }

  package func rename(_ path: String, to newPath: String) throws(StorageError) {
    guard renameFile(path, newPath) == 0 else {
      throw SystemError.error(errno, "replace", newPath)
    }
  }

  package func remove(_ path: String) throws(StorageError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw SystemError.error(errno, "remove", path)
    }
  }

  package func makeFolder(_ path: String) throws(StorageError) {
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemError.error(errno, "create", path)
    }
  }

  package func setMode(_ mode: UInt32, of path: String) throws(StorageError) {
    guard chmod(path, mode_t(mode & 0o7777)) == 0 else {
      throw SystemError.error(errno, "set the permissions of", path)
    }
  }

  package func removeFolder(_ path: String) throws(StorageError) {
    guard rmdir(path) == 0 else { throw SystemError.error(errno, "remove", path) }
  }

  package func close(_ file: Int32) { closeFile(file) }

  /// Repeats a call for as long as signals interrupt it.
  static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result < 0, errno == EINTR { continue }
      return result
    }
  }
}

// Inside the type its own methods hide the system's functions of the same names.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func renameFile(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }

private func closeFile(_ file: Int32) { close(file) }
