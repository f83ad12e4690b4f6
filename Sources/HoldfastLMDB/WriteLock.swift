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
