/// How a store is opened, whatever its backend.
public struct StorageOptions: Sendable, Hashable {
  /// What a commit that returned survives.
  public enum Durability: String, Sendable, CaseIterable {
    /// Power loss.
    case full
    /// A crash of the process; after power loss the store is consistent and may lack the last
    /// commits.
    case normal
    /// Nothing is promised: for tests and bulk loads.
    case none
  }
  /// The files that a plist archive writes.
  public enum PropertyListFormat: String, Sendable, CaseIterable {
    /// XML property lists.
    case xml
    /// Binary property lists.
    case binary
  }
  /// What an archive does with a file that was edited by hand.
  public enum Edits: String, Sendable, CaseIterable {
    /// Validate and take over the edit.
    case accept
    /// Treat it as damage.
    case refuse
  }

  /// What a commit that returned survives.
  public var durability: Durability = .full
  /// Whether writes are refused and nothing is created or changed on disk.
  public var isReadOnly = false
  /// Whether a store is created where there is none.
  public var createsIfMissing = true
  /// How long any wait lasts before it ends with ``StorageError/Code/busy``.
  public var timeout: Duration = .seconds(5)
  /// For `plist:`, the format of its files; nil for what the store has, XML for a new one.
  public var format: PropertyListFormat?
  /// For `lmdb:`, the most bytes that the store may grow to; nil for no such limit.
  public var mapSize: Int?
  /// For archives, what happens with a file edited by hand.
  public var edits: Edits = .accept

  /// Creates the default options.
  public init() {}
}
