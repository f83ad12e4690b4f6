import Holdfast

/// File operations that leave to others what they do not do themselves.
protocol ForwardingFiles: FileOperations {
  /// The others.
  var files: any FileOperations { get }
}

extension ForwardingFiles {
  func create(_ path: String, mode: UInt32?) throws(StorageError) -> Int32 {
    try files.create(path, mode: mode)
  }
  func write(
    _ bytes: UnsafeRawBufferPointer,
    to file: Int32,
    at offset: Int,
    path: String
  ) throws(StorageError) {
    try files.write(bytes, to: file, at: offset, path: path)
  }
  func truncate(_ file: Int32, to length: Int, path: String) throws(StorageError) {
    try files.truncate(file, to: length, path: path)
  }
  func sync(_ file: Int32, path: String) throws(StorageError) { try files.sync(file, path: path) }
  func syncFolder(_ path: String) throws(StorageError) { try files.syncFolder(path) }
  func rename(_ path: String, to newPath: String) throws(StorageError) {
    try files.rename(path, to: newPath)
  }
  func remove(_ path: String) throws(StorageError) { try files.remove(path) }
  func makeFolder(_ path: String) throws(StorageError) { try files.makeFolder(path) }
  func setMode(_ mode: UInt32, of path: String) throws(StorageError) {
    try files.setMode(mode, of: path)
  }
  func removeFolder(_ path: String) throws(StorageError) { try files.removeFolder(path) }
  func close(_ file: Int32) { files.close(file) }
}
