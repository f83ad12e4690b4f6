import Holdfast

/// File operations that make nothing durable, for `durability=none`.
struct UnsyncedFiles: ForwardingFiles {
  let files: any FileOperations

  init(_ files: any FileOperations) { self.files = files }

  func sync(_ file: Int32, path: String) throws(StorageError) {}
  func syncFolder(_ path: String) throws(StorageError) {}
}
