import Holdfast

/// What a connection has prepared for one collection.
final class SQLiteTable {
  let collection: Collection
  /// `SELECT` of all fields, in field order, `FROM` the table.
  let select: SQLText
  /// The position of the automatic key's field, or -1.
  let automaticKey: Int
  /// The positions of the fields that are not in the key.
  let otherPositions: [Int]
  /// The transaction in which the automatic counter was found to have room.
  var roomCheckedIn = 0

  private var getStatement: SQLiteStatement?
  private var insertStatement: SQLiteStatement?
  private var updateStatement: SQLiteStatement?
  private var putStatement: SQLiteStatement?
  private var deleteStatement: SQLiteStatement?

  init(_ collection: Collection) {
    self.collection = collection
    automaticKey = collection.automaticKeyPosition ?? -1
    otherPositions = collection.fields.indices.filter { !collection.keyPositions.contains($0) }
    var select = SQLText("SELECT ")
    select.appendFields(collection.fields.indices, of: collection)
    select.append(" FROM ")
    select.appendName(collection.physicalName)
    self.select = select
  }

  // MARK: Statements

  /// Takes the key's fields as parameters, in key order.
  @inline(__always)
  func get(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let getStatement { return getStatement }
    var text = select
    appendKey(&text) { part, _ in part }
    let statement = try prepare(text, connection)
    getStatement = statement
    return statement
  }

  /// Takes all fields as parameters, in field order.
  @inline(__always)
  func insert(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let insertStatement { return insertStatement }
    let statement = try prepare(insertText(), connection)
    insertStatement = statement
    return statement
  }

  /// Takes all fields as parameters, in field order; needs a field outside the key.
  @inline(__always)
  func update(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let updateStatement { return updateStatement }
    var text = SQLText("UPDATE ")
    text.appendName(collection.physicalName)
    text.append(" SET ")
    for (index, position) in otherPositions.enumerated() {
      if index > 0 { text.append(", ") }
      text.appendName(collection.fields[position].name)
      text.append(" = ?\(position + 1)")
    }
    appendKey(&text) { _, position in position }
    let statement = try prepare(text, connection)
    updateStatement = statement
    return statement
  }

  /// Takes all fields as parameters, in field order.
  @inline(__always)
  func put(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let putStatement { return putStatement }
    // Not INSERT OR REPLACE: that removes other records which hold the same unique values.
    var text = insertText()
    text.append(" ON CONFLICT (")
    text.appendFields(collection.keyPositions, of: collection)
    text.append(otherPositions.isEmpty ? ") DO NOTHING" : ") DO UPDATE SET ")
    for (index, position) in otherPositions.enumerated() {
      if index > 0 { text.append(", ") }
      text.appendName(collection.fields[position].name)
      text.append(" = ?\(position + 1)")
    }
    let statement = try prepare(text, connection)
    putStatement = statement
    return statement
  }

  /// Takes the key's fields as parameters, in key order.
  @inline(__always)
  func delete(_ connection: SQLiteConnection) throws(StorageError) -> SQLiteStatement {
    if let deleteStatement { return deleteStatement }
    var text = SQLText("DELETE FROM ")
    text.appendName(collection.physicalName)
    appendKey(&text) { part, _ in part }
    let statement = try prepare(text, connection)
    deleteStatement = statement
    return statement
  }

  // MARK: Text

  private func insertText() -> SQLText {
    var text = SQLText("INSERT INTO ")
    text.appendName(collection.physicalName)
    text.append(" (")
    text.appendFields(collection.fields.indices, of: collection)
    text.append(") VALUES (")
    for position in collection.fields.indices {
      text.append(position == 0 ? "?1" : ", ?\(position + 1)")
    }
    text.append(")")
    return text
  }

  private func appendKey(_ text: inout SQLText, _ parameter: (_ part: Int, _ position: Int) -> Int)
  {
    for (part, position) in collection.keyPositions.enumerated() {
      text.append(part == 0 ? " WHERE " : " AND ")
      text.appendName(collection.fields[position].name)
      text.append(" = ?\(parameter(part, position) + 1)")
    }
  }

  private func prepare(_ text: SQLText, _ connection: SQLiteConnection) throws(StorageError)
    -> SQLiteStatement
  {
    try connection.prepare(text, over: collection)
  }
}
