import CSQLite
import Foundation
import Holdfast

/// The catalog as it lies in the database: one row in `holdfast_catalog` with the store's own
/// figures, one row a collection in `holdfast_collection` with its definition as JSON.
enum StoredCatalog {
  /// `application_id` of a store: "Hold" in ASCII.
  static let applicationID: Int32 = 0x486F_6C64
  /// What the names of the catalog's own tables begin with.
  static let prefix = "holdfast_"

  /// The physical identities of a collection's indexes, in declared order.
  private struct StoredIndex: Codable {
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
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(catalog.format);
      """,
      "create a store"
    )
    let statement = try connection.prepare(
      SQLText("INSERT INTO \"holdfast_catalog\" VALUES (1, ?1, ?2, ?3, ?4)")
    )
    try statement.bind(.value(.integer(Int64(catalog.format))), at: 1)
    try statement.bind(.value(.text(catalog.storeID)), at: 2)
    try statement.bind(.value(.integer(catalog.schemaVersion)), at: 3)
    try statement.bind(.value(.integer(Int64(catalog.nextID))), at: 4)
    try statement.run("create a store")
  }

  /// Writes a new collection's row and the catalog's figures.
  static func add(
    _ collection: Collection,
    _ catalog: Catalog,
    _ connection: SQLiteConnection
  ) throws(StorageError) {
    let row = try connection.prepare(
      SQLText("INSERT INTO \"holdfast_collection\" VALUES (?1, ?2, ?3, ?4, ?5)")
    )
    try row.bind(.value(.integer(Int64(collection.id))), at: 1)
    try row.bind(.value(.text(collection.name)), at: 2)
    try row.bind(.value(.text(collection.physicalName)), at: 3)
    try row.bind(.value(.text(try encode(collection.definition))), at: 4)
    let indexes = collection.indexes.map { StoredIndex(id: $0.id, name: $0.physicalName) }
    try row.bind(.value(.text(try encode(indexes))), at: 5)
    try row.run("write the catalog")
    let figures = try connection.prepare(
      SQLText("UPDATE \"holdfast_catalog\" SET \"schema_version\" = ?1, \"next_id\" = ?2")
    )
    try figures.bind(.value(.integer(catalog.schemaVersion)), at: 1)
    try figures.bind(.value(.integer(Int64(catalog.nextID))), at: 2)
    try figures.run("write the catalog")
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
    var tables = Set<[UInt8]>()
    let names = try connection.rows(
      "SELECT \"name\" FROM sqlite_schema WHERE \"type\" = 'table'",
      "read the catalog"
    )
    for case .text(let name) in names.map({ $0[0] }) { tables.insert(Array(name.utf8)) }
    let rows = try connection.rows(
      "SELECT \"id\", \"table_name\", \"definition\", \"indexes\" FROM \"holdfast_collection\" "
        + "ORDER BY \"id\"",
      "read the catalog"
    )
    for row in rows {
      let collection = try self.collection(row, connection)
      guard tables.contains(Array(collection.physicalName.utf8)) else {
        throw damaged("the table of collection \(collection.name) is missing", connection)
      }
      catalog.restore(collection)
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
    do {
      let decoder = JSONDecoder()
      let parsed = try decoder.decode(CollectionDefinition.self, from: Data(definition.utf8))
      try parsed.validate()
      let identities = try decoder.decode([StoredIndex].self, from: Data(indexes.utf8))
      return try Collection(
        id: Int(id),
        definition: parsed,
        physicalName: table,
        indexes: identities.map { ($0.id, $0.name) }
      )
    } catch {
      var damage = damaged("the definition of collection \(id) is not readable", connection)
      damage.underlying = error
      throw damage
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
  /// The path of the database's file, for messages.
  var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }
}
