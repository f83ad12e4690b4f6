import Foundation
import Holdfast

/// The file of an object archive, and what is known of it.
///
/// Used by one thread at a time, under the archive's mutex.
struct ObjectFile {
  /// The file as it was when it was last read or saved.
  private enum Known {
    /// It was not read.
    case nothing
    /// There was none.
    case missing
    case file(FileStamp, hash: UInt64)
  }

  private let path: String
  private let maximumSize: Int
  private let timeout: Duration
  private let files: any FileOperations
  private var known = Known.nothing

  init(_ path: String, maximumSize: Int, timeout: Duration, _ files: any FileOperations) {
    self.path = path
    self.maximumSize = maximumSize
    self.timeout = timeout
    self.files = files
  }

  /// Runs a body while no other object archive saves to the folder, in any process.
  mutating func locked<T>(_ body: (inout ObjectFile) throws -> T) throws -> T {
    let lock = FolderLock(folder: try place().folder)
    try lock.take(timeout: timeout)
    defer { lock.letGo() }
    return try body(&self)
  }

  /// Reads the file; nil if there is none.
  mutating func read() throws(StorageError) -> ObjectEnvelope? {
    known = .nothing
    guard let file = try contents(FileStamp.resolved(path)) else {
      try checkNoBrokenLink()
      known = .missing
      return nil
    }
    defer { file.keepAlive() }
    let envelope = try ObjectEnvelope(file.bytes, path: path, maximumSize: maximumSize)
    known = .file(file.stamp, hash: file.hash)
    return envelope
  }

  /// Forgets the file that was read: its content makes no sense, so that it must not be replaced.
  mutating func forget() { known = .nothing }

  /// Replaces the file, if it is the one that is known.
  mutating func replace(_ bytes: [UInt8]) throws(StorageError) {
    let (folder, name, target) = try place()
    let present = try FileStamp.of(target)
    if let present, !present.isFile { throw notOrdinary }
    try check(present, target)
    let fresh = "\(folder)/.\(name).holdfast-new"
    let digest: FileDigest
    do throws(StorageError) {
      let writer = try FileWriter(fresh, mode: present?.mode, files: files)
      try writer.append(bytes)
      digest = try writer.finish()
      try files.rename(fresh, to: target)
    } catch {
      // What cannot be removed either is overwritten by the next save.
      _ = Result { () throws(StorageError) in try files.remove(fresh) }
      throw error
    }
    known = try FileStamp.of(target).map { .file($0, hash: digest.hash) } ?? .nothing
    try files.syncFolder(folder)
  }

  /// Throws if the file is not the one that was read.
  private func check(_ present: FileStamp?, _ target: String) throws(StorageError) {
    let change: String
    switch (known, present) {
    case (.nothing, nil), (.missing, nil): return
    case (.nothing, _): change = "is there and was not read"
    case (.missing, _): change = "was created by somebody else"
    case (.file, nil): change = "was removed by somebody else"
    case (.file(let stamp, let hash), let present?):
      // Touched, but not changed, is no conflict.
      if stamp == present { return }
      let file = try contents(target)
      if let file, file.hash == hash { return }
      change = "was changed by somebody else since it was read"
    }
    throw StorageError(
      .conflict,
      "\(path) \(change), and is not replaced; load it, and save again",
      backend: "archive"
    )
  }

  /// The file's bytes, if they are not too many.
  private func contents(_ target: String) throws(StorageError) -> FileBytes? {
    guard let stamp = try FileStamp.of(target) else { return nil }
    guard stamp.isFile else { throw notOrdinary }
    guard stamp.size <= maximumSize else {
      throw StorageError(
        .corrupt,
        "\(path) has \(stamp.size) bytes, more than its maximum of \(maximumSize); "
          + "raise that, or move it away",
        backend: "archive"
      )
    }
    return try FileBytes.read(target)
  }

  /// Where the file is, links resolved.
  private func place() throws(StorageError) -> (folder: String, name: String, target: String) {
    try checkNoBrokenLink()
    let target = FileStamp.resolved(path)
    let name = URL(fileURLWithPath: target).lastPathComponent
    return (FileStamp.folder(of: target), name, target)
  }

  private func checkNoBrokenLink() throws(StorageError) {
    if try FileStamp.of(path) == nil, try FileStamp.isTaken(path) {
      throw StorageError(
        .cannotOpen,
        "\(path) is a symbolic link that leads nowhere; remove it",
        backend: "archive"
      )
    }
  }

  private var notOrdinary: StorageError {
    StorageError(
      .wrongKind,
      "\(path) is not an ordinary file; use another path",
      backend: "archive"
    )
  }
}
