import CSQLite
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The one place where SQLite's result codes become codes of `StorageError`.
extension StorageError {
  /// The error of a failed call.
  ///
  /// - Parameters:
  ///   - status: what the call returned.
  ///   - database: the connection, for SQLite's own message and the extended code.
  ///   - action: what was being done, as in "cannot ACTION".
  init(sqlite status: Int32, _ database: OpaquePointer?, _ action: String) {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? status
    let number = extended & 0xFF == status & 0xFF ? extended : status
    let detail =
      database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(status))
    let systemError = database.map { sqlite3_system_errno($0) } ?? 0
    let code = Self.code(status, systemError)
    let path = database.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
    if code == .corrupt, let path { DamagedFiles.record(path) }
    let place = path.map { $0.isEmpty ? "" : " in \($0)" } ?? ""
    self.init(
      code,
      "cannot \(action)\(place): \(detail)\(Self.advice(code))",
      backend: "sqlite",
      engineCode: Int(number)
    )
  }

  /// An error of this backend's own.
  static func sqlite(_ code: Code, _ message: String) -> StorageError {
    StorageError(code, message, backend: "sqlite")
  }

  private static func code(_ status: Int32, _ systemError: Int32) -> Code {
    switch status & 0xFF {
    case SQLITE_FULL: .storageFull
    case SQLITE_IOERR: .ioError
    case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
    case SQLITE_READONLY: .readOnly
    case SQLITE_CANTOPEN:
      systemError == EACCES || systemError == EPERM || systemError == EROFS
        ? .permissionDenied : .cannotOpen
    case SQLITE_PERM, SQLITE_AUTH: .permissionDenied
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_INTERRUPT: .cancelled
    case SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .invalidValue
    default: .ioError
    }
  }

  private static func advice(_ code: Code) -> String {
    switch code {
    case .storageFull: "; free some space"
    case .corrupt: "; restore a backup"
    case .permissionDenied: "; check the permissions of the file and its folder"
    case .busy: "; another process holds the store, try again"
    default: ""
    }
  }
}
