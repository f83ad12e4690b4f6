import Foundation
import Holdfast

/// Writes a snapshot of an archive as another archive.
struct ArchiveBackup {
  let source: ArchiveFolder
  let encoding: ArchiveEncoding
  /// The commit that the snapshot is of.
  let sequence: Int64
  /// The names of the collections' files in the source, by id, of those that have one.
  let names: [Int: String]
  let files: any FileOperations

  /// Writes everything to a folder beside the destination, which takes its place when it is complete.
  ///
  /// - Throws: `StorageError.Code.alreadyExists`; what the system reports.
  func write(_ snapshot: ArchiveMemory.Reader, to path: String) throws(StorageError) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard try !FileStamp.isTaken(path) else {
      throw StorageError(
        .alreadyExists,
        "there is something at \(path) already; remove it, or back up to another path",
        backend: encoding.format.backend
      )
    }
    let fresh = ArchiveFolder("\(path).\(UUID().uuidString).new")
    try files.makeFolder(fresh.path)
    do throws(StorageError) {
      try write(snapshot, into: fresh)
      try files.rename(fresh.path, to: path)
    } catch {
      remove(fresh)
      throw error
    }
    try files.syncFolder(FileStamp.folder(of: path))
  }

  private func write(
    _ snapshot: ArchiveMemory.Reader,
    into fresh: ArchiveFolder
  ) throws(StorageError) {
    var digests: [Int: FileDigest] = [:]
    // Of collections that only the journal has so far there is no file yet.
    let mode = try FileStamp.of(source.catalog)?.mode
    for collection in snapshot.catalog.collections {
      let original = source.records(names[collection.id] ?? collection.physicalName, encoding)
      let file = try FileWriter(
        fresh.records(collection.physicalName, encoding),
        mode: try FileStamp.of(original)?.mode ?? mode,
        files: files
      )
      try RecordFile.write(collection, encoding, from: snapshot, to: file)
      digests[collection.id] = try file.finish()
    }
    let catalog = try ArchiveCatalog(
      of: snapshot,
      encoding: encoding,
      base: sequence,
      digests: digests
    )
    let header = JournalLine.header(store: catalog.store, base: sequence)
    try write(header, to: fresh.journal, as: source.journal)
    try write(try catalog.text(), to: fresh.catalog, as: source.catalog)
    try files.syncFolder(fresh.path)
    if let mode = try FileStamp.of(source.path)?.mode { try files.setMode(mode, of: fresh.path) }
  }

  private func write(
    _ bytes: [UInt8],
    to path: String,
    as original: String
  ) throws(StorageError) {
    let file = try FileWriter(path, mode: try FileStamp.of(original)?.mode, files: files)
    try file.append(bytes)
    _ = try file.finish()
  }

  /// Removes what a failure left; what cannot be removed has a name that says what it is.
  private func remove(_ fresh: ArchiveFolder) {
    _ = Result { () throws(StorageError) in
      for name in try fresh.names() {
        try files.remove(fresh.path + "/" + name)
      }
      try files.removeFolder(fresh.path)
    }
  }
}
