import Holdfast

/// Writes one new file beside the old one and hashes what it writes.
final class FileWriter {
  private let files: any FileOperations
  private let path: String
  private let file: Int32
  private var hash = XXHash64()
  private var count = 0
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

  /// Writes the bytes out and empties them, once there are many.
  @inline(__always)
  func takeIfLarge(_ bytes: inout [UInt8]) throws(StorageError) {
    if bytes.count >= 1 << 16 { try take(&bytes) }
  }

  /// Writes the bytes out and empties them.
  func take(_ bytes: inout [UInt8]) throws(StorageError) {
    try append(bytes)
    bytes.removeAll(keepingCapacity: bytes.count < 1 << 20)
  }

  /// Writes bytes out.
  func append(_ bytes: [UInt8]) throws(StorageError) {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      let raw = UnsafeRawBufferPointer(bytes)
      hash.update(raw)
      try files.write(raw, to: file, at: count, path: path)
    }
    count += bytes.count
  }

  /// Makes the file durable and closes it.
  func finish() throws(StorageError) -> FileDigest {
    try files.sync(file, path: path)
    files.close(file)
    isOpen = false
    return FileDigest(hash: hash.finish(), size: count)
  }
}

/// What tells one content of a file from another.
struct FileDigest: Equatable {
  var hash: UInt64
  var size: Int
}
