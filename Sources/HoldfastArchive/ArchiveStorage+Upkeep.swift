import Foundation
public import Holdfast

extension ArchiveStorage {
  /// Whether others have committed since this was last asked, by the journal's sequence.
  ///
  /// Costs one look at the journal's stamp where nothing has happened; takes no lock.
  public func takeExternalChange() throws(StorageError) -> Bool {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    if !isWriting, failure == nil { try refresh() }
    defer { hasExternalChange = false }
    return hasExternalChange
  }

  /// Writes a snapshot as an archive of its own, whose journal is empty.
  ///
  /// Others wait no longer than for the snapshot to begin.
  /// - Throws: `StorageError.Code.alreadyExists`, `StorageError.Code.storageFull`,
  ///   `StorageError.Code.ioError`; nothing is left at the path then.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    let (backup, snapshot) = try beginBackup(timeout: timeout)
    defer { snapshot.end() }
    try backup.write(snapshot, to: path)
  }

  private func beginBackup(
    timeout: Duration
  ) throws(StorageError) -> (ArchiveBackup, ArchiveMemory.Reader) {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    if !isWriting, failure == nil { try refresh() }
    let backup = ArchiveBackup(
      source: folder,
      encoding: state.encoding,
      sequence: state.sequence,
      names: state.files.compactMapValues(\.onDisk?.name),
      files: durableFiles
    )
    return (backup, try state.memory.beginReading(timeout: timeout))
  }

  /// Brings the record files up to date, so that the journal is empty.
  ///
  /// - Throws: `StorageError.Code.readOnly`, `StorageError.Code.busy`; as a commit.
  public func compact(timeout: Duration) throws(StorageError) {
    try checkWritable()
    mutex.withLock { stopCheckpoint() }
    var state = try takeState(timeout: timeout)
    defer { giveBack(state) }
    if state.hasPendingCommits || state.needsCheckpoint { try checkpoint(&state) }
  }

  /// Checks the files against catalog and journal, and reads all of them; changes nothing.
  ///
  /// - Throws: `StorageError.Code.busy` if the archive keeps changing meanwhile;
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.ioError`.
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    var options = options
    options.timeout = timeout
    options.isReadOnly = true
    let findings = try ArchiveVerification(
      ArchiveLoader(folder: folder, format: format, options: options)
    ).run()
    let (memory, failure) = try verified()
    let note = failure.map {
      Finding.note(
        "the last checkpoint failed, and a later commit tries again; what was committed is in the "
          + "journal (\($0.message))"
      )
    }
    return try findings + [note].compactMap(\.self) + memory.verify(timeout: timeout)
  }

  private func verified() throws(StorageError) -> (ArchiveMemory, StorageError?) {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    return (state.memory, checkpoints.failure)
  }

  /// Lets the lock's file and the journal go; the rows stay in memory.
  ///
  /// - Throws: `StorageError.Code.busy` while a write transaction is open.
  public func suspend() throws(StorageError) {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    try checkNotWriting()
    stopCheckpoint()
    // Waiting lets others in.
    try checkOpen()
    try checkNotWriting()
    lock.letGo()
    state.journal.file = nil
    isSuspended = true
  }

  /// Takes the journal up again, with what others have committed meanwhile and what somebody has
  /// edited by hand.
  ///
  /// - Throws: as opening; the store stays suspended then.
  public func resume() throws(StorageError) {
    mutex.lock()
    defer { mutex.unlock() }
    guard !isClosed else { throw Self.closedError }
    guard isSuspended else { return }
    var resumed = state
    resumed.journal.file = try OpenFile.open(folder.journal, writable: !options.isReadOnly)
    var isChanged = try ArchiveRefresh(folder: folder, loader: loader)
      .run(&resumed, isResuming: true)
    if try isAnyFileEdited(resumed) {
      resumed = try loader.load()
      isChanged = true
    }
    if isChanged { hasExternalChange = true }
    state = resumed
    isSuspended = false
  }

  private func isAnyFileEdited(_ state: ArchiveState) throws(StorageError) -> Bool {
    for file in state.files.values {
      guard let content = file.onDisk else { continue }
      do throws(StorageError) {
        if try checkUnedited(content) == nil { return true }
      } catch {
        guard error.code == .conflict else { throw error }
        return true
      }
    }
    return false
  }
}
