internal import Foundation
internal import Holdfast
import Synchronization

/// The environments that this process has open: LMDB breaks when one file is opened twice.
extension LMDBEnvironment {
  private struct Entry {
    var environment: LMDBEnvironment
    var users = 1
    /// How many of the users are suspended.
    var suspended = 0
  }

  private static let environments = Mutex<[Entry]>([])

  /// Opens a folder's environment, or shares the one that this process has open there.
  ///
  /// - Throws: `StorageError.Code.alreadyOpen` if it is open with other settings; what opening and
  ///   creating throw.
  static func share(
    _ folder: StoreFolder,
    _ options: StorageOptions,
    reservation: Int
  ) throws(StorageError) -> LMDBEnvironment {
    var settings = Settings(options)
    if let mapSize = settings.mapSize {
      guard (1 << 16)...(1 << 46) ~= mapSize else {
        throw StorageError(
          .invalidConfiguration,
          "a mapsize of \(mapSize) bytes cannot be used; give 65536 to 70368744177664",
          backend: "lmdb"
        )
      }
      // Whole pages, of the largest kind that systems have.
      settings.mapSize = (mapSize + 0xFFFF) & ~0xFFFF
    }
    return try environments.withLock { (entries) throws(StorageError) in
      try folder.prepare(options)
      if let position = try position(of: folder, entries) {
        let environment = entries[position].environment
        guard environment.settings == settings else {
          throw StorageError(
            .alreadyOpen,
            "\(folder.path) is open in this process with other options; close it first",
            backend: "lmdb"
          )
        }
        try resume(environment, options.timeout, entries)
        entries[position].users += 1
        return environment
      }
      let noted = try check(folder, isReadOnly: options.isReadOnly, options.timeout)
      let environment = try LMDBEnvironment(
        folder,
        settings,
        reservation: reservation,
        notedState: noted
      )
      do throws(StorageError) {
        try environment.listTables(until: .now + options.timeout)
      } catch {
        environment.close()
        throw error
      }
      entries.append(Entry(environment: environment))
      return environment
    }
  }

  /// Gives a share back; the last one closes the environment.
  ///
  /// Parameter `isSuspended`: whether the user that gives it back is.
  func release(isSuspended: Bool) {
    Self.environments.withLock { entries in
      guard let position = entries.firstIndex(where: { $0.environment === self }) else { return }
      entries[position].users -= 1
      if isSuspended { entries[position].suspended -= 1 }
      let entry = entries[position]
      if entry.users == 0 { entries.remove(at: position) }
      if entry.suspended == entry.users { close() }
    }
  }

  /// Counts a user as suspended; with the last one the environment closes.
  ///
  /// - Throws: `StorageError.Code.busy` if a transaction is open.
  func suspend() throws(StorageError) {
    try Self.environments.withLock { (entries) throws(StorageError) in
      guard let position = entries.firstIndex(where: { $0.environment === self }) else { return }
      if entries[position].suspended + 1 == entries[position].users {
        guard condition.withLock({ liveReaders == 0 && !isWriting }) else {
          throw StorageError(
            .busy,
            "\(path) has open transactions; end them before suspending it",
            backend: "lmdb"
          )
        }
        close()
      }
      entries[position].suspended += 1
    }
  }

  /// Counts a user as active again; with the first one the environment opens.
  func resume(timeout: Duration) throws(StorageError) {
    try Self.environments.withLock { (entries) throws(StorageError) in
      guard let position = entries.firstIndex(where: { $0.environment === self }) else { return }
      try Self.resume(self, timeout, entries)
      entries[position].suspended -= 1
    }
  }

  private static func resume(
    _ environment: LMDBEnvironment,
    _ timeout: Duration,
    _ entries: [Entry]
  ) throws(StorageError) {
    if environment.condition.withLock({ environment.isOpen }) { return }
    let folder = environment.folder
    let position = try position(of: folder, entries.filter { $0.environment !== environment })
    if position != nil {
      throw StorageError(
        .alreadyOpen,
        "\(folder.path) was opened anew while it was suspended; close it first",
        backend: "lmdb"
      )
    }
    let noted = try check(folder, isReadOnly: environment.settings.isReadOnly, timeout)
    try environment.reopen(until: .now + timeout, notedState: noted)
  }

  /// Where the environment of a folder's data file is.
  ///
  /// The files are asked each time: a compaction puts another one in a store's place, and the
  /// system gives the old one's number to whatever is created next.
  private static func position(of folder: StoreFolder, _ entries: [Entry]) throws(StorageError)
    -> Int?
  {
    guard let identity = try folder.dataIdentity() else { return nil }
    for (position, entry) in entries.enumerated() where !entry.environment.isForked {
      if try entry.environment.identity() == identity { return position }
    }
    return nil
  }

  /// Checks the data file before LMDB sees it, unless it is as it was closed.
  ///
  /// - Returns: the state that it was closed in; nil where it had to be checked.
  private static func check(_ folder: StoreFolder, isReadOnly: Bool, _ timeout: Duration)
    throws(StorageError) -> DataFileState?
  {
    let file = try DataFile(path: folder.dataPath)
    // Commits under way may show as anything but the state after a closing.
    if let state = try? file.state(), WriteLock.holds(state.text, at: folder.writeLockPath) {
      return state
    }
    try file.check {
      (walk: () throws(StorageError) -> Void) throws(StorageError) in
      if isReadOnly { return try walk() }
      let lock = try WriteLock(path: folder.writeLockPath)
      defer { lock.close() }
      try lock.take(until: .now + timeout)
      defer { lock.release() }
      try walk()
    }
    return nil
  }
}
