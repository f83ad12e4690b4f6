import CLMDB
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The one place where LMDB's return codes, and the system's, become `StorageError`.
extension StorageError {
  /// The error of a return code of LMDB: negative for its own, positive for the system's.
  ///
  /// - Parameters:
  ///   - status: the return code.
  ///   - action: what was being done, as in "reading".
  ///   - path: the store's folder.
  /// - Returns: the error.
  static func lmdb(_ status: Int32, _ action: String, _ path: String) -> StorageError {
    let reason = mdb_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    return StorageError(
      code(status),
      "\(action) \(path) failed: \(reason); \(advice(status))",
      backend: "lmdb",
      engineCode: Int(status)
    )
  }

  /// The error of the system call that just failed.
  static func system(_ number: Int32, _ action: String, _ path: String) -> StorageError {
    lmdb(number, action, path)
  }

  private static func code(_ status: Int32) -> Code {
    switch status {
    case MDB_MAP_FULL, MDB_TXN_FULL, ENOSPC, EDQUOT, EFBIG: .storageFull
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_CURSOR_FULL, MDB_PAGE_FULL: .corrupt
    case MDB_VERSION_MISMATCH: .newerFormat
    case MDB_INCOMPATIBLE, ENOTDIR, EISDIR: .wrongKind
    case EACCES, EPERM, EROFS: .permissionDenied
    case ENOENT, ELOOP, ENAMETOOLONG: .cannotOpen
    case MDB_READERS_FULL, EAGAIN, EBUSY: .busy
    case MDB_BAD_TXN: .transactionFailed
    case MDB_BAD_VALSIZE: .keyTooLong
    case MDB_DBS_FULL: .unsupported
    default: .ioError
    }
  }

  private static func advice(_ status: Int32) -> String {
    switch status {
    case MDB_MAP_FULL: "reopen it with a larger mapsize"
    case MDB_TXN_FULL: "split the transaction into smaller ones"
    case ENOSPC, EDQUOT, EFBIG: "make room on the disk"
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_CURSOR_FULL, MDB_PAGE_FULL:
      "restore a backup"
    case MDB_VERSION_MISMATCH: "use a newer version of LMDB"
    case MDB_INCOMPATIBLE, ENOTDIR, EISDIR: "choose another path"
    case EACCES, EPERM, EROFS: "check its permissions"
    case ENOENT, ELOOP, ENAMETOOLONG: "check the path"
    case MDB_READERS_FULL, EAGAIN, EBUSY: "try again"
    case MDB_BAD_TXN: "roll back and start a new transaction"
    case MDB_BAD_VALSIZE: "use a shorter key"
    case MDB_DBS_FULL: "it may have \(LMDBEnvironment.maximumTables) collections and indexes"
    default: "close and reopen it"
    }
  }

  /// A transaction or cursor whose scope ended.
  static var lmdbScopeEnded: StorageError {
    StorageError(
      .transactionClosed,
      "the transaction has ended; begin a new one",
      backend: "lmdb"
    )
  }

  /// A store that let its files go.
  static func lmdbSuspended(_ path: String) -> StorageError {
    StorageError(.suspended, "\(path) is suspended; resume it first", backend: "lmdb")
  }

  /// A store that this process inherited through `fork`.
  static func lmdbForked(_ path: String) -> StorageError {
    StorageError(
      .closed,
      "\(path) was opened before this process was forked; open it again in the child",
      backend: "lmdb"
    )
  }
}
