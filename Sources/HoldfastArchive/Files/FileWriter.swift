import Holdfast

/// Writes one new file beside the old one, through a buffer, and hashes what it writes.
final class FileWriter {
  let output = OutputBuffer(capacity: 1 << 17)
  private let files: any FileOperations
  private let path: String
  private let file: Int32
  private var hash = XXHash64()
  private var flushed = 0
  private var isOpen = true

  /// Creates the file, with the permission bits of the one that it will replace; a leftover of the
  /// same name is removed first.
  init(_ path: String, mode: UInt32?, files: any FileOperations) throws(StorageError) {
    self.path = path
    self.files = files
    try files.remove(path)
    file = try files.create(path, mode: mode)
  }

  deinit { if isOpen { files.close(file) } }

  /// How many bytes were appended so far.
  var count: Int { flushed + output.count }

  /// Writes the buffer out once it is large.
  @inline(__always)
  func flushIfLarge() throws(StorageError) {
    if output.count >= 1 << 16 { try flush() }
  }

  private func flush() throws(StorageError) {
    let bytes = output.bytes
    guard !bytes.isEmpty else { return }
    hash.update(bytes)
    try files.write(bytes, to: file, at: flushed, path: path)
    flushed += bytes.count
    output.removeAll()
  }

  /// Writes what is left, makes the file durable and closes it.
  func finish() throws(StorageError) -> FileDigest {
    try flush()
    try files.sync(file, path: path)
    files.close(file)
    isOpen = false
    return FileDigest(hash: hash.finish(), size: flushed)
  }
}

/// What tells one content of a file from another.
struct FileDigest: Equatable {
  var hash: UInt64
  var size: Int
}
