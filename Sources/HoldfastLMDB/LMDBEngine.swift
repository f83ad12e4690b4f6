import CLMDB
public import Holdfast
import Synchronization

/// LMDB as an ordered key-value engine.
///
/// A store is a folder: `data.mdb`, LMDB's `lock.mdb`, and `write.lock`, which writers of several
/// processes take in turn. The map reserves address space and the file grows only as it is used.
/// With durability `full` LMDB flushes data and meta page at each commit (on Apple systems with
/// `F_FULLFSYNC`), with `normal` only the data, with `none` nothing.
public final class LMDBEngine: OrderedKeyValueEngine {
  private let environment: LMDBEnvironment
  private let timeout: Duration
  private let isClosed = Mutex(false)

  /// Opens a store, creating it if that is asked for, or shares the one that this process has open.
  ///
  /// - Parameters:
  ///   - path: the folder; the one that it is in must exist.
  ///   - options: durability, read-only, creation, timeout and mapsize count here.
  /// - Throws: `StorageError.Code.cannotOpen`, `StorageError.Code.wrongKind`,
  ///   `StorageError.Code.corrupt`, `StorageError.Code.newerFormat`,
  ///   `StorageError.Code.permissionDenied`; `StorageError.Code.alreadyOpen` if this process has
  ///   it open with another durability, mapsize or read-only; `StorageError.Code.busy`.
  public convenience init(path: String, options: StorageOptions = StorageOptions())
    throws(StorageError)
  {
    try self.init(
      path: path,
      options: options,
      reservation: LMDBEnvironment.defaultReservation
    )
  }

  /// Opens a store with another reservation of address space, as a small device would give.
  package init(path: String, options: StorageOptions, reservation: Int) throws(StorageError) {
    timeout = options.timeout
    environment = try LMDBEnvironment.share(
      StoreFolder(path: path),
      options,
      reservation: reservation
    )
  }

  deinit {
    if !isClosed.withLock({ $0 }) { environment.release() }
  }

  /// The longest key, in bytes.
  public var maximumKeyLength: Int { environment.maximumKeyLength }

  /// The engine's capabilities.
  public var capabilities: Capabilities {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    mdb_version(&major, &minor, &patch)
    return Capabilities(
      backend: "lmdb",
      engine: "LMDB \(major).\(minor).\(patch)",
      maximumValueSize: 1 << 30,
      sharesBetweenProcesses: true,
      isPersistent: true
    )
  }

  /// Begins a snapshot, pinned at this moment.
  ///
  /// - Throws: `StorageError.Code.busy` if no slot of the reader table came free;
  ///   `StorageError.Code.unsupported` in a process forked since the store was opened.
  public func beginReading(timeout: Duration) throws(StorageError) -> LMDBReader {
    try checkOpen()
    return try LMDBReader(environment, timeout: timeout)
  }

  /// Begins the one write transaction.
  ///
  /// - Throws: `StorageError.Code.busy` if another writer stayed, in this or another process;
  ///   `StorageError.Code.readOnly`, `StorageError.Code.unsupported`.
  public func beginWriting(timeout: Duration) throws(StorageError) -> LMDBWriter {
    try checkOpen()
    return try LMDBWriter(environment, timeout: timeout)
  }

  /// Opens a table that a committed transaction created.
  ///
  /// - Returns: nil if there is no table of that name.
  public func openTable(_ name: String) throws(StorageError) -> KeyValueTable? {
    try checkOpen()
    return try environment.table(name, until: .now + timeout).map {
      KeyValueTable(number: Int($0))
    }
  }

  /// Raises the store's `mapsize` without reopening it; does nothing if it is as large already.
  ///
  /// - Parameter mapSize: the new limit in bytes.
  /// - Throws: `StorageError.Code.busy` while transactions of this process are open.
  public func grow(to mapSize: Int) throws(StorageError) {
    try checkOpen()
    try environment.grow(to: mapSize, until: .now + timeout)
  }

  /// Closes the engine.
  ///
  /// No transaction is open. Idempotent.
  public func close() throws(StorageError) {
    let wasClosed = isClosed.withLock { closed in
      defer { closed = true }
      return closed
    }
    if !wasClosed { environment.release() }
  }

  private func checkOpen() throws(StorageError) {
    if isClosed.withLock({ $0 }) {
      throw StorageError(
        .closed,
        "\(environment.path) is closed; open it again",
        backend: "lmdb"
      )
    }
  }
}
