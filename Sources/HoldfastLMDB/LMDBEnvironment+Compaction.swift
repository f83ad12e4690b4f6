import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Giving unused pages back to the system, which LMDB never does by itself.
///
/// A compacted copy takes the data file's place. Another process that has the old file mapped would
/// go on with that, so nobody else may have the store open: LMDB holds a shared lock on the first
/// byte of its lock file for as long as an environment is open, and whoever gets that lock alone
/// keeps all others, programs of any kind, from opening the store until the file is swapped. The
/// copy goes on with the old file's numbers of commits, so that whoever waited for that lock finds
/// numbers in the lock file that fit. The swap is a rename: a crash leaves the old file or the new
/// one, and at worst a draft, which the next compaction removes.
extension LMDBEnvironment {
  /// Compacts the store.
  ///
  /// Writers wait from the beginning, readers during the swap alone.
  ///
  /// - Throws: `StorageError.Code.busy` if a transaction stayed open until the deadline, or another
  ///   process has the store open; `StorageError.Code.readOnly`; `StorageError.Code.corrupt` if a
  ///   page makes no sense; what the system reports.
  func compact(until deadline: ContinuousClock.Instant) throws(StorageError) {
    if isForked { throw .lmdbForked(path) }
    try claimWriting(until: deadline)
    defer { finishWriter(isCommitted: false) }
    let commit = try newestCommitNow()
    if commit == 0 { return }
    if unlink(folder.draftPath) != 0, errno != ENOENT {
      throw .system(errno, "removing", folder.draftPath)
    }
    do throws(StorageError) {
      try copy(to: folder.draftPath, until: deadline, as: commit)
      if try DataFile(path: folder.draftPath).size() < DataFile(path: folder.dataPath).size() {
        try swapFile(at: commit, until: deadline)
      } else {
        unlink(folder.draftPath)
      }
    } catch {
      // The failure that led here is the one to report.
      unlink(folder.draftPath)
      throw error
    }
  }

  private func swapFile(at commit: Int, until deadline: ContinuousClock.Instant)
    throws(StorageError)
  {
    try stopReaders(until: deadline)
    defer {
      condition.withLock {
        isMoving = false
        condition.broadcast()
      }
    }
    var reason: StorageError?
    do throws(StorageError) {
      reason = try locked { () throws(StorageError) in
        closeHandle()
        do throws(StorageError) {
          let lock = try swapClosedFile(at: commit)
          try openHandle(lockDescriptor: lock)
          return nil
        } catch {
          try openHandle()
          return error
        }
      }
      try listTables(until: deadline)
    } catch {
      fail(error)
      throw error
    }
    if let reason { throw reason }
  }

  /// Waits until no reader is alive, and keeps new ones out.
  private func stopReaders(until deadline: ContinuousClock.Instant) throws(StorageError) {
    try locked { () throws(StorageError) in
      try checkUsable()
      while isMoving || liveReaders > 0 {
        if !wait(until: deadline) {
          throw StorageError(
            .busy,
            "transactions kept \(path) from being compacted for the whole timeout; try again",
            backend: "lmdb"
          )
        }
      }
      isMoving = true
    }
  }

  /// Puts the draft in the data file's place if nobody else has that open.
  ///
  /// - Returns: LMDB's lock file, open and locked.
  private func swapClosedFile(at commit: Int) throws(StorageError) -> Int32 {
    let lock = open(folder.path + "/lock.mdb", O_RDWR | O_CLOEXEC)
    if lock < 0 { throw .system(errno, "opening", folder.path + "/lock.mdb") }
    do throws(StorageError) {
      let status = holdfast_lock_alone(lock)
      // A program that writes with LMDB alone may have come and gone.
      let isChanged = try DataFile(path: folder.dataPath).newestCommit() != commit
      if status == EAGAIN || status == EACCES || (status == 0 && isChanged) {
        throw StorageError(
          .busy,
          "\(path) is open in another process and cannot be compacted; close it there first",
          backend: "lmdb"
        )
      }
      if status != 0 { throw .system(status, "locking", path) }
      if rename(folder.draftPath, folder.dataPath) != 0 {
        throw .system(errno, "renaming", folder.draftPath)
      }
      try StoreFolder.synchronize(folder.path)
    } catch {
      closeDescriptor(lock)
      throw error
    }
    return lock
  }
}
