import Foundation
public import Holdfast

/// A store in a folder of JSON or property-list files that people and other programs can read.
///
/// Rows and indexes live in memory. A commit appends one checked group to `journal.jsonl`, so its
/// cost follows the change and not the store; a checkpoint brings the record files up to date, when
/// the store closes or the journal has outgrown them. Several processes may write in turn.
/// `docs/FileFormats.md` describes the files.
public final class ArchiveStorage: Storage, @unchecked Sendable {
  // Unchecked: `mutex` protects what changes; the state of an open write is the writer's alone.
  /// A snapshot.
  public typealias Reader = KeyValueStorage<MemoryEngine>.Reader
  /// A write transaction.
  public typealias Writer = ArchiveWriter

  /// What the engine offers.
  public let capabilities: Capabilities
  /// Whether opening created the store.
  public let wasCreated: Bool

  let folder: ArchiveFolder
  let format: ArchiveFormat
  let options: StorageOptions
  /// Changes files as durably as the options say.
  let files: any FileOperations
  /// Makes everything durable, whatever the options say.
  let durableFiles: any FileOperations
  let lock: FolderLock

  /// The size up to which a journal never counts as too large.
  let minimumJournal: Int

  /// Protects everything below; signalled when a turn or a checkpoint ends.
  ///
  /// No access overlaps another one then; checking that cost a commit more than a thousand
  /// instructions.
  let mutex = NSCondition()
  @exclusivity(unchecked) var state: ArchiveState
  /// What the next write transaction writes its lines with.
  @exclusivity(unchecked) var lines: ChangeLines?
  /// Whether a write transaction is open: nobody else commits then, and the state is the writer's.
  @exclusivity(unchecked) var isWriting = false
  /// Who has the folder's lock, or waits for it; the lock itself keeps out other processes only.
  @exclusivity(unchecked) var turn = Turn.free
  /// The checkpoints beside commits.
  @exclusivity(unchecked) var checkpoints = CheckpointRecord()
  /// Why nothing is written any more.
  @exclusivity(unchecked) private(set) var failure: StorageError?
  @exclusivity(unchecked) private(set) var isClosed = false
  @exclusivity(unchecked) var isSuspended = false
  /// Whether others have committed since the core last asked.
  var hasExternalChange = false

  private init(
    _ folder: ArchiveFolder,
    _ format: ArchiveFormat,
    _ options: StorageOptions,
    files: any FileOperations,
    lock: FolderLock,
    state: ArchiveState,
    wasCreated: Bool,
    minimumJournal: Int
  ) {
    self.minimumJournal = minimumJournal
    self.folder = folder
    self.format = format
    self.options = options
    self.files = options.durability == .none ? UnsyncedFiles(files) : files
    durableFiles = files
    self.lock = lock
    self.state = state
    self.wasCreated = wasCreated
    capabilities = Capabilities(
      backend: format.backend,
      engine: "Holdfast archive, format \(ArchiveCatalog.format)",
      maximumValueSize: 1 << 30,
      sharesBetweenProcesses: true,
      isPersistent: true,
      noticesExternalChanges: true,
      backsUpOnline: true
    )
  }

  /// Opens the archive in a folder, or creates it there.
  ///
  /// - Parameters:
  ///   - path: the folder; one that does not exist is created, its parent must exist.
  ///   - format: the kind of its files.
  ///   - options: `format` chooses XML or binary property lists, `edits` what becomes of files that
  ///     were edited by hand.
  /// - Returns: the open storage.
  /// - Throws: `StorageError.Code.cannotOpen` if there is none and none may be created;
  ///   `StorageError.Code.wrongKind` if the path holds something else;
  ///   `StorageError.Code.newerFormat`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.conflict`, `StorageError.Code.permissionDenied`,
  ///   `StorageError.Code.busy`. What is there is never overwritten then.
  public static func open(
    path: String,
    format: ArchiveFormat,
    options: StorageOptions = StorageOptions()
  ) throws(StorageError) -> ArchiveStorage {
    try open(path: path, format: format, options: options, files: SystemFiles())
  }

  /// Opens an archive whose files are changed through other calls, or whose journal counts as too
  /// large at another size, for tests.
  package static func open(
    path: String,
    format: ArchiveFormat,
    options: StorageOptions,
    files: any FileOperations,
    minimumJournal: Int = 1 << 20
  ) throws(StorageError) -> ArchiveStorage {
    let unresolved = ArchiveFolder(path)
    var wasCreated = false
    if try unresolved.content() != .archive {
      guard !options.isReadOnly, options.createsIfMissing else {
        throw StorageError(
          .cannotOpen,
          "there is no archive at \(path); check the path, or open it for writing to create one",
          backend: format.backend
        )
      }
      try files.makeFolder(path)
    }
    // From here on the path does not depend on the working directory.
    let folder = ArchiveFolder(FileStamp.resolved(path))
    let lock = FolderLock(path: folder.lock)
    if try folder.content() != .archive {
      let creation = ArchiveCreation(
        folder: folder,
        format: format,
        options: options,
        files: options.durability == .none ? UnsyncedFiles(files) : files
      )
      try lock.take(timeout: options.timeout)
      defer { lock.release() }
      if try folder.content() != .archive {
        try creation.run()
        wasCreated = true
      }
    }
    let state = try ArchiveLoader(folder: folder, format: format, options: options).load()
    return ArchiveStorage(
      folder,
      format,
      options,
      files: files,
      lock: lock,
      state: state,
      wasCreated: wasCreated,
      minimumJournal: minimumJournal
    )
  }

  // MARK: Transactions

  /// Begins a snapshot, after taking in what other processes have committed.
  ///
  /// - Throws: `StorageError.Code.closed`; `StorageError.Code.corrupt`,
  ///   `StorageError.Code.ioError` if the journal cannot be read.
  public func beginReading(timeout: Duration) throws(StorageError) -> Reader {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    // After a failure the journal may hold a commit that was reported as failed.
    if !isWriting, failure == nil { try refresh() }
    return try state.memory.beginReading(timeout: timeout)
  }

  /// Begins the write transaction, under the folder's lock.
  ///
  /// - Throws: `StorageError.Code.busy`, `StorageError.Code.readOnly`,
  ///   `StorageError.Code.closed`, `StorageError.Code.conflict`; `StorageError.Code.ioError`
  ///   after a commit that failed.
  public func beginWriting(timeout: Duration) throws(StorageError) -> ArchiveWriter {
    try checkWritable()
    var state = try takeState(timeout: timeout)
    do throws(StorageError) {
      if state.needsCheckpoint || state.journal.hasTornTail {
        if state.needsCheckpoint { try checkpoint(&state) }
        try cutTornTail(&state)
        store(state)
      }
      let memory = try state.memory.beginWriting(timeout: timeout)
      return ArchiveWriter(self, memory, consume state)
    } catch {
      giveBack(state)
      throw error
    }
  }

  /// Closes the store, after a checkpoint of what was committed.
  ///
  /// A checkpoint that cannot be had because another process is writing is left to that one, and one
  /// for which the disk has no room to the next opening: the commits are in the journal.
  /// - Throws: what else the checkpoint throws; all commits are in the journal even then.
  public func close() throws(StorageError) {
    defer { markClosed() }
    // What it has not finished is done at once.
    mutex.withLock { stopCheckpoint() }
    guard !options.isReadOnly, hasWorkToClose else { return }
    var state: ArchiveState
    do throws(StorageError) {
      state = try takeState(timeout: .zero)
    } catch {
      if error.code == .busy { return }
      throw error
    }
    defer { giveBack(state) }
    do throws(StorageError) {
      if state.hasPendingCommits { try checkpoint(&state) }
    } catch {
      if error.code != .storageFull { throw error }
    }
  }

  private var hasWorkToClose: Bool {
    mutex.lock()
    defer { mutex.unlock() }
    return !isClosed && !isSuspended && failure == nil && state.hasPendingCommits
  }

  private func markClosed() {
    mutex.lock()
    defer { mutex.unlock() }
    guard !isClosed else { return }
    isClosed = true
    stopCheckpoint()
    lock.letGo()
    state.journal.file = nil
    // Snapshots that are still open keep what they see.
    _ = Result { () throws(StorageError) in try state.memory.close() }
  }

  static var closedError: StorageError {
    StorageError(.closed, "the archive is closed; open it again", backend: "archive")
  }

  /// Checks that the archive is in use; the mutex is held.
  func checkOpen() throws(StorageError) {
    guard !isClosed else { throw Self.closedError }
    guard !isSuspended else {
      throw StorageError(.suspended, "the archive is suspended; resume it", backend: format.backend)
    }
  }

  func checkWritable() throws(StorageError) {
    guard !options.isReadOnly else {
      throw StorageError(
        .readOnly,
        "the archive was opened read-only; open it for writing",
        backend: format.backend
      )
    }
  }

  // MARK: The state

  private func store(_ state: ArchiveState) {
    mutex.lock()
    defer { mutex.unlock() }
    self.state = state
  }

  /// Takes what lines are written with.
  func takeLines() -> ChangeLines {
    mutex.lock()
    defer { mutex.unlock() }
    defer { lines = nil }
    return lines ?? ChangeLines()
  }

  /// Remembers that the files' state is unknown, so that nothing is written on top of it.
  func recordFailure(_ error: StorageError) {
    mutex.lock()
    defer { mutex.unlock() }
    failure = error
  }

  /// Takes in what other processes have done.
  ///
  /// The mutex is held, and no write transaction open.
  func refresh() throws(StorageError) {
    let refresh = ArchiveRefresh(folder: folder, loader: loader)
    if try refresh.run(&state) { hasExternalChange = true }
  }

  var loader: ArchiveLoader {
    ArchiveLoader(folder: folder, format: format, options: options)
  }

  /// Cuts off what a crash left behind the last intact group.
  ///
  /// The lock is held.
  func cutTornTail(_ state: inout ArchiveState) throws(StorageError) {
    guard state.journal.hasTornTail else { return }
    let file = try state.journal.descriptor()
    try files.truncate(file, to: state.journal.end, path: folder.journal)
    state.journal.stamp = try FileStamp.of(file, path: folder.journal)
  }
}
