internal import Foundation
internal import Holdfast
import Synchronization

/// The environments that this process has open: LMDB breaks when one file is opened twice.
extension LMDBEnvironment {
  private struct Entry {
    var environment: LMDBEnvironment
    var users: Int
  }

  private static let open = Mutex<[FileIdentity: Entry]>([:])

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
    return try open.withLock { (entries) throws(StorageError) in
      try folder.prepare(options)
      if let identity = try folder.dataIdentity(), let entry = entries[identity],
        !entry.environment.isForked
      {
        guard entry.environment.settings == settings else {
          throw StorageError(
            .alreadyOpen,
            "\(folder.path) is open in this process with other options; close it first",
            backend: "lmdb"
          )
        }
        entries[identity]?.users += 1
        return entry.environment
      }
      try check(folder, options)
      let environment = try LMDBEnvironment(folder, settings, reservation: reservation)
      do throws(StorageError) {
        try environment.listTables(until: .now + options.timeout)
        guard let identity = try folder.dataIdentity() else {
          throw StorageError(
            .cannotOpen,
            "\(folder.path) was removed while it was opened; open it again",
            backend: "lmdb"
          )
        }
        entries[identity] = Entry(environment: environment, users: 1)
      } catch {
        environment.close()
        throw error
      }
      return environment
    }
  }

  /// Gives a share back; the last one closes the environment.
  func release() {
    Self.open.withLock { entries in
      guard let (identity, entry) = entries.first(where: { $0.value.environment === self }) else {
        return
      }
      if entry.users > 1 {
        entries[identity]?.users -= 1
      } else {
        entries[identity] = nil
        close()
      }
    }
  }

  private static func check(_ folder: StoreFolder, _ options: StorageOptions) throws(StorageError) {
    try DataFile(path: folder.dataPath).check {
      (walk: () throws(StorageError) -> Void) throws(StorageError) in
      if options.isReadOnly { return try walk() }
      let lock = try WriteLock(path: folder.writeLockPath)
      defer { lock.close() }
      try lock.take(until: .now + options.timeout)
      defer { lock.release() }
      try walk()
    }
  }
}
