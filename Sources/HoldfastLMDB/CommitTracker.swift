internal import Holdfast
import Synchronization

/// Tells the commits that were made through one engine from those of all others, by LMDB's numbers
/// of commits, which count up by one.
final class CommitTracker: Sendable {
  private struct State {
    /// The commit up to which all are accounted for.
    var seen: Int
    /// The number that the open writer's commit will have.
    var writing: Int?
    var isForeign = false

    mutating func see(_ commit: Int) {
      // A lower number than before is that of a file that was put in the store's place.
      if commit != seen { isForeign = true }
      seen = commit
    }
  }

  private let state: Mutex<State>

  /// Starts with everything up to a commit accounted for.
  init(_ commit: Int) { state = Mutex(State(seen: commit)) }

  /// A write transaction of the engine begins; nobody else commits until it ends.
  func begin(_ commit: Int) {
    state.withLock { state in
      state.see(commit - 1)
      state.writing = commit
    }
  }

  /// The write transaction ends.
  ///
  /// Parameter `isCommitted`: whether it made a commit; one that changed nothing makes none.
  func end(isCommitted: Bool) {
    state.withLock { state in
      if isCommitted, let commit = state.writing { state.seen = commit }
      state.writing = nil
    }
  }

  /// Whether a commit of others has come since this was last asked.
  ///
  /// Parameter `newest`: gives the number of the newest commit.
  func takeForeign(_ newest: () throws(StorageError) -> Int) throws(StorageError) -> Bool {
    try state.withLock { (state) throws(StorageError) in
      let commit = try newest()
      state.see(state.writing.map { min(commit, $0 - 1) } ?? commit)
      defer { state.isForeign = false }
      return state.isForeign
    }
  }
}
