public import Holdfast

extension SQLiteWriter {
  /// Creates a collection with its indexes: a strict table with a typed column for each field.
  ///
  /// - Throws: `StorageError.Code.nameConflict`, `StorageError.Code.invalidName`,
  ///   `StorageError.Code.invalidSchema`; what SQLite reports. Nothing is created then.
  public func createCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    try checkOpen()
    closeCursors()
    var taken = Set<String>()
    let names = try connection.rows("SELECT \"name\" FROM sqlite_schema", "read the schema")
    for case .text(let name) in names.map({ $0[0] }) { taken.insert(Name.folded(name)) }
    var changed = catalog
    let collection = try changed.add(definition) { name, _, isIndex in
      let physical = Self.physicalName(isIndex ? "\(name)_index" : name, taken)
      taken.insert(Name.folded(physical))
      return physical
    }
    hasSchemaChanges = true
    try beginSavepoint()
    do throws(StorageError) {
      for statement in TableDefinition.statements(collection) {
        try connection.prepare(statement, "create a table").run("create a table")
      }
      try StoredCatalog.add(collection, changed, connection)
    } catch {
      try rollbackSavepoint()
      throw error
    }
    try releaseSavepoint()
    connection.setCatalog(changed)
    return collection
  }

  /// The name of a table or index: a person's own where SQLite takes it.
  ///
  /// Tables and indexes share one set of names.
  private static func physicalName(_ name: String, _ taken: Set<String>) -> String {
    func isReserved(_ folded: String) -> Bool {
      folded.hasPrefix("sqlite_") || folded.hasPrefix(StoredCatalog.prefix)
    }
    func isTaken(_ candidate: String) -> Bool {
      let folded = Name.folded(candidate)
      return isReserved(folded) || taken.contains(folded)
    }
    // What is reserved is how the name begins, so it gets another beginning.
    let name = isReserved(Name.folded(name)) ? "table_\(name)" : name
    return isTaken(name) ? Name.physical(name, isTaken: isTaken) : name
  }
}

/// The SQL that creates a collection.
enum TableDefinition {
  /// The statements, in order.
  static func statements(_ collection: Collection) -> [SQLText] {
    [table(collection)] + collection.indexes.map { index($0, collection) }
  }

  /// Whether the key is the table's own row number.
  private static func isRowNumber(_ collection: Collection) -> Bool {
    collection.keyPositions.count == 1
      && collection.fields[collection.keyPositions[0]].type.storedKind == .integer
  }

  private static func table(_ collection: Collection) -> SQLText {
    var text = SQLText("CREATE TABLE ")
    text.appendName(collection.physicalName)
    text.append(" (")
    for (position, field) in collection.fields.enumerated() {
      text.append(position == 0 ? "\n  " : ",\n  ")
      text.appendName(field.name)
      text.append(" \(column(field.type))")
      if isRowNumber(collection), collection.keyPositions[0] == position {
        text.append(" PRIMARY KEY")
        if collection.definition.hasAutomaticKey { text.append(" AUTOINCREMENT") }
      } else if !field.isOptional {
        text.append(" NOT NULL")
      }
    }
    if !isRowNumber(collection) {
      text.append(",\n  PRIMARY KEY (")
      text.appendFields(collection.keyPositions, of: collection)
      text.append(")")
    }
    text.append("\n) STRICT")
    return text
  }

  private static func index(_ index: Collection.Index, _ collection: Collection) -> SQLText {
    var text = SQLText(index.definition.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
    text.appendName(index.physicalName)
    text.append(" ON ")
    text.appendName(collection.physicalName)
    text.append(" (")
    var positions = index.positions
    // Ties are ordered by the key. SQLite's indexes end with the row number: where the key is
    // something else it goes in by name, unless that would change what is unique.
    if !index.definition.isUnique, !isRowNumber(collection) {
      positions += collection.keyPositions.filter { !positions.contains($0) }
    }
    text.appendFields(positions, of: collection)
    text.append(")")
    return text
  }

  /// The column type of a strict table.
  private static func column(_ type: FieldType) -> String {
    switch type.storedKind {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .null, nil: "ANY"
    }
  }
}
