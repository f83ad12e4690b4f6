import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The lock that lets one write transaction at a time into a folder, across processes.
///
/// An advisory `flock` on the file `lock`, which is never renamed or removed. The system lets it go
/// when its holder dies.
final class FolderLock: @unchecked Sendable {
  private let path: String
  /// Whether the lock is on a folder itself instead of a file in it.
  private let isOnFolder: Bool
  // Only the thread that holds or is taking the store's one write transaction touches it.
  private var file: Int32 = -1
  /// The stamp of the open file when it was opened.
  private var stamp: FileStamp?

  init(path: String) {
    self.path = path
    isOnFolder = false
  }

  /// A lock on a folder itself, which needs no file of its own.
  init(folder path: String) {
    self.path = path
    isOnFolder = true
  }

  deinit { if file >= 0 { closeFile() } }

  /// Takes the lock.
  ///
  /// - Throws: `StorageError.Code.busy` after the timeout.
  func take(timeout: Duration) throws(StorageError) {
    var deadline: ContinuousClock.Instant?
    var pause: useconds_t = 100
    while true {
      try openFile()
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        if try isStillThePath() { return }
        closeFile()
        continue
      }
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SystemError.error(errno, "lock", path)
      }
      // The system has no lock call that times out, so this asks again.
      let now = ContinuousClock.now
      let end = deadline ?? now + timeout
      deadline = end
      guard now < end else {
        throw StorageError(
          .busy,
          "somebody else is writing to the archive (\(path)); try again",
          backend: "archive"
        )
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }

  /// Lets the lock go.
  func release() {
    if file >= 0 { _ = SystemFiles.retrying { flock(file, LOCK_UN) } }
  }

  /// Closes the lock's file, and so lets the lock go; taking it opens the file again.
  func letGo() { if file >= 0 { closeFile() } }

  private func openFile() throws(StorageError) {
    if file >= 0 { return }
    file = SystemFiles.retrying {
      isOnFolder
        ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
    guard file >= 0 else { throw SystemError.error(errno, "open", path) }
    stamp = try FileStamp.of(file, path: path)
  }

  private func closeFile() {
    close(file)
    file = -1
  }

  /// Whether the locked file is the one at the path: somebody may have removed it meanwhile.
  private func isStillThePath() throws(StorageError) -> Bool {
    guard let stamp, let found = try FileStamp.of(path) else { return false }
    return found.isSameFile(as: stamp)
  }
}
