package import Holdfast

/// The calls by which an archive changes files: one seam, so that tests count them, fail them and
/// rebuild what a power loss leaves.
///
/// Every call either did all that it says or throws. Reading does not go through here.
package protocol FileOperations: Sendable {
  /// Creates a new file for writing, with permission bits or the process's default; fails if the
  /// path exists.
  func create(_ path: String, mode: UInt32?) throws(StorageError) -> Int32
  /// Writes all bytes at an offset.
  func write(
    _ bytes: UnsafeRawBufferPointer,
    to file: Int32,
    at offset: Int,
    path: String
  ) throws(StorageError)
  /// Cuts a file.
  func truncate(_ file: Int32, to length: Int, path: String) throws(StorageError)
  /// Makes a file's content durable.
  func sync(_ file: Int32, path: String) throws(StorageError)
  /// Makes the entries of a folder durable.
  func syncFolder(_ path: String) throws(StorageError)
  /// Renames a file over another.
  func rename(_ path: String, to newPath: String) throws(StorageError)
  /// Removes a file; one that is not there is no error.
  func remove(_ path: String) throws(StorageError)
  /// Creates a folder; one that is there is no error.
  func makeFolder(_ path: String) throws(StorageError)
  /// Sets the permission bits of a file or folder.
  func setMode(_ mode: UInt32, of path: String) throws(StorageError)
  /// Removes an empty folder.
  func removeFolder(_ path: String) throws(StorageError)
  /// Closes a file.
  func close(_ file: Int32)
}
