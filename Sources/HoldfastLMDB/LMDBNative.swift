public import Holdfast

/// LMDB's own handles on a transaction, lent by `withNative`.
///
/// ```swift
/// try transaction.withNative(LMDBNative.self) { native in
///   var status = MDB_stat()
///   let table = try native.database(collection.physicalName)
///   mdb_stat(try native.transaction, table, &status)
/// }
/// ```
/// Keys and rows are as `docs/FileFormats.md` says. Databases are neither opened nor dropped with
/// these handles, and cursors are closed before the body ends. A read transaction that is committed or
/// aborted with them cannot be told from one that goes on: the process may crash. Not Sendable.
public final class LMDBNative {
  private var handles: (environment: OpaquePointer, transaction: OpaquePointer)?
  private let find: (String) -> UInt32?

  init(
    _ environment: OpaquePointer,
    _ transaction: OpaquePointer,
    find: @escaping (String) -> UInt32?
  ) {
    handles = (environment, transaction)
    self.find = find
  }

  /// The `MDB_env *`.
  ///
  /// - Throws: `StorageError.Code.transactionClosed` after the body of `withNative`.
  public var environment: OpaquePointer {
    get throws(StorageError) { try open().environment }
  }

  /// The `MDB_txn *`; in a write transaction a nested one, which holds what was written so far.
  ///
  /// - Throws: `StorageError.Code.transactionClosed` after the body of `withNative`.
  public var transaction: OpaquePointer {
    get throws(StorageError) { try open().transaction }
  }

  /// The `MDB_dbi` of a database.
  ///
  /// - Parameter name: `Collection.physicalName` for the records of a collection,
  ///   `Collection.Index.physicalName` for the entries of an index, `catalog`, or `sequence` for the
  ///   last automatic keys.
  /// - Returns: the handle, for this transaction alone.
  /// - Throws: `StorageError.Code.unknownCollection` if the store has none of that name;
  ///   `StorageError.Code.transactionClosed` after the body of `withNative`.
  public func database(_ name: String) throws(StorageError) -> UInt32 {
    _ = try open()
    guard let found = find(name) else {
      throw StorageError(
        .unknownCollection,
        "the store has no database \(name); use the physical name of a collection or index",
        backend: "lmdb"
      )
    }
    return found
  }

  private func open() throws(StorageError)
    -> (environment: OpaquePointer, transaction: OpaquePointer)
  {
    guard let handles else { throw .lmdbScopeEnded }
    return handles
  }

  /// Refuses all further use.
  func end() { handles = nil }
}

extension StorageError {
  /// The error for handles that are asked for while they are lent.
  static var lmdbLentAlready: StorageError {
    StorageError(
      .nestedTransaction,
      "the handles are lent already; use those of the body around this one",
      backend: "lmdb"
    )
  }

  /// The error for a transaction that did not come back as it was lent.
  static var lmdbEndedElsewhere: StorageError {
    StorageError(
      .transactionFailed,
      "the transaction failed, or was ended, through its native handle; "
        + "leave the end to the store and start a new one",
      backend: "lmdb"
    )
  }
}
