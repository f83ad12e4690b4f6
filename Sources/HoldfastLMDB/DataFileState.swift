import CLMDB

/// A data file at one moment, as far as the system and its meta pages tell it from all others.
///
/// Whoever closes a store that it knows to be sound leaves this beside it. A file that is still in
/// that state was not touched since, so that opening it needs no walk over its pages: the system
/// stamps every change of a file with a time that nobody else can choose, a copy is another file,
/// and each commit has another number.
struct DataFileState: Equatable {
  private let file: FileIdentity
  private let size: Int64
  private let modified: Int64
  private let changed: Int64
  /// The number of the newest commit.
  let commit: Int

  init(_ file: holdfast_file, commit: Int) {
    self.file = FileIdentity(device: file.device, inode: file.inode)
    size = file.size
    modified = file.modified
    changed = file.changed
    self.commit = commit
  }

  /// The state as a line of text.
  var text: String {
    "closed \(file.device) \(file.inode) \(size) \(modified) \(changed) \(commit)\n"
  }
}
