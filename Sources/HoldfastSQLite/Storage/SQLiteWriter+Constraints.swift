import CSQLite
import Holdfast

extension SQLiteWriter {
  /// The typed error behind a refused write: the key first, then the unique indexes in declared
  /// order.
  ///
  /// SQLite itself reports them in an order of its own.
  func cause(_ error: StorageError, _ row: RowView, _ table: SQLiteTable, isInsert: Bool)
    throws(StorageError) -> StorageError
  {
    guard let number = error.engineCode,
      Int32(truncatingIfNeeded: number) & 0xFF == SQLITE_CONSTRAINT
    else { return error }
    let collection = table.collection
    if isInsert, try holds(row, table) {
      return StorageError(
        .duplicateKey,
        "collection \(collection.name) has a record with that key; update or put it",
        backend: "sqlite",
        engineCode: number
      )
    }
    for index in collection.indexes where index.definition.isUnique {
      guard try isTaken(index, row, collection) else { continue }
      return StorageError(
        .uniqueViolation,
        "another record of \(collection.name) has the same value in unique index "
          + "\(index.definition.name); change the value",
        backend: "sqlite",
        engineCode: number
      )
    }
    return error
  }

  /// Whether there is a record with the row's key.
  func holds(_ row: RowView, _ table: SQLiteTable) throws(StorageError) -> Bool {
    let statement = try table.get(connection)
    for (part, position) in table.collection.keyPositions.enumerated() {
      try statement.bind(row.slots[position], at: Int32(truncatingIfNeeded: part + 1))
    }
    let found = try statement.step()
    statement.reset()
    return found
  }

  /// Whether a record with another key holds the row's values of a unique index.
  private func isTaken(_ index: Collection.Index, _ row: RowView, _ collection: Collection)
    throws(StorageError) -> Bool
  {
    if index.positions.contains(where: { row.isNull($0) }) { return false }
    var text = SQLText("SELECT 1 FROM ")
    text.appendName(collection.physicalName)
    appendEqualities(&text, index.positions, collection, " WHERE ")
    appendEqualities(&text, collection.keyPositions, collection, " AND (")
    // Not NOT: the key is null where it is still to be chosen.
    text.append(") IS NOT TRUE")
    let statement = try connection.prepare(text)
    for position in Set(index.positions + collection.keyPositions) {
      try statement.bind(row.slots[position], at: Int32(truncatingIfNeeded: position + 1))
    }
    let found = try statement.step()
    statement.reset()
    return found
  }

  private func appendEqualities(
    _ text: inout SQLText,
    _ positions: [Int],
    _ collection: Collection,
    _ start: String
  ) {
    for (part, position) in positions.enumerated() {
      text.append(part == 0 ? start : " AND ")
      text.appendName(collection.fields[position].name)
      text.append(" = ?\(position + 1)")
    }
  }
}
