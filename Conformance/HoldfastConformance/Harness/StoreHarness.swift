public import Foundation
public import Holdfast

/// A harness made of closures over paths, each store in a fresh temporary folder.
///
/// ```swift
/// StoreHarness("sqlite") { path, options in
///   try Backends.open("sqlite:\(path)", options: options)
/// } destroy: { path in
///   try Backends.destroy("sqlite:\(path)")
/// }
/// ```
public struct StoreHarness: Harness {
  /// Opens the store at a path.
  public typealias Open = @Sendable (_ path: String, _ options: StorageOptions) throws -> Store
  /// Does something to the closed store at a path.
  public typealias Change = @Sendable (_ path: String) throws -> Void

  /// The backend's name in reports.
  public let backend: String
  /// The harness's own folder.
  public let folder: URL
  private let openStore: Open
  private let destroyStore: Change
  private let raiseFormat: Change?
  private let peer: PeerCommand?
  private let usesFiles: Bool

  /// Creates a harness with a fresh folder under the system's temporary one.
  ///
  /// - Parameters:
  ///   - backend: the backend's name in reports.
  ///   - usesFiles: whether paths name files or folders; false for a store in memory, which takes
  ///     the path as a name only.
  ///   - peer: starts a second process on a store; its path is added to the arguments. Needed where
  ///     the backend declares that processes share stores.
  ///   - open: opens the store at a path.
  ///   - destroy: removes the closed store at a path.
  ///   - raiseFormat: makes the closed store at a path look written by a newer version. Needed
  ///     where `usesFiles`.
  public init(
    _ backend: String,
    usesFiles: Bool = true,
    peer: PeerCommand? = nil,
    open: @escaping Open,
    destroy: @escaping Change,
    raiseFormat: Change? = nil
  ) {
    self.backend = backend
    self.usesFiles = usesFiles
    openStore = open
    destroyStore = destroy
    self.raiseFormat = raiseFormat
    self.peer = peer
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-conformance-\(UUID().uuidString)", isDirectory: true)
  }

  /// The path of a place; nil where no files are used.
  public func path(of place: HarnessPlace) throws -> String? {
    guard usesFiles else { return nil }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return location(of: place)
  }

  private func location(of place: HarnessPlace) -> String {
    switch place {
    case .main: folder.appendingPathComponent("main").path
    case .second: folder.appendingPathComponent("second").path
    case .missingFolder: folder.appendingPathComponent("missing/store").path
    }
  }

  /// Opens the store at a place.
  public func open(_ place: HarnessPlace, options: StorageOptions) throws -> Store {
    if usesFiles {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    return try openStore(location(of: place), options)
  }

  /// Removes the closed store at a place.
  public func destroy(_ place: HarnessPlace) throws {
    try destroyStore(location(of: place))
  }

  /// Puts an obstacle at a place.
  ///
  /// - Throws: `StorageError.Code.unsupported` if the harness was not told how.
  public func place(_ obstacle: HarnessObstacle, at place: HarnessPlace) throws {
    guard usesFiles else {
      throw StorageError(
        .unsupported,
        "\(backend) keeps no files, so nothing can be in their place"
      )
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    switch obstacle {
    case .symbolicLink:
      try FileManager.default.createSymbolicLink(
        atPath: location(of: place),
        withDestinationPath: location(of: .main)
      )
    case .lockedFolder:
      let parent = URL(fileURLWithPath: location(of: place)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try setPermissions(0o555, parent)
    case .foreignFile:
      try Data("this is a letter, not a store\n".utf8).write(
        to: URL(fileURLWithPath: location(of: place))
      )
    case .halvedFile: try Self.halveLargestFile(at: location(of: place))
    case .nothing: try FileManager.default.removeItem(atPath: location(of: place))
    case .newerFormat:
      guard let raiseFormat else {
        throw StorageError(
          .unsupported,
          "the harness of \(backend) needs a raiseFormat closure for this case"
        )
      }
      try raiseFormat(location(of: place))
    }
  }

  /// Cuts the file at a path, or the largest file in the folder there, in half.
  private static func halveLargestFile(at path: String) throws {
    let files = FileManager.default
    var paths = [path]
    if let enumerator = files.enumerator(atPath: path) {
      for case let name as String in enumerator { paths.append("\(path)/\(name)") }
    }
    let sizes = try paths.map { path in
      let attributes = try files.attributesOfItem(atPath: path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      return isFile ? (attributes[.size] as? NSNumber)?.uint64Value ?? 0 : 0
    }
    guard let largest = zip(paths, sizes).max(by: { $0.1 < $1.1 }) else { return }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: largest.0))
    try file.truncate(atOffset: largest.1 / 2)
    try file.close()
  }

  /// How to start a second process on the store at a place.
  public func peer(at place: HarnessPlace) -> PeerCommand? {
    guard var peer else { return nil }
    peer.arguments.append(location(of: place))
    return peer
  }

  /// The names of what is in the harness's folder.
  public func leftovers() -> [String] {
    // A folder that is not there holds nothing.
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private func setPermissions(_ mode: Int, _ folder: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
  }

  /// Removes the harness's folder, or the stores in memory.
  public func cleanUp() {
    if usesFiles {
      // Failing to remove a temporary folder is no finding about the backend.
      _ = Result { try setPermissions(0o755, folder.appendingPathComponent("missing")) }
      _ = Result { try FileManager.default.removeItem(at: folder) }
    } else {
      for place in HarnessPlace.allCases { _ = Result { try destroyStore(location(of: place)) } }
    }
  }
}
