import Dispatch
public import Holdfast
import Synchronization

/// How an object archive writes its file; either kind of file is read.
public enum ObjectFormat: Sendable, Hashable {
  /// JSON, names sorted, one a line: the same graph is the same file.
  case json
  /// A property list.
  case propertyList(PropertyListWriter.Format)
}

/// One graph of `Codable` values in one file, JSON or a property list.
///
/// ```swift
/// let archive = ObjectArchive<Notebook>("notebook.json", version: 2, upgrades: [
///   ObjectUpgrade(from: 1) { (old: NotebookV1) in Notebook(title: old.name) }
/// ])
/// var notebook = try archive.load() ?? Notebook(title: "New")
/// notebook.pages.append(page)
/// try archive.save(notebook)
/// ```
/// A save is atomic and durable: the file holds the old graph or the new one, whole, whatever happens.
/// It keeps the file's permissions, and follows a symbolic link to the file that it leads to. A file
/// that could not be read, that was not read yet, or that somebody else changed since it was read is
/// never replaced. Programs that save in turn wait for each other; `update(default:_:)` reads and saves
/// as one step.
///
/// Values are written as in stores: dates as RFC 3339 text with nanoseconds, data as base64 (in a
/// property list as data), decimals and URLs as text. NaN, dates outside the years 0000–9999, integers
/// above `Int64.max`, and graphs that nest deeper than 64 levels are refused. A file of any content is
/// read within bounds: strictly, to that depth, and up to ``maximumSize``.
///
/// May be used from any thread; calls of one archive run one after the other.
public final class ObjectArchive<Root: Codable & Sendable>: Sendable {
  /// The file.
  public let path: String
  /// How it is written.
  public let format: ObjectFormat
  /// The version of the graph that this application reads and writes, from 1.
  public let version: Int
  /// The largest file that is read or written, in bytes.
  public let maximumSize: Int

  private let upgrades: [ObjectUpgrade]
  private let file: Mutex<ObjectFile>
  private let queue = DispatchQueue(label: "holdfast.objects")

  /// Describes an archive, without reading or writing anything.
  ///
  /// - Parameters:
  ///   - path: the file; its folder must exist.
  ///   - format: how it is written.
  ///   - version: the version of the graph, counted up whenever its coded form changes.
  ///   - upgrades: a step from each older version that is still read, to the next.
  ///   - maximumSize: the largest file that is read or written, in bytes.
  ///   - timeout: how long to wait for others that save.
  public convenience init(
    _ path: String,
    format: ObjectFormat = .json,
    version: Int = 1,
    upgrades: [ObjectUpgrade] = [],
    maximumSize: Int = 64 << 20,
    timeout: Duration = .seconds(5)
  ) {
    self.init(
      path,
      format: format,
      version: version,
      upgrades: upgrades,
      maximumSize: maximumSize,
      timeout: timeout,
      files: SystemFiles()
    )
  }

  /// Describes an archive that changes files by other means.
  package init(
    _ path: String,
    format: ObjectFormat = .json,
    version: Int = 1,
    upgrades: [ObjectUpgrade] = [],
    maximumSize: Int = 64 << 20,
    timeout: Duration = .seconds(5),
    files: any FileOperations
  ) {
    self.path = path
    self.format = format
    self.version = version
    self.upgrades = upgrades
    self.maximumSize = maximumSize
    file = Mutex(ObjectFile(path, maximumSize: maximumSize, timeout: timeout, files))
  }

  // MARK: Synchronous

  /// The graph of the file; nil if there is no file.
  ///
  /// One of an older version is brought to this one in memory; the file stays as it is until it is
  /// saved.
  ///
  /// - Throws: `StorageError.Code.corrupt`, naming the file, if it is no archive, too large, or not
  ///   the graph of its version; `StorageError.Code.newerFormat` if a newer version wrote it;
  ///   `StorageError.Code.migrationMismatch` if no step leads from its version;
  ///   `StorageError.Code.wrongKind`, `StorageError.Code.permissionDenied`,
  ///   `StorageError.Code.ioError`; what a step throws.
  @available(*, noasync, message: "use the asynchronous version")
  public func load() throws -> Root? { try loadNow() }

  /// Replaces the graph of the file, or creates it.
  ///
  /// After an error the file is as it was, but for one: where syncing the folder fails after the file was
  /// replaced, it holds the new graph, which a power loss may still undo.
  ///
  /// - Throws: `StorageError.Code.conflict` if the file is not the one that was read or saved last, or
  ///   was never read: load it again; `StorageError.Code.invalidValue` for what an archive does not
  ///   hold; `StorageError.Code.busy` if somebody else kept saving; `StorageError.Code.storageFull`,
  ///   `StorageError.Code.permissionDenied`, `StorageError.Code.ioError`.
  @available(*, noasync, message: "use the asynchronous version")
  public func save(_ root: Root) throws { try saveNow(root) }

  /// Reads the graph, changes it and saves it, while nobody else saves.
  ///
  /// - Parameters:
  ///   - root: the graph where there is no file.
  ///   - body: changes the graph; an error that leaves it changes nothing.
  /// - Returns: what the body returns.
  /// - Throws: as `load()` and `save(_:)`; what the body throws.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func update<T: Sendable>(
    default root: @autoclosure () throws -> Root,
    _ body: (inout Root) throws -> T
  ) throws -> T {
    try updateNow(default: root(), body)
  }

  // MARK: Asynchronous

  /// The graph of the file, read on a thread of the archive's own; nil if there is no file.
  public func load() async throws -> Root? { try await run { try self.loadNow() } }

  /// Replaces the graph of the file on a thread of the archive's own, or creates it.
  public func save(_ root: Root) async throws { try await run { try self.saveNow(root) } }

  /// Reads the graph, changes it and saves it on a thread of the archive's own, while nobody else saves.
  @discardableResult
  public func update<T: Sendable>(
    default root: Root,
    _ body: @escaping @Sendable (inout Root) throws -> T
  ) async throws -> T {
    try await run { try self.updateNow(default: root, body) }
  }

  private func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  // MARK: Work

  private func loadNow() throws -> Root? {
    try file.withLock { file in try graph(of: &file) }
  }

  private func saveNow(_ root: Root) throws {
    let bytes = try encode(root)
    try file.withLock { file in try file.locked { file in try file.replace(bytes) } }
  }

  private func updateNow<T: Sendable>(
    default root: @autoclosure () throws -> Root,
    _ body: (inout Root) throws -> T
  ) throws -> T {
    try file.withLock { file in
      try file.locked { file in
        var graph = try graph(of: &file) ?? root()
        let result = try body(&graph)
        try file.replace(try encode(graph))
        return result
      }
    }
  }

  private func graph(of file: inout ObjectFile) throws -> Root? {
    guard let envelope = try file.read() else { return nil }
    do {
      return try decode(envelope)
    } catch {
      file.forget()
      throw error
    }
  }

  private func encode(_ root: Root) throws -> [UInt8] {
    try checkUpgrades()
    do {
      let envelope = ObjectEnvelope(version: version, root: try ObjectEncoder.encode(root))
      let bytes =
        switch format {
        case .json: envelope.value.json()
        case .propertyList(let format): envelope.value.propertyList(format)
        }
      guard bytes.count <= maximumSize else {
        throw StorageError(
          .invalidValue,
          "\(path) would have \(bytes.count) bytes, more than its maximum of \(maximumSize)",
          backend: "archive"
        )
      }
      return bytes
    } catch let error as EncodingError {
      throw StorageError(
        .invalidValue,
        "the graph for \(path) holds what an archive cannot; the cause says where",
        backend: "archive",
        underlying: error
      )
    }
  }

  private func decode(_ envelope: ObjectEnvelope) throws -> Root {
    try checkUpgrades()
    guard envelope.version <= version else {
      throw StorageError(
        .newerFormat,
        "\(path) was written by version \(envelope.version) of the application and this is "
          + "\(version); update it",
        backend: "archive"
      )
    }
    do {
      var value = envelope.root
      for version in envelope.version..<version {
        guard let step = upgrades.first(where: { $0.version == version }) else {
          throw StorageError(
            .migrationMismatch,
            "\(path) is of version \(envelope.version), and no step leads on from \(version)",
            backend: "archive"
          )
        }
        value = try step.apply(value)
      }
      return try ObjectDecoder.decode(Root.self, from: value)
    } catch let error as DecodingError {
      throw StorageError(
        .corrupt,
        "\(path) does not hold a graph of its version \(envelope.version); "
          + "restore it, or move it away (the cause says where)",
        backend: "archive",
        underlying: error
      )
    }
  }

  private func checkUpgrades() throws(StorageError) {
    let versions = upgrades.map(\.version)
    if version < 1 || Set(versions).count < versions.count
      || versions.contains(where: { !(1..<version).contains($0) })
    {
      throw StorageError(
        .invalidSchema,
        "the archive \(path) needs a version from 1 and at most one step from each older one",
        backend: "archive"
      )
    }
  }
}
