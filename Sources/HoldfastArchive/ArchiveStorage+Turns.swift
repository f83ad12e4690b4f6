import Foundation
import Holdfast

/// Who may change the folder: one at a time, in this process and among all.
extension ArchiveStorage {
  /// Who has the folder's lock, or waits for it.
  enum Turn {
    case free
    case writer
    case checkpoint
  }

  /// Takes the folder's lock and the state, up to date with the journal, for a writer.
  ///
  /// Waits for a checkpoint that has the lock or is about to take it: it is short.
  func takeState(timeout: Duration) throws(StorageError) -> ArchiveState {
    try takeTurn(timeout)
    do throws(StorageError) {
      try lock.take(timeout: timeout)
    } catch {
      mutex.withLock { endTurn() }
      throw error
    }
    return try beginWork { (state) throws(StorageError) in
      // Nobody can be writing now: what is found is what the interrupted checkpoint left.
      if state.isCheckpointUnfinished { state = try loader.load() }
    }
  }

  /// Takes the folder's lock and the state for a checkpoint beside commits.
  ///
  /// Waits for an open writer; later ones wait for the checkpoint.
  func takeState(for checkpoint: BackgroundCheckpoint) throws(StorageError) -> ArchiveState {
    try takeTurn(for: checkpoint)
    do throws(StorageError) {
      while try !takeLock(for: checkpoint) {}
    } catch {
      mutex.withLock { endTurn() }
      throw error
    }
    return try beginWork { (_) throws(StorageError) in }
  }

  /// Takes the turn, unless somebody in this process is writing.
  private func takeTurn(_ timeout: Duration) throws(StorageError) {
    mutex.lock()
    defer { mutex.unlock() }
    try checkOpen()
    try checkNotWriting()
    var deadline: Date?
    while turn == .checkpoint || checkpoints.wantsTurn {
      let end = deadline ?? Date(timeIntervalSinceNow: timeout.seconds)
      deadline = end
      guard mutex.wait(until: end) else {
        throw StorageError(
          .busy,
          "a checkpoint of the archive waits for another process; try again",
          backend: format.backend
        )
      }
      try checkOpen()
      try checkNotWriting()
    }
    turn = .writer
  }

  private func takeTurn(for checkpoint: BackgroundCheckpoint) throws(StorageError) {
    mutex.lock()
    defer { mutex.unlock() }
    checkpoints.wantsTurn = true
    while turn != .free, !checkpoint.isCancelled { mutex.wait() }
    checkpoints.wantsTurn = false
    mutex.broadcast()
    try checkpoint.checkNotCancelled()
    turn = .checkpoint
  }

  /// Waits a while for the lock; false if another process has it still.
  private func takeLock(for checkpoint: BackgroundCheckpoint) throws(StorageError) -> Bool {
    try checkpoint.checkNotCancelled()
    do throws(StorageError) {
      try lock.take(timeout: .milliseconds(20))
      return true
    } catch {
      guard error.code == .busy else { throw error }
      return false
    }
  }

  /// Brings the state up to date under the lock, and gives it out.
  private func beginWork(
    _ prepare: (inout ArchiveState) throws(StorageError) -> Void
  ) throws(StorageError) -> ArchiveState {
    mutex.lock()
    defer { mutex.unlock() }
    do throws(StorageError) {
      try checkOpen()
      if let failure {
        throw StorageError(
          .ioError,
          "an earlier commit or checkpoint failed and the archive takes no more writes; close and "
            + "reopen it",
          backend: format.backend,
          engineCode: failure.engineCode,
          underlying: failure
        )
      }
      try refresh()
      try prepare(&state)
    } catch {
      lock.release()
      endTurn()
      throw error
    }
    isWriting = true
    return state
  }

  /// Lets the next one in; the mutex is held, and the folder's lock is not.
  private func endTurn() {
    turn = .free
    mutex.broadcast()
  }

  /// Checks that no write transaction is open; the mutex is held.
  func checkNotWriting() throws(StorageError) {
    guard turn != .writer else {
      throw StorageError(
        .busy,
        "the archive has a write transaction open; end it first",
        backend: format.backend
      )
    }
  }

  /// Ends a write transaction, and lets others in.
  ///
  /// - Parameters:
  ///   - lines: what its lines were written with, for the next one.
  ///   - state: what it has made of the state; nil if it was not committed.
  func giveBack(_ lines: ChangeLines, committed state: consuming ArchiveState?) {
    lines.removeAll()
    mutex.lock()
    defer { mutex.unlock() }
    self.lines = lines
    endWork(state)
    beginCheckpointIfDue()
  }

  /// Ends other work under the lock, and lets others in.
  func giveBack(_ state: consuming ArchiveState) {
    mutex.lock()
    defer { mutex.unlock() }
    endWork(state)
  }

  private func endWork(_ state: consuming ArchiveState?) {
    if let state { self.state = state }
    isWriting = false
    lock.release()
    endTurn()
  }
}
