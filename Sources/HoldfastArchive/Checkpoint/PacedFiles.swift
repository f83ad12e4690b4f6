import Holdfast

/// File operations for new files that are written beside commits.
///
/// They stop once they are cancelled. What they write is made durable in small parts, so that the sync
/// of a commit does not wait until the disk has all of it.
struct PacedFiles: ForwardingFiles {
  private static let part = 1 << 20

  let files: any FileOperations
  let checkpoint: BackgroundCheckpoint

  func create(_ path: String, mode: UInt32?) throws(StorageError) -> Int32 {
    try checkpoint.checkNotCancelled()
    return try files.create(path, mode: mode)
  }
  func write(
    _ bytes: UnsafeRawBufferPointer,
    to file: Int32,
    at offset: Int,
    path: String
  ) throws(StorageError) {
    try checkpoint.checkNotCancelled()
    try files.write(bytes, to: file, at: offset, path: path)
    if offset / Self.part != (offset + bytes.count) / Self.part {
      try files.sync(file, path: path)
    }
  }
  func sync(_ file: Int32, path: String) throws(StorageError) {
    try checkpoint.checkNotCancelled()
    try files.sync(file, path: path)
  }
}
