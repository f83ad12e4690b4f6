import Foundation
import Holdfast

/// Makes an empty archive in a folder that holds nothing, under the folder's lock.
struct ArchiveCreation {
  let folder: ArchiveFolder
  let format: ArchiveFormat
  let options: StorageOptions
  let files: any FileOperations

  /// Writes the journal first: a folder with a catalog is an archive, one without is not yet.
  func run() throws(StorageError) {
    let encoding: ArchiveEncoding =
      switch format {
      case .json: .json
      case .propertyList: options.format == .binary ? .binary : .xml
      }
    let catalog = ArchiveCatalog(encoding: encoding, store: UUID().uuidString)
    let writing = ArchiveFileReplacement(folder: folder, files: files)
    try writing.replace(folder.journal, with: JournalLine.header(store: catalog.store, base: 0))
    try writing.replace(folder.catalog, with: try catalog.text())
    try files.syncFolder(FileStamp.folder(of: folder.path))
  }
}

/// Replaces a file with a new one, so that a crash leaves either whole.
struct ArchiveFileReplacement {
  let folder: ArchiveFolder
  let files: any FileOperations

  /// Writes, syncs and renames; then syncs the folder.
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    let fresh = ArchiveFolder.replacement(of: path)
    let file = try FileWriter(fresh, mode: try FileStamp.of(path)?.mode, files: files)
    try file.append(bytes)
    _ = try file.finish()
    try files.rename(fresh, to: path)
    try files.syncFolder(folder.path)
  }
}
