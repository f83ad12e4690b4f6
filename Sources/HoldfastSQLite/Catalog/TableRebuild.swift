import CSQLite
import Holdfast

/// Makes the table of a collection again, with all rows, indexes and the automatic counter.
///
/// A new table is filled and takes the old one's place and name, so that what other tables declare of
/// it goes on. Indexes and triggers that are not the store's own are made again too. O(n log n).
struct TableRebuild {
  private let connection: SQLiteConnection
  private let collection: Collection
  private let catalog: Catalog
  private let columns: [String]
  private let change: RowChange

  /// Prepares to make a table in the form of `collection`.
  ///
  /// - Parameters:
  ///   - connection: the writing connection.
  ///   - collection: the form that the table gets.
  ///   - catalog: where references find their targets.
  ///   - columns: the columns that the table has now, in the order of the old fields.
  ///   - change: how rows change, or nil if they do not.
  init(
    _ connection: SQLiteConnection,
    _ collection: Collection,
    _ catalog: Catalog,
    columns: [String],
    _ change: RowChange?
  ) {
    self.connection = connection
    self.collection = collection
    self.catalog = catalog
    self.columns = columns
    self.change = change ?? RowChange(columns.indices.map { .field($0) }, to: collection.definition)
  }

  /// Makes the table.
  ///
  /// - Throws: `StorageError.Code.uniqueViolation`; what `RowChange.apply(_:)` throws; what SQLite
  ///   reports. Some of it is done then.
  func run() throws(StorageError) {
    let others = try othersStatements()
    let last = try connection.counter(of: collection)
    var names = try PhysicalNames(connection)
    let temporary = names.takeTemporary()
    try connection.run(
      TableDefinition.table(collection, named: temporary, in: catalog),
      "create a table"
    )
    try copyRows(to: temporary)
    var drop = SQLText("DROP TABLE ")
    drop.appendName(collection.physicalName)
    try connection.run(drop, "drop a table")
    try takePlace(temporary)
    if last > 0 { try connection.setCounter(of: collection, to: last) }
    for index in collection.indexes { try connection.createIndex(index, of: collection) }
    for statement in others { try connection.run(SQLText(statement), "keep an index or trigger") }
  }

  /// Renames the new table while nothing else is renamed with it.
  private func takePlace(_ temporary: String) throws(StorageError) {
    try connection.run("PRAGMA legacy_alter_table = 1", "change a table")
    let renamed = Result { () throws(StorageError) in
      try connection.renameTable(temporary, to: collection.physicalName)
    }
    try connection.run("PRAGMA legacy_alter_table = 0", "change a table")
    try renamed.get()
  }

  /// The SQL of the indexes and triggers on the table that are not the store's own.
  private func othersStatements() throws(StorageError) -> [String] {
    let rows = try connection.rows(
      "SELECT \"name\", \"sql\" FROM sqlite_schema WHERE \"tbl_name\" = ?1 AND \"sql\" IS NOT NULL "
        + "AND \"type\" IN ('index', 'trigger')",
      "read the schema",
      [.text(collection.physicalName)]
    )
    let own = collection.indexes.map { Array($0.physicalName.utf8) }
    return rows.filter { !own.contains(Array($0[0].name.utf8)) }.map { $0[1].name }
  }

  // MARK: Rows

  private func copyRows(to table: String) throws(StorageError) {
    let isPlain = change.sources.allSatisfy { source in
      if case .converted = source { return false }
      return true
    }
    guard isPlain else { return try changeRows(to: table) }
    do throws(StorageError) {
      try copyAtOnce(to: table)
    } catch {
      guard let number = error.engineCode, number & 0xFF == Int(SQLITE_CONSTRAINT) else {
        throw error
      }
      // A null where none may be: one row after the other says in which field.
      try changeRows(to: table)
    }
  }

  private func copyAtOnce(to table: String) throws(StorageError) {
    var text = insertText(table)
    text.append(" SELECT ")
    var values: [SQLParameter] = []
    for (position, source) in change.sources.enumerated() {
      if position > 0 { text.append(", ") }
      switch source {
      case .field(let old), .converted(let old, _): text.appendName(columns[old])
      case .value(let value):
        values.append(.value(value))
        text.append("?\(values.count)")
      }
    }
    text.append(" FROM ")
    text.appendName(collection.physicalName)
    let statement = try connection.prepare(text, "copy records")
    try statement.bind(values)
    try statement.run("copy records")
  }

  private func changeRows(to table: String) throws(StorageError) {
    var text = SQLText("SELECT ")
    text.appendNames(columns)
    text.append(" FROM ")
    text.appendName(collection.physicalName)
    let select = try connection.prepare(text, "copy records")
    text = insertText(table)
    text.append(" VALUES (")
    for position in change.sources.indices {
      text.append(position == 0 ? "?1" : ", ?\(position + 1)")
    }
    text.append(")")
    let insert = try connection.prepare(text, "copy records")
    while try select.step() {
      try insert.bind(try change.apply(try select.row()))
      try insert.run("copy records")
    }
  }

  private func insertText(_ table: String) -> SQLText {
    var text = SQLText("INSERT INTO ")
    text.appendName(table)
    text.append(" (")
    text.appendFields(collection.fields.indices, of: collection)
    text.append(")")
    return text
  }
}

extension SQLiteConnection {
  /// Renames a table.
  func renameTable(_ name: String, to newName: String) throws(StorageError) {
    var text = SQLText("ALTER TABLE ")
    text.appendName(name)
    text.append(" RENAME TO ")
    text.appendName(newName)
    try run(text, "rename a table")
  }

  /// Creates an index over the rows that there are.
  ///
  /// - Throws: `StorageError.Code.uniqueViolation` if some hold equal values.
  func createIndex(_ index: Collection.Index, of collection: Collection) throws(StorageError) {
    do throws(StorageError) {
      try run(TableDefinition.index(index, of: collection), "create an index")
    } catch {
      guard index.definition.isUnique, error.engineCode == Self.uniqueViolation else { throw error }
      throw StorageError(
        .uniqueViolation,
        "records of \(collection.name) have equal values, so index \(index.definition.name) cannot "
          + "be unique; change them first",
        backend: "sqlite",
        engineCode: error.engineCode
      )
    }
  }

  /// `SQLITE_CONSTRAINT_UNIQUE`, a macro that Swift does not see.
  private static let uniqueViolation = Int(SQLITE_CONSTRAINT | 8 << 8)
}
