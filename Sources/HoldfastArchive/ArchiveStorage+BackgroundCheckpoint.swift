import Foundation
import Holdfast

/// Checkpoints that run beside commits.
///
/// A thread writes a snapshot's record files, and two journals with what was committed since, under
/// names of their own. It takes the folder's lock for a few renames, once it has caught up with the
/// commits so far that little is left to copy under the lock. Until the first rename nothing is in
/// use, so whatever fails is tried again later; no commit hears of it.
extension ArchiveStorage {
  /// How much of the journal is copied under the lock, at first.
  private static let firstRest = 1 << 18

  /// Begins a checkpoint if the journal has outgrown the record files.
  ///
  /// The mutex is held, and the state is that of the last commit.
  func beginCheckpointIfDue() {
    // Most journals are small.
    guard state.journal.end > minimumJournal, checkpoints.running == nil, !state.needsCheckpoint,
      failure == nil, !isClosed, state.journal.file != nil,
      state.journal.end > max(state.journalLimit(atLeast: minimumJournal), checkpoints.retrySize)
    else { return }
    // A snapshot of memory cannot fail; if it does, the next commit tries again.
    guard case .success(let snapshot) = snapshot() else { return }
    state.changed = []
    let checkpoint = BackgroundCheckpoint(snapshot, state, folder)
    checkpoints.running = checkpoint
    let thread = Thread { self.run(checkpoint) }
    thread.name = "holdfast.checkpoint"
    thread.start()
  }

  private func snapshot() -> Result<ArchiveMemory.Reader, StorageError> {
    Result { () throws(StorageError) in try state.memory.beginReading(timeout: .zero) }
  }

  /// Ends the checkpoint that is running, before or after it has changed anything, and waits for its
  /// thread.
  ///
  /// The mutex is held.
  func stopCheckpoint() {
    checkpoints.running?.cancel()
    mutex.broadcast()
    waitForCheckpoint()
  }

  /// Waits until no checkpoint is running; the mutex is held.
  private func waitForCheckpoint() {
    while checkpoints.running != nil { mutex.wait() }
  }

  /// Waits until no checkpoint is running, for tests and measurements.
  package func finishCheckpoint() {
    mutex.withLock { waitForCheckpoint() }
  }

  // MARK: On its thread

  private func run(_ checkpoint: BackgroundCheckpoint) {
    let result = Result { () throws(StorageError) in try perform(checkpoint) }
    checkpoint.snapshot.end()
    // Whoever waits for the end of the checkpoint expects its files to be closed.
    checkpoint.state.journal.file = nil
    checkpoint.lock.letGo()
    mutex.lock()
    checkpoints.running = nil
    checkpoints.failure = nil
    checkpoints.retrySize = 0
    if case .failure(let error) = result {
      // One that is overtaken or left to another process is no failure.
      if error.code != .busy { checkpoints.failure = error }
      checkpoints.retrySize =
        state.journal.end + max(minimumJournal, state.journalLimit(atLeast: 0) / 4)
    }
    mutex.broadcast()
    mutex.unlock()
  }

  private func perform(_ checkpoint: BackgroundCheckpoint) throws(StorageError) {
    try checkpoint.lock.take(timeout: .zero)
    let paced = PacedFiles(files: files, checkpoint: checkpoint)
    var new = CheckpointFiles(folder, checkpoint.state, checkpoint.snapshot, .besideCommits)
    do throws(StorageError) {
      try write(&new, of: checkpoint.snapshot, &checkpoint.state, paced)
      var journals = try CheckpointJournals(
        folder,
        checkpoint.state,
        digests: new.digests,
        isDurable: options.durability != .none,
        paced
      )
      try files.syncFolder(folder.path)
      // The system frees what a large file took when the last descriptor of it is closed, which takes
      // its time: not under the lock.
      let replaced = openLargeFiles(checkpoint.state)
      try catchUp(&journals, checkpoint, new)
      withExtendedLifetime(replaced) {}
    } catch {
      // After a failure among the renames opening the archive again needs none of them either.
      new.discard(files)
      throw error
    }
  }

  private func openLargeFiles(_ state: ArchiveState) -> [OpenFile] {
    let contents = state.files.values.compactMap(\.onDisk) + state.obsolete
    return contents.filter { $0.digest.size > 1 << 20 }.compactMap { content in
      // One that cannot be opened is freed under the lock.
      try? OpenFile.open(content.path, writable: false)
    }
  }

  /// Follows the commits until little is left of them, and takes the lock for that and the renames.
  private func catchUp(
    _ journals: inout CheckpointJournals,
    _ checkpoint: BackgroundCheckpoint,
    _ new: CheckpointFiles
  ) throws(StorageError) {
    var rest = Self.firstRest
    while true {
      try journals.copy(upTo: try committedEnd(checkpoint))
      try journals.sync()
      var state = try takeState(for: checkpoint)
      defer { giveBack(state) }
      try checkCurrent(state, checkpoint)
      if state.journal.end - journals.copied <= rest {
        try complete(new, &journals, &state)
        return
      }
      // Whoever commits more than that at once is followed under the lock in the end.
      rest *= 2
    }
  }

  private func committedEnd(_ checkpoint: BackgroundCheckpoint) throws(StorageError) -> Int {
    mutex.lock()
    defer { mutex.unlock() }
    try checkCurrent(state, checkpoint)
    return state.journal.end
  }

  /// Checks that commits have only added to what the snapshot holds, and no other checkpoint has come
  /// in between.
  ///
  /// The schema stays: what is behind a mark does not change the names of files.
  private func checkCurrent(
    _ state: ArchiveState,
    _ checkpoint: BackgroundCheckpoint
  ) throws(StorageError) {
    let now = try state.memory.beginReading(timeout: .zero)
    defer { now.end() }
    guard state.journal.file === checkpoint.state.journal.file, !state.needsCheckpoint,
      state.memory === checkpoint.state.memory,
      now.catalog.schemaVersion == checkpoint.snapshot.catalog.schemaVersion
    else { throw overtaken }
  }

  private var overtaken: StorageError {
    StorageError(.busy, "the checkpoint was overtaken by another change", backend: format.backend)
  }

  /// Puts the new files in place; the lock is held.
  private func complete(
    _ new: CheckpointFiles,
    _ journals: inout CheckpointJournals,
    _ state: inout ArchiveState
  ) throws(StorageError) {
    for file in new.obsolete { _ = try checkUnedited(file) }
    for collection in new.collections { try checkUnedited(collection.id, &state) }
    if journals.copied < state.journal.end {
      try journals.copy(upTo: state.journal.end)
      try journals.sync()
    }
    guard try new.areIntact(), try journals.areIntact() else { throw overtaken }
    try files.rename(folder.markedJournal, to: folder.journal)
    // Now the files on disk are on their way to another state.
    do throws(StorageError) {
      try files.syncFolder(folder.path)
      try putInPlace(new, journalEnd: journals.nextCount, &state)
    } catch {
      recordFailure(error)
      throw error
    }
    for id in state.changed { state.files[id]?.isDirty = true }
    removeLeftovers([], &state)
  }
}
