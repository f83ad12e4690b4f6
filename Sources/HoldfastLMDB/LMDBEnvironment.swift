import CLMDB
internal import Foundation
internal import Holdfast

/// One open LMDB environment, shared by every engine of this process on the same data file.
///
/// It owns what the environment's users must agree on: who writes, who reads (the map must not grow
/// beneath a reader), the pool of readers, and the handles of tables.
final class LMDBEnvironment: @unchecked Sendable {
  /// What engines that share an environment must agree on.
  struct Settings: Equatable, Sendable {
    var durability: StorageOptions.Durability
    var isReadOnly: Bool
    var mapSize: Int?

    init(_ options: StorageOptions) {
      durability = options.durability
      isReadOnly = options.isReadOnly
      mapSize = options.mapSize
    }
  }

  /// The most tables that an environment opens.
  ///
  /// A nested transaction copies a table of this length.
  static let maximumTables = 1024
  /// The most readers of all processes.
  static let maximumReaders = 510
  /// The address space that is reserved where nothing caps it.
  static let defaultReservation = 1 << 40

  let folder: StoreFolder
  let settings: Settings
  /// The `MDB_env`.
  let handle: OpaquePointer
  let pageSize: Int
  let maximumKeyLength: Int
  let dataDescriptor: Int32
  /// The lock between processes; nil where nothing is written.
  let writeLock: WriteLock?
  let forkGeneration: Int

  /// Protects everything below.
  let condition = NSCondition()
  /// Whether this process has its writer open, or is about to.
  var isWriting = false
  /// Live readers, which hold the map in place.
  var liveReaders = 0
  /// How many readers wait for a slot.
  var waitingReaders = 0
  /// Whether somebody waits to move the map; new readers wait for that.
  var isGrowing = false
  /// Readers that were reset and wait to be renewed.
  var idleReaders: [OpaquePointer] = []
  /// Whether a transaction filled the map, so that the next one wants a larger one.
  var wasFull = false
  /// The most bytes that the map may grow to; nil for no limit.
  var mapLimit: Int?
  /// A failure after which the environment cannot be used.
  var failure: StorageError?
  /// The handles of the tables that committed transactions created.
  var tables: [String: UInt32] = [:]
  /// How many tables the environment held when they were last listed.
  var listedTables = -1

  var path: String { folder.path }

  /// Opens the environment of a folder that holds a data file.
  init(_ folder: StoreFolder, _ settings: Settings, reservation: Int) throws(StorageError) {
    ForkDetector.start()
    self.folder = folder
    self.settings = settings
    forkGeneration = ForkDetector.generation
    mapLimit = settings.mapSize
    handle = try Self.openHandle(folder.path, settings, settings.mapSize ?? reservation)
    var status = MDB_stat()
    var result = mdb_env_stat(handle, &status)
    pageSize = Int(status.ms_psize)
    maximumKeyLength = Int(mdb_env_get_maxkeysize(handle))
    var descriptor: Int32 = -1
    if result == 0 { result = mdb_env_get_fd(handle, &descriptor) }
    dataDescriptor = descriptor
    var dead: Int32 = 0
    if result == 0 { result = mdb_reader_check(handle, &dead) }
    do throws(StorageError) {
      if result != 0 { throw .lmdb(result, "opening", folder.path) }
      writeLock = settings.isReadOnly ? nil : try WriteLock(path: folder.writeLockPath)
    } catch {
      mdb_env_close(handle)
      throw error
    }
  }

  /// Closes the environment.
  ///
  /// No transaction is open.
  func close() {
    // In a forked child the slots of the readers are the parent's.
    if isForked { return }
    condition.lock()
    for reader in idleReaders { mdb_txn_abort(reader) }
    idleReaders = []
    mdb_env_close(handle)
    condition.unlock()
    writeLock?.close()
  }

  /// Whether this process is a child of the one that opened the environment.
  var isForked: Bool { ForkDetector.generation != forkGeneration }

  /// Whether the disk has no room for a change of any size.
  var isDiskFull: Bool { (0..<1 << 16).contains(holdfast_room(dataDescriptor)) }

  /// Throws if the environment cannot be used.
  ///
  /// The condition's lock is held.
  func checkUsable() throws(StorageError) {
    if let failure { throw failure }
  }

  /// Waits for a change; false once the deadline has passed.
  ///
  /// The condition's lock is held.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    if left <= .zero { return false }
    let seconds = Double(left.components.seconds) + Double(left.components.attoseconds) / 1e18
    _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
    return true
  }

  private static func openHandle(
    _ path: String,
    _ settings: Settings,
    _ reservation: Int
  ) throws(StorageError) -> OpaquePointer {
    var flags = MDB_NOTLS
    switch settings.durability {
    case .full: break
    case .normal: flags |= MDB_NOMETASYNC
    case .none: flags |= MDB_NOSYNC
    }
    if settings.isReadOnly { flags |= MDB_RDONLY }
    if !settings.isReadOnly {
      // LMDB maps its lock file with holes, and dies of SIGBUS where a full disk cannot fill them.
      // Nobody in this process has it open, so that closing it lets go of no lock.
      let status = holdfast_reserve(path + "/lock.mdb", Int64(maximumReaders * 64))
      if status != 0 { throw .lmdb(status, "opening", path) }
    }
    var mapSize = reservation
    while true {
      var handle: OpaquePointer?
      var status = mdb_env_create(&handle)
      guard status == 0, let handle else { throw .lmdb(status, "opening", path) }
      status = mdb_env_set_maxdbs(handle, UInt32(maximumTables))
      if status == 0 { status = mdb_env_set_maxreaders(handle, UInt32(maximumReaders)) }
      if status == 0 { status = mdb_env_set_mapsize(handle, mapSize) }
      if status == 0 { status = mdb_env_open(handle, path, UInt32(flags), 0o644) }
      if status == 0 { return handle }
      mdb_env_close(handle)
      if status == ENOMEM || status == EOVERFLOW, settings.mapSize == nil, mapSize > 1 << 20 {
        // A small device has less address space to give.
        mapSize /= 2
      } else if settings.isReadOnly, flags & MDB_NOLOCK == 0,
        status == EACCES || status == EROFS || status == EPERM
      {
        // Nobody can write where the lock file cannot be written.
        flags |= MDB_NOLOCK
      } else {
        throw .lmdb(status, "opening", path)
      }
    }
  }
}
