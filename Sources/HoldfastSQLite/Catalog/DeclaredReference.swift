import Holdfast

/// A reference as a table declares it.
///
/// The core enforces references on every backend, and the connections of a store leave SQLite's own
/// enforcement off. The declarations are for other readers of the database: they say what refers to
/// what, and let `PRAGMA foreign_key_check` look.
struct DeclaredReference: Equatable {
  /// The referring columns, quoted.
  let columns: SQLText
  /// `REFERENCES "table" ("key") ON DELETE …`.
  let clause: SQLText

  private init(_ columns: [String], table: String, key: [String], onDelete: String) {
    var clause = SQLText("REFERENCES ")
    clause.appendName(table)
    clause.append(" (")
    clause.append(Self.list(key))
    clause.append(") ON DELETE \(onDelete)")
    self.columns = Self.list(columns)
    self.clause = clause
  }

  /// The declaration of a reference; nil while the catalog has no such target.
  init?(_ reference: ReferenceDefinition, in catalog: Catalog) {
    guard let target = catalog.collection(named: reference.target),
      target.definition.key.count == reference.fields.count
    else { return nil }
    let rule =
      switch reference.onDelete {
      case .restrict: "RESTRICT"
      case .cascade: "CASCADE"
      case .setNull: "SET NULL"
      }
    self.init(
      reference.fields,
      table: target.physicalName,
      key: target.definition.key,
      onDelete: rule
    )
  }

  /// Whether a collection's table declares its references and no others.
  ///
  /// Of a reference without a target it does not matter what is declared: when the target is renamed,
  /// SQLite changes the declaration with it.
  static func areCurrent(
    _ collection: Collection,
    _ catalog: Catalog,
    _ connection: SQLiteConnection
  )
    throws(StorageError) -> Bool
  {
    var declared = try all(of: collection.physicalName, connection)
    for reference in collection.definition.references {
      let columns = list(reference.fields)
      let position = declared.firstIndex { $0.columns == columns }
      if let wanted = DeclaredReference(reference, in: catalog) {
        guard let position, declared[position] == wanted else { return false }
      }
      if let position { declared.remove(at: position) }
    }
    return declared.isEmpty
  }

  private static func all(of table: String, _ connection: SQLiteConnection) throws(StorageError)
    -> [DeclaredReference]
  {
    let rows = try connection.rows(
      "SELECT \"id\", \"table\", \"from\", \"to\", \"on_delete\" FROM pragma_foreign_key_list(?1) "
        + "ORDER BY \"id\", \"seq\"",
      "read the schema",
      [.text(table)]
    )
    var declared: [DeclaredReference] = []
    var start = 0
    while start < rows.count {
      let end = rows[start...].firstIndex { $0[0] != rows[start][0] } ?? rows.count
      let parts = rows[start..<end]
      declared.append(
        DeclaredReference(
          parts.map { $0[2].name },
          table: rows[start][1].name,
          key: parts.map { $0[3].name },
          onDelete: rows[start][4].name
        )
      )
      start = end
    }
    return declared
  }

  private static func list(_ names: [String]) -> SQLText {
    var text = SQLText()
    text.appendNames(names)
    return text
  }
}

extension Value {
  /// The text of a value that names something; empty if it is no text.
  var name: String {
    if case .text(let name) = self { return name }
    return ""
  }
}
