import Synchronization

/// The databases in which this process has met damage.
///
/// Nothing is moved from the log into such a file any more: what is still readable stays as it is, and
/// the log keeps the commits that the file may lack.
enum DamagedFiles {
  private static let paths = Mutex<Set<String>>([])

  /// Remembers a damaged file.
  static func record(_ path: String) {
    paths.withLock { _ = $0.insert(path) }
  }

  /// Whether damage was met in a file.
  static func contains(_ path: String) -> Bool {
    paths.withLock { $0.contains(path) }
  }
}
