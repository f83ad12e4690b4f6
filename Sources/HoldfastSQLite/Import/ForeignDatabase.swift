import CSQLite
package import Holdfast

/// A SQLite database that another program made, open for reading in one snapshot, to be imported.
package final class ForeignDatabase {
  let connection: SQLiteConnection
  /// The database's file.
  package let path: String
  private let file: DatabaseFile
  /// Whether there was a log before.
  private let hadLog: Bool
  /// The tables that can be imported, in order of creation.
  package private(set) var tables: [ForeignTable] = []
  /// What is not imported, and why: one line each.
  package private(set) var notes: [String] = []

  /// Opens a database and looks at everything in it.
  ///
  /// Nothing is changed. O(n): its pages are checked first, so that damage is not taken for data.
  ///
  /// - Throws: `StorageError.Code.cannotOpen`, `StorageError.Code.permissionDenied`;
  ///   `StorageError.Code.wrongKind` if it is no SQLite database, or a store of Holdfast;
  ///   `StorageError.Code.corrupt`, `StorageError.Code.busy`.
  package init(path: String) throws(StorageError) {
    self.path = path
    switch StoreKind(at: path) {
    case .sqlite: break
    case .missing:
      throw StorageError.sqlite(.cannotOpen, "there is no database at \(path); check the path")
    case .unreadable:
      throw StorageError.sqlite(
        .permissionDenied,
        "\(path) cannot be read; check its permissions"
      )
    case let kind:
      throw StorageError.sqlite(.wrongKind, "\(path) is \(kind), not a SQLite database")
    }
    file = try DatabaseFile(path)
    hadLog = file.size("-wal") != nil
    try file.checkSideFiles()
    connection = SQLiteConnection(try Self.open(file), catalogs: CatalogCache(), log: nil)
    connection.setTimeout(5000)
    // Its schema is not to be trusted, nor are its pages.
    try connection.run(
      "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1; PRAGMA query_only = 1; BEGIN",
      "open"
    )
    try check()
    try readTables()
  }

  private static func open(_ file: DatabaseFile) throws(StorageError) -> OpaquePointer {
    let handle = try DatabaseFile.openHandle(file.path, SQLITE_OPEN_READONLY)
    let status = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    if status == SQLITE_OK { return handle }
    let error = StorageError(sqlite: status, handle, "read")
    // Nothing is prepared on it, so closing cannot fail.
    _ = sqlite3_close(handle)
    // A folder that cannot be written takes no log. Without one there is nothing but the file.
    let isRefused = [.cannotOpen, .permissionDenied, .readOnly].contains(error.code)
    guard isRefused, (file.size("-wal") ?? 0) == 0 else { throw error }
    return try DatabaseFile.openHandle(file.immutableURI, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  private func check() throws(StorageError) {
    let id = try connection.rows("PRAGMA application_id")
    if id == [[.integer(Int64(StoredCatalog.applicationID))]] {
      throw StorageError.sqlite(
        .wrongKind,
        "\(path) is a store of Holdfast; use it as it is, or copy it with convert"
      )
    }
    let found: [[Value]]
    do throws(StorageError) {
      found = try connection.rows("PRAGMA integrity_check(1)", "check")
    } catch {
      // A collation or a module that only its program has keeps SQLite from looking.
      guard error.engineCode == Int(SQLITE_ERROR) else { throw error }
      return
    }
    guard found != [[.text("ok")]], case .text(let fault)? = found.first?.first else { return }
    throw StorageError.sqlite(
      .corrupt,
      "\(path) is damaged and nothing was imported: \(fault.prefix(200)); repair it first"
    )
  }

  // MARK: Structure

  private func readTables() throws(StorageError) {
    var kinds: [String: (kind: String, hasRowid: Bool)] = [:]
    for row in try connection.rows(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'"
    ) {
      guard case .text(let name) = row[0], case .text(let kind) = row[1] else { continue }
      kinds[name] = (kind, row[2] == .integer(0))
    }
    let entries = try connection.rows("SELECT type, name FROM sqlite_schema ORDER BY rowid")
    for row in entries {
      guard case .text(let type) = row[0], case .text(let name) = row[1] else { continue }
      switch type {
      case "table":
        if Name.folded(name).hasPrefix("sqlite_") { continue }
        let (kind, hasRowid) = kinds[name] ?? ("table", true)
        switch kind {
        case "virtual": notes.append("virtual table \(name) is left out: its rows are computed")
        case "shadow": notes.append("table \(name) is left out: it belongs to a virtual table")
        default: tables.append(try ForeignTable(name, hasRowid: hasRowid, in: connection))
        }
      case "view": notes.append("view \(name) is left out")
      case "trigger": notes.append("trigger \(name) is left out")
      default: break
      }
    }
  }

  /// The largest automatic key that a table has ever had, as AUTOINCREMENT counts them.
  package func lastAutomaticKey(of table: ForeignTable) throws(StorageError) -> Int64? {
    let exists = try connection.rows(
      "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'"
    )
    if exists.isEmpty { return nil }
    let rows = try connection.rows(
      "SELECT max(seq) FROM sqlite_sequence WHERE name = ?1",
      "read",
      [.text(table.name)]
    )
    guard case .integer(let last)? = rows.first?.first else { return nil }
    return last
  }

  /// Ends the snapshot, and removes what reading alone left beside the database.
  package func close() {
    // Whoever reads on keeps the connection open; there is nothing to lose.
    _ = Result { () throws(StorageError) in try connection.close() }
    guard !hadLog, file.size("-wal") == 0,
      let handle = try? DatabaseFile.openHandle(file.path, SQLITE_OPEN_READWRITE)
    else { return }
    _ = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    _ = sqlite3_close(handle)
  }
}
