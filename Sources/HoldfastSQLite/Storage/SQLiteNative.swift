public import Holdfast

/// SQLite's own handle on a transaction, lent by `withNative`.
///
/// ```swift
/// try transaction.withNative(SQLiteNative.self) { native in
///   let table = native.table(of: collection)
///   sqlite3_exec(try native.connection, "UPDATE \(table) SET \"rank\" = \"rank\" + 1", nil, nil, nil)
/// }
/// try transaction.noteChange(of: collection.name)
/// ```
/// Tables and columns are as `docs/FileFormats.md` says. `BEGIN`, `COMMIT` and `ROLLBACK` are refused
/// meanwhile with `SQLITE_AUTH`; savepoints of other names than `holdfast` may be used. Statements are
/// finalized before the body ends. Not Sendable.
public final class SQLiteNative {
  private var handle: OpaquePointer?

  init(_ handle: OpaquePointer) { self.handle = handle }

  /// The `sqlite3 *`; the connection of a read transaction cannot write.
  ///
  /// - Throws: `StorageError.Code.transactionClosed` after the body of `withNative`.
  public var connection: OpaquePointer {
    get throws(StorageError) {
      guard let handle else { throw SQLiteReader.endedError }
      return handle
    }
  }

  /// The table of a collection's records as it is written in SQL, quoted; columns have the names of
  /// the fields.
  public func table(of collection: Collection) -> String {
    var text = SQLText()
    text.appendName(collection.physicalName)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Refuses all further use.
  func end() { handle = nil }
}
