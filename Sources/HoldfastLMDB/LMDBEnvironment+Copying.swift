import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Copies of the newest snapshot, made by LMDB beside all reading and writing.
extension LMDBEnvironment {
  /// Copies the store into a new folder.
  ///
  /// The copy is made beside its place and moved there when it is complete and on disk.
  ///
  /// - Throws: `StorageError.Code.alreadyExists` if there is anything at the path;
  ///   `StorageError.Code.corrupt` if a page makes no sense; what the system reports.
  func backup(to path: String, until deadline: ContinuousClock.Instant) throws(StorageError) {
    let path = URL(fileURLWithPath: path).standardizedFileURL.path
    var file = holdfast_file()
    var status = holdfast_examine(path, &file)
    if status == 0 { throw taken(path) }
    if status != ENOENT { throw .system(status, "examining", path) }
    status = holdfast_examine(folder.path, &file)
    if status != 0 { throw .system(status, "examining", folder.path) }
    let draft = StoreFolder(path: path + ".\(UUID().uuidString)")
    guard mkdir(draft.path, 0o700) == 0 else {
      throw .system(errno, "creating a folder beside", path)
    }
    do throws(StorageError) {
      try copy(to: draft.dataPath, until: deadline)
      if chmod(draft.path, mode_t(file.permissions)) != 0 {
        throw .system(errno, "writing", path)
      }
      try StoreFolder.synchronize(draft.path)
      // An empty folder that appeared in the meantime is replaced, and nothing else is.
      if rename(draft.path, path) != 0 {
        if [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) { throw taken(path) }
        throw .system(errno, "moving the copy to", path)
      }
    } catch {
      // The failure that led here is the one to report.
      chmod(draft.path, 0o700)
      unlink(draft.dataPath)
      rmdir(draft.path)
      throw error
    }
    try StoreFolder.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Copies the newest snapshot, without the pages that it does not use, into a new file with the
  /// data file's permissions, and flushes it.
  ///
  /// - Parameters:
  ///   - path: the file, which stays behind if this fails.
  ///   - deadline: how long to wait for a slot of a reader.
  ///   - commit: the number that the copy's newest commit gets; nil for LMDB's own choice.
  /// - Throws: `StorageError.Code.corrupt` if a page makes no sense; what the system reports.
  func copy(to path: String, until deadline: ContinuousClock.Instant, as commit: Int? = nil)
    throws(StorageError)
  {
    // The reader keeps the map where it is, too.
    let reader = try takeReader(timeout: ContinuousClock.now.duration(to: deadline))
    defer { giveBack(reader) }
    let faults = try faults(in: reader, until: deadline, isFirstEnough: true)
    if let fault = faults.first { throw fault }
    var file = holdfast_file()
    var status = holdfast_examine_open(dataDescriptor, &file)
    if status != 0 { throw .system(status, "examining", self.path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw .system(errno, "creating", path) }
    defer { closeDescriptor(descriptor) }
    status = mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT))
    if status != 0 { throw .lmdb(status, "copying", self.path) }
    if let commit { try DataFile.renumber(descriptor, path, to: commit) }
    if fchmod(descriptor, mode_t(file.permissions)) != 0 { throw .system(errno, "writing", path) }
    try StoreFolder.synchronize(descriptor, path)
  }

  /// What makes no sense in the pages of the newest snapshot, and what is worth knowing.
  func findings(until deadline: ContinuousClock.Instant) throws(StorageError) -> [Finding] {
    let reader = try takeReader(timeout: ContinuousClock.now.duration(to: deadline))
    defer { giveBack(reader) }
    var notes: [Finding] = []
    let faults = try faults(in: reader, until: deadline, isFirstEnough: false) {
      notes.append(.note($0))
    }
    return faults.map { .fault($0.message) } + notes
  }

  /// What makes no sense in the pages of a snapshot.
  ///
  /// - Parameters:
  ///   - reader: the snapshot; another one takes its place while commits overtake it.
  ///   - deadline: how long to go on while they do.
  ///   - isFirstEnough: whether to stop at the first fault.
  ///   - notes: takes what is no fault.
  /// - Returns: an error of each fault.
  /// - Throws: `StorageError.Code.busy`; what keeps the pages from being read.
  func faults(
    in reader: OpaquePointer,
    until deadline: ContinuousClock.Instant,
    isFirstEnough: Bool,
    notes: ((String) -> Void)? = nil
  ) throws(StorageError) -> [StorageError] {
    let file = try DataFile(path: folder.dataPath)
    while true {
      if let meta = try file.meta(of: mdb_txn_id(reader)) {
        var walk = try file.walk(meta)
        return try walk.faults(meta, in: file, isFirstEnough: isFirstEnough, notes: notes)
      }
      // Two commits since the snapshot began have written over its meta page.
      mdb_txn_reset(reader)
      let status = mdb_txn_renew(reader)
      if status != 0 { throw .lmdb(status, "reading", path) }
      if ContinuousClock.now >= deadline {
        throw StorageError(
          .busy,
          "\(path) was written to too fast for a look at its pages; try again",
          backend: "lmdb"
        )
      }
    }
  }

  private func taken(_ path: String) -> StorageError {
    StorageError(
      .alreadyExists,
      "there is something at \(path) already; choose another path",
      backend: "lmdb"
    )
  }
}
