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
  /// A record file as it was read or written last.
  struct RecordContent {
    /// Its name without the extension.
    let name: String
    let path: String
    var digest: FileDigest
    /// The file's stamp at that time; nil if only its content is known.
    var stamp: FileStamp?

    init(
      _ name: String,
      _ digest: FileDigest,
      at path: String,
      stamp: FileStamp? = nil
    ) {
      self.name = name
      self.path = path
      self.digest = digest
      self.stamp = stamp
    }
  }

  /// What is known of the file of a collection.
  struct TrackedFile {
    /// The file that the rows in memory go back to; nil while there is none.
    var onDisk: RecordContent?
    /// The name that it has from the next checkpoint on, as the collection's physical name.
    var target: String
    /// Whether memory holds what the file does not.
    var isDirty: Bool

    /// Whether the next checkpoint writes it.
    var needsWriting: Bool { isDirty || onDisk?.name != target }
  }

  var memory: ArchiveMemory
  var store: String
  var encoding: ArchiveEncoding
  /// The files of the collections, by id.
  var files: [Int: TrackedFile]
  /// Files of collections that were dropped or renamed, which the next checkpoint removes.
  var obsolete: [RecordContent]
  /// The names of files beside which an interrupted checkpoint left new ones.
  var replacements: [String]
  var journal: JournalPosition
  /// The commit that the record files go back to.
  var base: Int64
  /// The last commit in memory.
  var sequence: Int64
  /// Whether the folder must be brought in order before anything is committed: an interrupted
  /// checkpoint is to be finished, or a file edited by hand taken over.
  var needsCheckpoint: Bool
  /// Whether a checkpoint was begun whose end was not seen: record files may have changed since they
  /// were read.
  var isCheckpointUnfinished: Bool
  /// Whether memory holds a file as somebody edited it.
  var isEdited: Bool
  /// The collections that were changed since a checkpoint last looked.
  var changed: Set<Int> = []

  /// Whether there are commits that the record files lack.
  var hasPendingCommits: Bool { sequence > base }

  /// The size from which on the journal has outgrown the record files, so that a checkpoint costs
  /// no more than what was committed since the last one.
  func journalLimit(atLeast minimum: Int) -> Int {
    max(minimum, files.values.reduce(0) { $0 + ($1.onDisk?.digest.size ?? 0) })
  }

  /// Takes note that a commit has changed a collection.
  mutating func noteChange(of id: Int) {
    // Most commits change what others have changed before: then nothing is copied.
    if files[id]?.isDirty == false { files[id]?.isDirty = true }
    if !changed.contains(id) { changed.insert(id) }
  }

  /// Takes note of the collections that there are now, and of their names.
  mutating func follow(_ catalog: Catalog) {
    var live: [Int: TrackedFile] = [:]
    for collection in catalog.collections {
      let known = files.removeValue(forKey: collection.id)
      live[collection.id] = TrackedFile(
        onDisk: known?.onDisk,
        target: collection.physicalName,
        isDirty: known?.isDirty ?? true
      )
    }
    obsolete += files.values.compactMap(\.onDisk)
    files = live
  }
}

/// An open journal and how far it was read.
struct JournalPosition {
  /// The journal; nil while the archive is suspended.
  var file: OpenFile?
  /// The commit that its first group follows.
  var base: Int64
  /// The journal's stamp when it was read last.
  var stamp: FileStamp
  /// Whether what comes last in it was written here, after ``stamp``.
  var endsInOwnCommit = false
  /// The end of the last intact group; whatever is behind it is torn.
  var end: Int
  /// How far the journal is known to be durable.
  var synced: Int
  /// The last bytes before ``end``, to recognise the journal by.
  var tail: [UInt8]

  /// Whether a journal of that stamp holds nothing that was not read.
  ///
  /// Behind one's own commit others can only add something: where the size is right nobody has.
  func isCurrent(_ found: FileStamp) -> Bool {
    if found == stamp { return true }
    return endsInOwnCommit && found.size == end && found.isSameFile(as: stamp)
  }

  /// Whether a crash left something behind the last intact group.
  var hasTornTail: Bool { stamp.size > end }

  /// The journal's descriptor.
  ///
  /// - Throws: `StorageError.Code.suspended`.
  func descriptor() throws(StorageError) -> Int32 {
    guard let file else {
      throw StorageError(.suspended, "the archive is suspended; resume it", backend: "archive")
    }
    return file.descriptor
  }
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
