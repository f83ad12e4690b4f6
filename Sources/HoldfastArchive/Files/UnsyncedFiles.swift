import Holdfast

/// File operations that make nothing durable, for `durability=none`.
struct UnsyncedFiles: FileOperations {
  private let files: any FileOperations

  init(_ files: any FileOperations) { self.files = files }

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
  func sync(_ file: Int32, path: String) throws(StorageError) {}
  func syncFolder(_ path: String) throws(StorageError) {}
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
