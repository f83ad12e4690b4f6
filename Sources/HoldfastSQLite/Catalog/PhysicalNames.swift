import Holdfast

/// The names of tables and indexes: a person's own where SQLite takes it.
///
/// Tables, indexes, views and triggers share one set of names.
struct PhysicalNames {
  private var taken = Set<String>()

  /// Reads the names that are in use.
  init(_ connection: SQLiteConnection) throws(StorageError) {
    for row in try connection.rows("SELECT \"name\" FROM sqlite_schema", "read the schema") {
      taken.insert(Name.folded(row[0].name))
    }
  }

  /// Lets a name be used again.
  mutating func free(_ name: String) { taken.remove(Name.folded(name)) }

  /// Takes the name of a table or index.
  mutating func take(_ name: String, isIndex: Bool) -> String {
    func isTaken(_ candidate: String) -> Bool {
      let folded = Name.folded(candidate)
      return isReserved(folded) || taken.contains(folded)
    }
    // What is reserved is how the name begins, so it gets another beginning.
    var name = isReserved(Name.folded(name)) ? "table_\(name)" : name
    if isIndex { name += "_index" }
    let physical = isTaken(name) ? Name.physical(name, isTaken: isTaken) : name
    taken.insert(Name.folded(physical))
    return physical
  }

  /// Takes a name for a table that stays for a moment.
  mutating func takeTemporary() -> String {
    var number = 0
    while !taken.insert("\(StoredCatalog.prefix)temporary_\(number)").inserted { number += 1 }
    return "\(StoredCatalog.prefix)temporary_\(number)"
  }

  private func isReserved(_ folded: String) -> Bool {
    folded.hasPrefix("sqlite_") || folded.hasPrefix(StoredCatalog.prefix)
  }
}

extension String {
  /// Whether two names are the same to SQLite, which compares bytes: `==` takes normal forms for
  /// equal.
  func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
