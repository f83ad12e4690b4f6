import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

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
  /// The handle of a table that is not open; LMDB refuses it.
  static let noHandle = UInt32.max
  /// The address space that is reserved where nothing caps it.
  static let defaultReservation = 1 << 40

  let folder: StoreFolder
  let settings: Settings
  let pageSize: Int
  let maximumKeyLength: Int
  private let forks = ForkDetector()
  /// LMDB's handles of tables by their numbers, which stay as they are when it is opened again;
  /// ``noHandle`` where there is none.
  let handles: UnsafeMutablePointer<UInt32>
  private let reservation: Int

  // These change only while no transaction of this process is open and none can begin.

  /// The `MDB_env`.
  private(set) var handle: OpaquePointer
  private(set) var dataDescriptor: Int32
  /// The lock between processes; nil where nothing is written.
  private(set) var writeLock: WriteLock?
  /// The data file as it was when it was opened.
  private var openingState: DataFileState
  /// The state that the last closing noted, if the file was still in it.
  private var notedState: DataFileState?
  /// LMDB's lock file, where a compaction opened it; closing it earlier would let LMDB's locks go.
  private var lockDescriptor: Int32?

  /// Protects everything below.
  let condition = NSCondition()
  /// Whether the environment is open; it is not while all of its engines are suspended.
  private(set) var isOpen = true
  /// Whether this process has its writer open, or is about to.
  var isWriting = false
  /// Live readers, which hold the map in place.
  @exclusivity(unchecked) var liveReaders = 0
  /// How many readers wait for a slot.
  var waitingReaders = 0
  /// Whether somebody waits to move the map or to swap the file; new readers wait for that.
  var isMoving = false
  /// Readers that were reset and wait to be renewed.
  @exclusivity(unchecked) var idleReaders: [OpaquePointer] = []
  /// Whether a transaction filled the map, so that the next one wants a larger one.
  var wasFull = false
  /// The most bytes that the map may grow to; nil for no limit.
  var mapLimit: Int?
  /// The number of pages when dead readers were last looked for.
  var checkedPages = 0
  /// Whether a commit failed, after which nobody knows what of it the disk has.
  var hasFailedCommit = false
  /// A failure after which the environment cannot be used.
  var failure: StorageError?
  /// The tables that have a number.
  var tables: [String: Table] = [:]
  /// How many of the tables were dropped.
  var droppedTables = 0
  /// Numbers of tables that nothing uses any more.
  var freeNumbers: [Int] = Array((0..<maximumTables).reversed())
  /// The commit up to which ``tables`` is complete; -1 if it is not.
  var listedCommit = -1
  /// Whether the open writer removed dropped tables.
  var hasSwept = false

  var path: String { folder.path }

  /// Opens the environment of a folder that holds a data file.
  ///
  /// Parameter `notedState`: the state that the last closing noted, if the file is still in it.
  init(
    _ folder: StoreFolder,
    _ settings: Settings,
    reservation: Int,
    notedState: DataFileState?
  ) throws(StorageError) {
    self.notedState = notedState
    self.folder = folder
    self.settings = settings
    self.reservation = reservation
    mapLimit = settings.mapSize
    let opened = try Self.openData(folder, settings, settings.mapSize ?? reservation)
    do throws(StorageError) {
      writeLock = settings.isReadOnly ? nil : try WriteLock(path: folder.writeLockPath)
    } catch {
      mdb_env_close(opened.handle)
      throw error
    }
    handle = opened.handle
    dataDescriptor = opened.descriptor
    openingState = opened.state
    pageSize = opened.pageSize
    maximumKeyLength = Int(mdb_env_get_maxkeysize(handle))
    handles = .allocate(capacity: Self.maximumTables)
    handles.initialize(repeating: Self.noHandle, count: Self.maximumTables)
  }

  deinit { handles.deallocate() }

  /// Closes the environment, if it is open.
  ///
  /// No transaction is open.
  func close() {
    // In a forked child the slots of the readers are the parent's.
    if isForked { return }
    condition.lock()
    defer { condition.unlock() }
    closeAll()
  }

  /// Closes the environment after a failure that leaves it without use.
  ///
  /// No transaction is open.
  func fail(_ error: StorageError) {
    condition.lock()
    defer { condition.unlock() }
    failure = error
    closeAll()
  }

  private func closeAll() {
    if isOpen {
      noteState()
      closeHandle()
    }
    writeLock?.close()
    writeLock = nil
  }

  /// Notes that the data file is sound as it is now, so that the next opening need not look.
  ///
  /// It was when it was opened, and LMDB's own changes leave it so. What cannot be noted, or was
  /// changed by something else, costs the next opening a walk over the pages and nothing more.
  private func noteState() {
    guard settings.durability != .none, let writeLock, failure == nil,
      !hasFailedCommit, let state = state(), state != notedState,
      state == openingState || state.commit != openingState.commit,
      !WriteLock.holds(state.text, at: folder.writeLockPath), writeLock.takeNow()
    else { return }
    defer { writeLock.release() }
    guard self.state() == state, holdfast_stamp(dataDescriptor) == 0,
      let stamped = self.state(), stamped.commit == state.commit
    else { return }
    writeLock.write(stamped.text)
  }

  private func state() -> DataFileState? {
    var file = holdfast_file()
    guard holdfast_examine_open(dataDescriptor, &file) == 0, let commit = try? newestCommit
    else { return nil }
    return DataFileState(file, commit: commit)
  }

  /// Opens the environment again after ``close()``; the numbers of tables stay.
  func reopen(
    until deadline: ContinuousClock.Instant,
    notedState: DataFileState?
  ) throws(StorageError) {
    try locked { () throws(StorageError) in
      try openHandle()
      self.notedState = notedState
      do throws(StorageError) {
        writeLock = settings.isReadOnly ? nil : try WriteLock(path: folder.writeLockPath)
      } catch {
        closeHandle()
        throw error
      }
      failure = nil
      isWriting = true
    }
    defer { leaveWriting() }
    do throws(StorageError) {
      try listTables(until: deadline)
    } catch {
      close()
      throw error
    }
  }

  /// Closes the file alone.
  ///
  /// The condition's lock is held and no transaction is open.
  func closeHandle() {
    for reader in idleReaders { mdb_txn_abort(reader) }
    idleReaders = []
    mdb_env_close(handle)
    isOpen = false
    if let lockDescriptor { closeDescriptor(lockDescriptor) }
    lockDescriptor = nil
    handles.update(repeating: Self.noHandle, count: Self.maximumTables)
    listedCommit = -1
  }

  /// Opens the file again after ``closeHandle()``.
  ///
  /// The condition's lock is held. Parameter `lockDescriptor`: LMDB's lock file, if it was opened
  /// since; the environment closes it with the file.
  func openHandle(lockDescriptor: Int32? = nil) throws(StorageError) {
    let opened = try Self.openData(
      folder,
      settings,
      mapLimit ?? reservation,
      isLocked: lockDescriptor != nil
    )
    handle = opened.handle
    dataDescriptor = opened.descriptor
    openingState = opened.state
    self.lockDescriptor = lockDescriptor
    isOpen = true
    guard opened.pageSize == pageSize else {
      closeHandle()
      throw StorageError(
        .cannotOpen,
        "\(path) was replaced by a store with pages of another size; close it and open it again",
        backend: "lmdb"
      )
    }
  }

  /// Whether this process is a child of the one that opened the environment.
  var isForked: Bool { forks.isForked }

  /// The identity of the data file: of the open one, or of that at the path; nil if there is none.
  func identity() throws(StorageError) -> FileIdentity? {
    try locked { () throws(StorageError) in
      if !isOpen { return try folder.dataIdentity() }
      var file = holdfast_file()
      let status = holdfast_examine_open(dataDescriptor, &file)
      if status != 0 { throw .system(status, "examining", path) }
      return FileIdentity(device: file.device, inode: file.inode)
    }
  }

  /// Whether the disk has no room for a change of any size.
  var isDiskFull: Bool { (0..<1 << 16).contains(holdfast_room(dataDescriptor)) }

  /// Runs `body` with the condition's lock held.
  func locked<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
    condition.lock()
    defer { condition.unlock() }
    return try body()
  }

  /// Throws if the environment cannot be used.
  ///
  /// The condition's lock is held.
  func checkUsable() throws(StorageError) {
    if let failure { throw failure }
    if !isOpen { throw .lmdbSuspended(path) }
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

  private struct Opened {
    var handle: OpaquePointer
    var descriptor: Int32
    var pageSize: Int
    var state: DataFileState
  }

  private static func openData(
    _ folder: StoreFolder,
    _ settings: Settings,
    _ mapSize: Int,
    isLocked: Bool = false
  ) throws(StorageError) -> Opened {
    while true {
      let handle = try openHandle(folder.path, settings, mapSize, isLocked: isLocked)
      var status = MDB_stat()
      var descriptor: Int32 = -1
      var dead: Int32 = 0
      var file = holdfast_file()
      var result = mdb_env_stat(handle, &status)
      if result == 0 { result = mdb_env_get_fd(handle, &descriptor) }
      var information = MDB_envinfo()
      if result == 0 { result = mdb_env_info(handle, &information) }
      if result == 0 { result = mdb_reader_check(handle, &dead) }
      if result == 0 { result = holdfast_examine_open(descriptor, &file) }
      do throws(StorageError) {
        if result != 0 { throw .lmdb(result, "opening", folder.path) }
        let identity = FileIdentity(device: file.device, inode: file.inode)
        if try folder.dataIdentity() == identity {
          return Opened(
            handle: handle,
            descriptor: descriptor,
            pageSize: Int(status.ms_psize),
            state: DataFileState(file, commit: information.me_last_txnid)
          )
        }
      } catch {
        mdb_env_close(handle)
        throw error
      }
      // Another process put a compacted file in its place between LMDB's steps.
      mdb_env_close(handle)
    }
  }

  private static func openHandle(
    _ path: String,
    _ settings: Settings,
    _ mapSize: Int,
    isLocked: Bool
  ) throws(StorageError) -> OpaquePointer {
    var flags = MDB_NOTLS
    switch settings.durability {
    case .full: break
    case .normal: flags |= MDB_NOMETASYNC
    case .none: flags |= MDB_NOSYNC
    }
    if settings.isReadOnly { flags |= MDB_RDONLY }
    if !settings.isReadOnly, !isLocked {
      // LMDB maps its lock file with holes, and dies of SIGBUS where a full disk cannot fill them.
      // Nobody in this process has it open, so that closing it lets go of no lock.
      let status = holdfast_reserve(path + "/lock.mdb", Int64(maximumReaders * 64))
      if status != 0 { throw .lmdb(status, "opening", path) }
    }
    var mapSize = mapSize
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
