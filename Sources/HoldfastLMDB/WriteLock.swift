internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A lock between processes whose waits end, taken before LMDB's own, which would wait for ever.
///
/// It is `flock` on the file `write.lock`, so the system lets it go when its holder dies. Programs
/// that write to the store with LMDB alone do not take it, and writers then wait for them in LMDB.
struct WriteLock: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Opens the lock's file, and creates it if it is missing.
  init(path: String) throws(StorageError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw .system(errno, "opening", path) }
  }

  /// Takes the lock.
  ///
  /// - Throws: `StorageError.Code.busy` if another process held it until the deadline.
  func take(until deadline: @autoclosure () -> ContinuousClock.Instant) throws(StorageError) {
    if try attempt() { return }
    let deadline = deadline()
    var pause: UInt32 = 50
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero {
        throw StorageError(
          .busy,
          "another process kept writing to \(path) for the whole timeout; try again",
          backend: "lmdb"
        )
      }
      // The system has no lock of files whose wait ends, so ask again, soon at first.
      usleep(pause)
      if try attempt() { return }
      pause = min(pause * 2, 5_000)
    }
  }

  /// Takes the lock if nobody has it.
  func takeNow() -> Bool { (try? attempt()) ?? false }

  /// Replaces the file's text, which only those who hold the lock may do.
  ///
  /// A text of which only a part arrives matches nothing, so failures need no report.
  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count else { return }
      ftruncate(descriptor, off_t(bytes.count))
    }
  }

  /// Whether the file at a path holds a text and nothing else.
  static func holds(_ text: String, at path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return false }
    defer { closeDescriptor(descriptor) }
    let length = text.utf8.count
    return withUnsafeTemporaryAllocation(byteCount: length + 1, alignment: 1) { buffer in
      pread(descriptor, buffer.baseAddress, buffer.count, 0) == length
        && text.utf8.elementsEqual(buffer.prefix(length))
    }
  }

  /// Lets the lock go.
  func release() {
    let status = flock(descriptor, LOCK_UN)
    precondition(status == 0, "the descriptor of the write lock was closed by somebody else")
  }

  /// Closes the lock's file.
  func close() { closeDescriptor(descriptor) }

  private func attempt() throws(StorageError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      if number == EWOULDBLOCK { return false }
      if number != EINTR { throw .system(number, "locking", path) }
    }
    return true
  }
}

/// Closes a descriptor, from where another `close` hides the system's.
func closeDescriptor(_ descriptor: Int32) {
  _ = close(descriptor)
}
