import Holdfast

/// What is known of the checkpoints beside commits.
struct CheckpointRecord {
  /// The one that is running.
  var running: BackgroundCheckpoint?
  /// Whether it waits for its turn to write; then no commit begins.
  var wantsTurn = false
  /// Why the last one failed.
  var failure: StorageError?
  /// The size of the journal before which no other one is tried.
  var retrySize = 0
}
