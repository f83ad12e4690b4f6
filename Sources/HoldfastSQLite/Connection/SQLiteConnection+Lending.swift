import CSQLite
import Holdfast

extension SQLiteConnection {
  /// Refuses statements that begin or end transactions, until ``endNativeUse()``.
  func beginNativeUse() throws(StorageError) {
    let status = sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK },
      nil
    )
    if status != SQLITE_OK { throw StorageError(sqlite: status, handle, "lend the connection") }
  }

  /// Allows everything again.
  ///
  /// - Throws: `StorageError.Code.transactionFailed` if the transaction is over, or statements are left.
  func endNativeUse() throws(StorageError) {
    let status = sqlite3_set_authorizer(handle, nil, nil)
    // What was learned of automatic keys may no longer be so.
    transactionNumber += 1
    var statement = sqlite3_next_stmt(handle, nil)
    while let found = statement {
      if !own.handles.contains(found) { isSpoiled = true }
      statement = sqlite3_next_stmt(handle, found)
    }
    if isSpoiled {
      throw StorageError.sqlite(
        .transactionFailed,
        "a statement prepared on the native connection was not finalized; finalize it in the body"
      )
    }
    if sqlite3_get_autocommit(handle) != 0 || status != SQLITE_OK {
      throw StorageError.sqlite(
        .transactionFailed,
        "the transaction failed on the native connection and is rolled back; start a new one"
      )
    }
  }
}
