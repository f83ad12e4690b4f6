public import Holdfast

/// The rows of one query or scan on a SQLite store; see `StorageCursor`.
public final class SQLiteCursor: StorageCursor {
  private var statement: SQLiteStatement?
  private var isAtEnd = false
  private let text: SQLText
  private unowned let reader: SQLiteReader
  /// Where the reader keeps the cursor while it is open.
  var place = 0

  /// Takes a statement whose values have been bound.
  init(_ statement: SQLiteStatement, _ text: SQLText, _ reader: SQLiteReader) {
    self.statement = statement
    self.text = text
    self.reader = reader
    reader.register(self)
  }

  /// Moves to the next row.
  ///
  /// - Returns: all fields in field order, valid until the next call; nil at the end.
  /// - Throws: `StorageError.Code.transactionClosed` after ``close()``; what SQLite reports.
  public func next() throws(StorageError) -> RowView? {
    guard let statement else { throw SQLiteReader.endedError }
    if isAtEnd { return nil }
    if try statement.step() { return try statement.row() }
    isAtEnd = true
    statement.reset()
    return nil
  }

  /// Lets the statement go for its next use; idempotent.
  public func close() {
    guard statement != nil else { return }
    reader.takeBack(self)
  }

  /// Gives up the statement, reset; nil if it did already.
  func surrender() -> (statement: SQLiteStatement, text: SQLText)? {
    guard let statement else { return nil }
    self.statement = nil
    statement.reset()
    return (statement, text)
  }
}
