import Holdfast
import Synchronization

/// A checkpoint on a thread of its own, beside commits.
final class BackgroundCheckpoint: @unchecked Sendable {
  // Unchecked: once it was begun, only its thread uses what is not constant.
  /// What the record files will hold.
  let snapshot: ArchiveMemory.Reader
  /// The archive as it was at the snapshot; later commits go to its journal.
  var state: ArchiveState
  /// Keeps the checkpoints of several processes apart.
  let lock: FolderLock
  private let flag = Atomic(false)

  init(
    _ snapshot: ArchiveMemory.Reader,
    _ state: ArchiveState,
    _ folder: ArchiveFolder
  ) {
    self.snapshot = snapshot
    self.state = state
    lock = FolderLock(folder: folder.path)
  }

  /// Whether it is to end as soon as it can.
  var isCancelled: Bool { flag.load(ordering: .acquiring) }

  func cancel() { flag.store(true, ordering: .releasing) }

  /// - Throws: `StorageError.Code.busy`, as for one that was overtaken: nobody is told of it.
  func checkNotCancelled() throws(StorageError) {
    if isCancelled { throw StorageError(.busy, "the checkpoint was cancelled", backend: "archive") }
  }
}
