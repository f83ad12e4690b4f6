import Holdfast
import HoldfastSQLite

/// One import of the tables of another program's SQLite database, in one transaction.
struct DatabaseImport {
  private let database: ForeignDatabase
  private let plan: ForeignPlan

  /// Opens the database and decides what its tables become.
  ///
  /// - Parameters:
  ///   - path: the database's file.
  ///   - tables: the names of the tables to import; nil for all.
  /// - Throws: `StorageError` with code `wrongKind`, `corrupt` and others, naming the obstacle.
  init(_ path: String, tables: [String]?) throws(StorageError) {
    database = try ForeignDatabase(path: path)
    plan = try ForeignPlan(database, tables: tables)
  }

  /// What is left out or differs: one line each.
  var notes: [String] { plan.notes }
  /// How many rows there are.
  var recordCount: Int { plan.entries.reduce(0) { $0 + $1.table.count } }
  /// How many tables there are.
  var collectionCount: Int { plan.entries.count }

  /// Lets the database go.
  func close() { database.close() }

  /// Creates the collections and loads their records, all or nothing.
  ///
  /// - Returns: how many records there are.
  /// - Throws: `StorageError` with code `alreadyExists` if the store has a collection of a table's
  ///   name; what writing throws.
  func run(on store: Store, progress: (Int) -> Void) throws -> Int {
    try store.write { transaction in
      for entry in plan.entries {
        let name = entry.definition.name
        let folded = Name.folded(name)
        let taken = try transaction.catalog.collections.first { Name.folded($0.name) == folded }
        if let taken {
          throw StorageError(
            .alreadyExists,
            "the store already has a collection \(taken.name); import into another store, or choose "
              + "others with --tables"
          )
        }
        try transaction.createCollection(entry.definition)
      }
      return try transaction.deferringReferences {
        var count = 0
        for entry in plan.entries {
          try load(entry, into: transaction, &count, progress)
        }
        return count
      }
    }
  }

  private func load(
    _ entry: ForeignPlan.Entry,
    into transaction: WriteTransaction,
    _ count: inout Int,
    _ progress: (Int) -> Void
  ) throws(StorageError) {
    let collection = try transaction.collection(entry.definition.name)
    let rows = try ForeignRows(entry, in: database)
    while let row = try rows.next() {
      do throws(StorageError) {
        try transaction.insert(row, into: collection)
      } catch {
        var error = error
        error.message = "table \(entry.table.name) cannot be imported: \(error.message)"
        throw error
      }
      count += 1
      if count % 1024 == 0 { progress(count) }
    }
    if collection.automaticKeyPosition != nil,
      let last = try database.lastAutomaticKey(of: entry.table)
    {
      try transaction.raiseLastAutomaticKey(to: last, of: collection)
    }
  }
}
