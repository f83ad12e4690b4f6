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
  private enum State {
    case open
    case suspended
    case closed
  }

  let environment: LMDBEnvironment
  let timeout: Duration
  private let tracker: CommitTracker
  private let state = Mutex(State.open)

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
    do throws(StorageError) {
      tracker = CommitTracker(try environment.newestCommitNow())
    } catch {
      environment.release(isSuspended: false)
      throw error
    }
  }

  deinit { release() }

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
      isPersistent: true,
      noticesExternalChanges: true,
      backsUpOnline: true,
      lendsNativeHandles: true
    )
  }

  /// Begins a snapshot, pinned at this moment.
  ///
  /// - Throws: `StorageError.Code.busy` if no slot of the reader table came free;
  ///   `StorageError.Code.closed`, also in a process forked since the store was opened.
  public func beginReading(timeout: Duration) throws(StorageError) -> LMDBReader {
    try checkOpen()
    return try LMDBReader(environment, timeout: timeout)
  }

  /// Begins the one write transaction.
  ///
  /// - Throws: `StorageError.Code.busy` if another writer stayed, in this or another process;
  ///   `StorageError.Code.readOnly`, `StorageError.Code.closed`.
  public func beginWriting(timeout: Duration) throws(StorageError) -> LMDBWriter {
    try checkOpen()
    return try LMDBWriter(environment, tracker, timeout: timeout)
  }

  /// Opens a table that a committed transaction created.
  ///
  /// - Returns: nil if there is no table of that name.
  public func openTable(_ name: String) throws(StorageError) -> KeyValueTable? {
    try checkOpen()
    return try environment.table(name, until: .now + timeout).map { KeyValueTable(number: $0) }
  }

  /// Raises the store's `mapsize` without reopening it; does nothing if it is as large already.
  ///
  /// - Parameter mapSize: the new limit in bytes.
  /// - Throws: `StorageError.Code.busy` while transactions of this process are open.
  public func grow(to mapSize: Int) throws(StorageError) {
    try checkOpen()
    try environment.grow(to: mapSize, until: .now + timeout)
  }

  /// Whether a commit that was not made through this engine has come since this was last asked.
  ///
  /// O(1): LMDB numbers the commits of all processes, and the engine knows the numbers of its own.
  public func takeExternalChange() throws(StorageError) -> Bool {
    try checkOpen()
    return try tracker.takeForeign { () throws(StorageError) in
      try environment.newestCommitNow()
    }
  }

  /// Copies the newest snapshot into a new folder, beside all reading and writing.
  ///
  /// The copy holds no unused pages. A store in which a page makes no sense is not copied. Makes a
  /// folder beside the new one for as long as it is not complete.
  ///
  /// - Throws: `StorageError.Code.alreadyExists` if there is anything at the path;
  ///   `StorageError.Code.corrupt`, `StorageError.Code.storageFull`,
  ///   `StorageError.Code.permissionDenied`; `StorageError.Code.cannotOpen` if the folder that the
  ///   new one is in does not exist.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    try checkOpen()
    try environment.backup(to: path, until: .now + timeout)
  }

  /// Puts a compacted copy in the data file's place, unless that would be no smaller.
  ///
  /// LMDB uses freed pages again and never gives them back by itself. Needs room for the copy on
  /// the disk; writers wait meanwhile. No other process may have the store open, and no transaction
  /// may stay open: a crash at any moment leaves the old file or the new one.
  ///
  /// - Throws: `StorageError.Code.busy` if another process has the store open, or a transaction
  ///   stayed; `StorageError.Code.readOnly`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.storageFull`.
  public func compact(timeout: Duration) throws(StorageError) {
    try checkOpen()
    try environment.compact(until: .now + timeout)
  }

  /// Looks at every page of the newest snapshot: that each makes sense and is used once, that keys
  /// are in order, and that none in use is listed as free.
  ///
  /// - Returns: at most a hundred faults.
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    try checkOpen()
    return try environment.findings(until: .now + timeout)
  }

  /// Lets the files, the map and the slots of readers go until ``resume()``.
  ///
  /// An environment that several engines of this process share closes with the last of them.
  ///
  /// - Throws: `StorageError.Code.busy` if a transaction is open.
  public func suspend() throws(StorageError) {
    try checkOpen()
    try environment.suspend()
    state.withLock { $0 = .suspended }
  }

  /// Opens the files again; the numbers of tables stay.
  ///
  /// - Throws: as ``init(path:options:)``; the engine stays suspended then.
  public func resume() throws(StorageError) {
    guard state.withLock({ $0 == .suspended }) else { return try checkOpen() }
    try environment.resume(timeout: timeout)
    state.withLock { $0 = .open }
  }

  /// Closes the engine.
  ///
  /// No transaction is open. Idempotent.
  public func close() throws(StorageError) { release() }

  private func release() {
    let before = state.withLock { state in
      defer { state = .closed }
      return state
    }
    if before != .closed { environment.release(isSuspended: before == .suspended) }
  }

  func checkOpen() throws(StorageError) {
    switch state.withLock({ $0 }) {
    case .open: return
    case .suspended: throw .lmdbSuspended(environment.path)
    case .closed:
      throw StorageError(
        .closed,
        "\(environment.path) is closed; open it again",
        backend: "lmdb"
      )
    }
  }
}
