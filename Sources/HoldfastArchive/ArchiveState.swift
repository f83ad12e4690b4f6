import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Rows and indexes of an archive, in memory.
typealias ArchiveMemory = KeyValueStorage<MemoryEngine>

/// What an open archive knows: its rows, and which bytes on disk they come from.
struct ArchiveState {
  /// A record file, and the content that the rows in memory go back to.
  struct TrackedFile {
    var name: String
    /// The file's content as it was read or written last; nil while there is no file.
    var digest: FileDigest?
    /// The file's stamp at that time; nil if only its content is known.
    var stamp: FileStamp?
    /// Whether memory holds what the file does not.
    var isDirty: Bool
    /// What the file may hold instead: the contents that unfinished checkpoints of other processes
    /// were giving it.
    var marked: [FileDigest] = []
  }

  var memory: ArchiveMemory
  var store: String
  var encoding: ArchiveEncoding
  /// Record files by collection id.
  var files: [Int: TrackedFile]
  var journal: JournalPosition
  /// The commit that the record files go back to.
  var base: Int64
  /// The last commit in memory.
  var sequence: Int64
  /// Whether the folder must be brought in order before anything is committed: an interrupted
  /// checkpoint is to be finished, or a file edited by hand taken over.
  var needsCheckpoint: Bool

  /// Whether there are commits that the record files lack.
  var hasPendingCommits: Bool { sequence > base }

  /// Whether the journal has outgrown the record files, so that a checkpoint costs no more than
  /// what was committed since the last one.
  var isJournalLarge: Bool {
    var size = 1 << 20
    for file in files.values { size = max(size, file.digest?.size ?? 0) }
    let total = files.values.reduce(0) { $0 + ($1.digest?.size ?? 0) }
    return journal.end > max(size, total)
  }
}

/// An open journal and how far it was read.
struct JournalPosition {
  var file: OpenFile
  /// The journal's stamp when it was read last.
  var stamp: FileStamp
  /// The end of the last intact group; whatever is behind it is torn.
  var end: Int
  /// How far the journal is known to be durable.
  var synced: Int
  /// The last bytes before ``end``, to recognise the journal by.
  var tail: [UInt8]
}

/// A file descriptor that closes itself.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens a file; nil if there is none.
  static func open(_ path: String, writable: Bool) throws(StorageError) -> OpenFile? {
    let flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
    let descriptor = SystemFiles.retrying { openFile(path, flags) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw SystemError.error(errno, "open", path)
    }
    return OpenFile(descriptor)
  }
}

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
