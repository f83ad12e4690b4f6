public import Holdfast

/// Where a harness opens a store.
public enum HarnessPlace: String, Sendable, CaseIterable {
  /// The store under test.
  case main
  /// Another store, apart from the first.
  case second
  /// A place whose folder does not exist.
  case missingFolder
}

/// Something other than a usable store, for a harness to put at a place.
public enum HarnessObstacle: String, Sendable, CaseIterable {
  /// A file that is no store of any kind.
  case foreignFile
  /// A store whose catalog says that a newer version wrote it. The place holds a closed store.
  case newerFormat
  /// A symbolic link to the main place.
  case symbolicLink
  /// A folder, if it is missing, in which the place's store would be, and which nobody may write.
  case lockedFolder
  /// A store whose largest file was cut in half. The place holds a closed store.
  case halvedFile
  /// Nothing any more: the file or folder of the store that is open there is removed.
  case nothing
}

/// What an author of a backend writes to run the suite: how to open and destroy a store.
///
/// One harness is one fresh set of places, which no other harness shares; the suite makes one for
/// each case and calls ``cleanUp()`` after it. ``StoreHarness`` builds one from closures.
public protocol Harness: Sendable {
  /// The backend's name in reports.
  var backend: String { get }

  /// The path at which the store of a place lies, for copies to be made there; nil (the default) for
  /// a backend that keeps no files.
  func path(of place: HarnessPlace) throws -> String?

  /// Opens the store at a place, creating it there if the options say so. Called again with the
  /// same place it reopens the store, or shares it if it is still open.
  func open(_ place: HarnessPlace, options: StorageOptions) throws -> Store

  /// Removes the closed store at a place with everything that belongs to it.
  func destroy(_ place: HarnessPlace) throws

  /// Puts an obstacle at a place. A backend that declares no persistence has no files to spoil and
  /// throws `StorageError.Code.unsupported`.
  func place(_ obstacle: HarnessObstacle, at place: HarnessPlace) throws

  /// How to start a second process on the store at a place; nil if the harness does not know.
  ///
  /// Needed where the backend declares `Capabilities.sharesBetweenProcesses`.
  func peer(at place: HarnessPlace) -> PeerCommand?

  /// The names of the files and folders that are there now; none for stores without files.
  func leftovers() -> [String]

  /// Removes whatever the harness left behind.
  func cleanUp()
}

extension Harness {
  /// Knows no second process.
  public func peer(at place: HarnessPlace) -> PeerCommand? { nil }

  /// No path.
  public func path(of place: HarnessPlace) throws -> String? { nil }
}
