import Holdfast

/// The SQL that creates a collection's table and indexes.
///
/// A reference is declared on its column, or below the columns if it has several fields, as soon as
/// its target has a table.
enum TableDefinition {
  /// `CREATE TABLE`, under a name that need not be the collection's own.
  static func table(_ collection: Collection, named name: String, in catalog: Catalog) -> SQLText {
    var text = SQLText("CREATE TABLE ")
    text.appendName(name)
    text.append(" (")
    for position in collection.fields.indices {
      text.append(position == 0 ? "\n  " : ",\n  ")
      text.append(column(position, of: collection, in: catalog))
    }
    if !isRowNumber(collection) {
      text.append(",\n  PRIMARY KEY (")
      text.appendFields(collection.keyPositions, of: collection)
      text.append(")")
    }
    for reference in collection.definition.references where reference.fields.count > 1 {
      guard let declared = DeclaredReference(reference, in: catalog) else { continue }
      text.append(",\n  FOREIGN KEY (")
      text.append(declared.columns)
      text.append(") ")
      text.append(declared.clause)
    }
    text.append("\n) STRICT")
    return text
  }

  /// A column with its name, type, rules and reference.
  static func column(_ position: Int, of collection: Collection, in catalog: Catalog) -> SQLText {
    let field = collection.fields[position]
    var text = SQLText()
    text.appendName(field.name)
    text.append(" \(rules(position, of: collection))")
    for reference in collection.references where reference.positions == [position] {
      guard let declared = DeclaredReference(reference.definition, in: catalog) else { continue }
      text.append(" ")
      text.append(declared.clause)
    }
    return text
  }

  /// A column's type, and what it takes.
  static func rules(_ position: Int, of collection: Collection) -> String {
    let field = collection.fields[position]
    let type = column(field.type)
    if isRowNumber(collection), collection.keyPositions[0] == position {
      return "\(type) PRIMARY KEY\(collection.definition.hasAutomaticKey ? " AUTOINCREMENT" : "")"
    }
    return field.isOptional ? type : "\(type) NOT NULL"
  }

  /// `CREATE INDEX`.
  static func index(_ index: Collection.Index, of collection: Collection) -> SQLText {
    var text = SQLText(index.definition.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
    text.appendName(index.physicalName)
    text.append(" ON ")
    text.appendName(collection.physicalName)
    text.append(" (")
    text.appendFields(columns(of: index, collection), of: collection)
    text.append(")")
    return text
  }

  /// The positions of the fields that an index holds.
  ///
  /// Ties are ordered by the key. SQLite's indexes end with the row number: where the key is
  /// something else it goes in by name, unless that would change what is unique.
  static func columns(of index: Collection.Index, _ collection: Collection) -> [Int] {
    if index.definition.isUnique || isRowNumber(collection) { return index.positions }
    return index.positions + collection.keyPositions.filter { !index.positions.contains($0) }
  }

  /// Whether the key is the table's own row number.
  private static func isRowNumber(_ collection: Collection) -> Bool {
    collection.keyPositions.count == 1
      && collection.fields[collection.keyPositions[0]].type.storedKind == .integer
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
