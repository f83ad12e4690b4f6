import Holdfast

/// Writes one new file beside the old one and hashes what it writes.
final class FileWriter {
  private let files: any FileOperations
  private let path: String
  private let file: Int32
  private var hash = XXHash64()
  /// How many bytes were written.
  private(set) var count = 0
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
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes bytes out.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard !bytes.isEmpty else { return }
    hash.update(bytes)
    try files.write(bytes, to: file, at: count, path: path)
    count += bytes.count
  }

  /// Makes what was written so far durable.
  func sync() throws(StorageError) { try files.sync(file, path: path) }

  /// Whether the file at the path still is the one that this wrote.
  func isInPlace() throws(StorageError) -> Bool {
    let own = try FileStamp.of(file, path: path)
    return try FileStamp.of(path) == own
  }

  /// Makes the file durable and closes it.
  func finish() throws(StorageError) -> FileDigest {
    try sync()
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
