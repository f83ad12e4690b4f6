import CSQLite
import Foundation
import Holdfast

/// The catalog as it lies in the database: one row in `holdfast_catalog` with the store's own
/// figures, one row a collection in `holdfast_collection` with its definition as JSON, one row an
/// applied migration in `holdfast_migration`, which the first stores lack.
enum StoredCatalog {
  /// `application_id` of a store: "Hold" in ASCII.
  static let applicationID: Int32 = 0x486F_6C64
  /// What the names of the catalog's own tables begin with.
  static let prefix = "holdfast_"

  private static let migrationTable = """
    CREATE TABLE IF NOT EXISTS "holdfast_migration" (
      "position" INTEGER PRIMARY KEY,
      "name" TEXT NOT NULL
    ) STRICT
    """

  /// The physical identities of a collection's indexes, in declared order.
  private struct StoredIndex: Encodable {
    var id: Int
    var name: String
  }

  // MARK: Writing

  /// Creates the catalog of an empty store, inside a transaction.
  static func create(_ catalog: Catalog, _ connection: SQLiteConnection) throws(StorageError) {
    try connection.run(
      """
      CREATE TABLE "holdfast_catalog" (
        "id" INTEGER PRIMARY KEY CHECK ("id" = 1),
        "format" INTEGER NOT NULL,
        "store_id" TEXT NOT NULL,
        "schema_version" INTEGER NOT NULL,
        "next_id" INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE "holdfast_collection" (
        "id" INTEGER PRIMARY KEY,
        "name" TEXT NOT NULL,
        "table_name" TEXT NOT NULL,
        "definition" TEXT NOT NULL,
        "indexes" TEXT NOT NULL
      ) STRICT;
      \(migrationTable);
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(catalog.format);
      """,
      "create a store"
    )
    _ = try connection.rows(
      "INSERT INTO \"holdfast_catalog\" VALUES (1, ?1, ?2, ?3, ?4)",
      "create a store",
      [
        .integer(Int64(catalog.format)), .text(catalog.storeID), .integer(catalog.schemaVersion),
        .integer(Int64(catalog.nextID)),
      ]
    )
  }

  /// Writes a collection's row and the catalog's figures.
  static func write(
    _ collection: Collection,
    _ catalog: Catalog,
    _ connection: SQLiteConnection
  ) throws(StorageError) {
    let indexes = collection.indexes.map { StoredIndex(id: $0.id, name: $0.physicalName) }
    _ = try connection.rows(
      "REPLACE INTO \"holdfast_collection\" VALUES (?1, ?2, ?3, ?4, ?5)",
      "write the catalog",
      [
        .integer(Int64(collection.id)), .text(collection.name), .text(collection.physicalName),
        .text(try encode(collection.definition)), .text(try encode(indexes)),
      ]
    )
    try writeFigures(catalog, connection)
  }

  /// Removes a collection's row and writes the catalog's figures.
  static func remove(
    _ collection: Collection,
    _ catalog: Catalog,
    _ connection: SQLiteConnection
  ) throws(StorageError) {
    _ = try connection.rows(
      "DELETE FROM \"holdfast_collection\" WHERE \"id\" = ?1",
      "write the catalog",
      [.integer(Int64(collection.id))]
    )
    try writeFigures(catalog, connection)
  }

  /// Writes the names of the applied migrations and the catalog's figures.
  static func writeMigrations(_ catalog: Catalog, _ connection: SQLiteConnection)
    throws(StorageError)
  {
    let action = "write the migrations"
    try connection.run("\(migrationTable); DELETE FROM \"holdfast_migration\"", action)
    for (position, name) in catalog.migrations.enumerated() {
      _ = try connection.rows(
        "INSERT INTO \"holdfast_migration\" VALUES (?1, ?2)",
        action,
        [.integer(Int64(position + 1)), .text(name)]
      )
    }
    try writeFigures(catalog, connection)
  }

  private static func writeFigures(_ catalog: Catalog, _ connection: SQLiteConnection)
    throws(StorageError)
  {
    _ = try connection.rows(
      "UPDATE \"holdfast_catalog\" SET \"schema_version\" = ?1, \"next_id\" = ?2",
      "write the catalog",
      [.integer(catalog.schemaVersion), .integer(Int64(catalog.nextID))]
    )
  }

  private static func encode(_ value: some Encodable) throws(StorageError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw StorageError(
        .invalidSchema,
        "the collection's definition cannot be written as JSON",
        backend: "sqlite",
        underlying: error
      )
    }
  }

  // MARK: Reading

  /// Reads the catalog in the current snapshot.
  ///
  /// - Throws: `StorageError.Code.newerFormat`, `StorageError.Code.corrupt`.
  static func read(_ connection: SQLiteConnection) throws(StorageError) -> Catalog {
    let figures = try connection.rows(
      "SELECT \"format\", \"store_id\", \"schema_version\", \"next_id\" FROM \"holdfast_catalog\"",
      "read the catalog"
    )
    guard figures.count == 1, case .integer(let format) = figures[0][0],
      case .text(let storeID) = figures[0][1], case .integer(let version) = figures[0][2],
      case .integer(let nextID) = figures[0][3]
    else { throw damaged("its row is not readable", connection) }
    try checkFormat(format, connection)
    var catalog = Catalog(storeID: storeID)
    catalog.format = Int(format)
    catalog.schemaVersion = version
    catalog.nextID = Int(nextID)
    let rows = try connection.rows(
      "SELECT \"id\", \"table_name\", \"definition\", \"indexes\" FROM \"holdfast_collection\" "
        + "ORDER BY \"id\"",
      "read the catalog"
    )
    for row in rows {
      let collection = try self.collection(row, connection)
      guard connection.hasTable(collection.physicalName) else {
        throw damaged("the table of collection \(collection.name) is missing", connection)
      }
      catalog.restore(collection)
    }
    if connection.hasTable("holdfast_migration") {
      let names = try connection.rows(
        "SELECT \"name\" FROM \"holdfast_migration\" ORDER BY \"position\"",
        "read the catalog"
      )
      catalog.restore(migrations: names.map { $0[0].name })
    }
    return catalog
  }

  /// Refuses a format that this version does not know.
  static func checkFormat(_ format: Int64, _ connection: SQLiteConnection) throws(StorageError) {
    guard format > Catalog.currentFormat else { return }
    throw StorageError.sqlite(
      .newerFormat,
      "\(connection.path) has format \(format), this version of Holdfast reads up to "
        + "\(Catalog.currentFormat); update Holdfast"
    )
  }

  private static func collection(_ row: [Value], _ connection: SQLiteConnection)
    throws(StorageError) -> Collection
  {
    guard case .integer(let id) = row[0], case .text(let table) = row[1],
      case .text(let definition) = row[2], case .text(let indexes) = row[3]
    else { throw damaged("a collection's row is not readable", connection) }
    do throws(StorageError) {
      let parsed = try CollectionDefinition(json: definition)
      try parsed.validate()
      return try Collection(
        id: Int(id),
        definition: parsed,
        physicalName: table,
        indexes: try identities(indexes)
      )
    } catch {
      var damage = damaged("the definition of collection \(id) is not readable", connection)
      damage.underlying = error
      throw damage
    }
  }

  /// Reads what the column of the indexes holds: an array of objects with `id` and `name`.
  private static func identities(_ json: String) throws(StorageError)
    -> [(id: Int, physicalName: String)]
  {
    try Array(json.utf8).withUnsafeBufferPointer { (utf8) throws(StorageError) in
      try identities(UnsafeRawBufferPointer(utf8))
    }
  }

  private static func identities(_ json: UnsafeRawBufferPointer) throws(StorageError)
    -> [(id: Int, physicalName: String)]
  {
    var reader = JSONReader(ByteSource(json))
    var identities: [(id: Int, physicalName: String)] = []
    guard try reader.next() == .beginArray else {
      throw reader.error(.typeMismatch, "the indexes are no array")
    }
    while true {
      let token = try reader.next()
      if token == .endArray { return identities }
      guard token == .beginObject else {
        throw reader.error(.typeMismatch, "an index is \(token.name) and no object")
      }
      var (id, name): (Int64?, String?)
      while try reader.next() == .key {
        switch (reader.text, try reader.next()) {
        case ("id", .integer(let value)): id = value
        case ("name", .string): name = reader.text
        case (_, let token): try reader.skipValue(after: token)
        }
      }
      guard let id, let name else { throw reader.error(.typeMismatch, "an index without a name") }
      identities.append((Int(id), name))
    }
  }

  /// The error for a catalog that makes no sense.
  static func damaged(_ what: String, _ connection: SQLiteConnection) -> StorageError {
    StorageError.sqlite(
      .corrupt,
      "the catalog of \(connection.path) is damaged: \(what); restore a backup"
    )
  }
}

extension SQLiteConnection {
  /// Whether the database has a table of that name, which is no view.
  ///
  /// Looked up in what SQLite has read of the schema, without a statement.
  func hasTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// The path of the database's file, for messages.
  var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }
}
