import CSQLite
import Holdfast

/// A table of another program's database: its declaration, and what its columns really hold.
package struct ForeignTable {
  /// A column.
  struct Column {
    var name: String
    /// The declared type, in capital letters.
    var declared: String
    var isRequired: Bool
    /// The default, as SQL.
    var defaultText: String?
    var isGenerated: Bool
    /// What its values are.
    var content = Content()
  }

  /// What the values of a column are.
  struct Content {
    var nulls = 0
    var integers = 0
    var reals = 0
    var texts = 0
    var blobs = 0
    /// Whether all integers are 0 or 1.
    var isBool = true
    /// Whether some integers have no equal double.
    var hasExactIntegers = false
    /// The length of the longest text or blob, in bytes.
    var longest = 0
  }

  /// An index, by the names of its columns.
  struct Index {
    var name: String
    var columns: [String]
    var isUnique: Bool
    /// Why it cannot be taken over.
    var obstacle: String?
    /// Whether it orders text otherwise than by bytes.
    var hasCollation = false
  }

  /// A foreign key.
  struct Reference {
    var columns: [String]
    var target: String
    /// The target's columns; empty for its primary key.
    var targetColumns: [String]
    var onDelete: String
  }

  /// The table's name.
  package let name: String
  private(set) var columns: [Column] = []
  /// The columns of the primary key, in its order.
  private(set) var key: [String] = []
  private(set) var indexes: [Index] = []
  private(set) var references: [Reference] = []
  /// The name under which the rowid can be read; nil if there is none.
  private(set) var rowidName: String?
  /// Whether the primary key is the rowid under another name.
  private(set) var isKeyRowid = false
  /// Whether the primary key compares text otherwise than by bytes.
  private(set) var hasKeyCollation = false
  /// Whether it has constraints that check its values.
  private(set) var hasCheck = false
  /// How many rows there are.
  package private(set) var count = 0

  init(_ name: String, hasRowid: Bool, in connection: SQLiteConnection) throws(StorageError) {
    self.name = name
    try readColumns(connection)
    try readIndexes(connection, hasRowid)
    try readReferences(connection)
    if hasRowid {
      let taken = Set(columns.map { Name.folded($0.name) })
      rowidName = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }
    try readContent(connection)
  }

  // MARK: Declaration

  private mutating func readColumns(_ connection: SQLiteConnection) throws(StorageError) {
    var keyed: [(order: Int64, name: String)] = []
    let rows = try connection.rows(
      "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)",
      "read",
      [.text(name)]
    )
    for row in rows {
      guard case .text(let column) = row[0], case .integer(let hidden) = row[5] else { continue }
      var defaultText: String?
      if case .text(let text) = row[3] { defaultText = text }
      var declared = ""
      if case .text(let text) = row[1] { declared = text.uppercased() }
      columns.append(
        Column(
          name: column,
          declared: declared,
          isRequired: row[2] != .integer(0),
          defaultText: defaultText,
          isGenerated: hidden == 2 || hidden == 3
        )
      )
      if case .integer(let order) = row[4], order > 0 { keyed.append((order, column)) }
    }
    key = keyed.sorted { $0.order < $1.order }.map(\.name)
    let definition = try connection.rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
      "read",
      [.text(name)]
    )
    guard case .text(let sql)? = definition.first?.first else { return }
    hasCheck = SQLWords.words(of: sql).contains("CHECK")
  }

  private mutating func readIndexes(
    _ connection: SQLiteConnection,
    _ hasRowid: Bool
  ) throws(StorageError) {
    let rows = try connection.rows(
      "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?1) ORDER BY seq DESC",
      "read",
      [.text(name)]
    )
    var hasKeyIndex = false
    for row in rows {
      guard case .text(let index) = row[0] else { continue }
      var found = Index(name: index, columns: [], isUnique: row[1] != .integer(0))
      if row[3] != .integer(0) { found.obstacle = "it covers only some rows" }
      let parts = try connection.rows(
        "SELECT cid, name, coll FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno",
        "read",
        [.text(index)]
      )
      for part in parts {
        if case .text(let collation) = part[2], Name.folded(collation) != "binary" {
          found.hasCollation = true
        }
        guard case .text(let column) = part[1] else {
          found.obstacle = "it is over an expression"
          continue
        }
        found.columns.append(column)
      }
      if row[2] == .text("pk") {
        hasKeyIndex = true
        hasKeyCollation = found.hasCollation
      } else {
        indexes.append(found)
      }
    }
    // The rowid needs no index of its own to be the key.
    isKeyRowid = hasRowid && key.count == 1 && !hasKeyIndex
  }

  private mutating func readReferences(_ connection: SQLiteConnection) throws(StorageError) {
    let rows = try connection.rows(
      "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1) "
        + "ORDER BY id DESC, seq",
      "read",
      [.text(name)]
    )
    var last: Value?
    for row in rows {
      guard case .text(let target) = row[1], case .text(let column) = row[2] else { continue }
      if row[0] != last {
        var rule = ""
        if case .text(let text) = row[4] { rule = text.uppercased() }
        references.append(
          Reference(columns: [], target: target, targetColumns: [], onDelete: rule)
        )
        last = row[0]
      }
      let position = references.count - 1
      references[position].columns.append(actual(column))
      if case .text(let targetColumn) = row[3] {
        references[position].targetColumns.append(targetColumn)
      }
    }
  }

  /// A column's name as it was declared: SQL does not tell capital letters from small ones.
  func actual(_ column: String) -> String {
    columns.first { Name.folded($0.name) == Name.folded(column) }?.name ?? column
  }

  // MARK: Content

  /// Looks at the kinds of all values, some columns at a time.
  private mutating func readContent(_ connection: SQLiteConnection) throws(StorageError) {
    let group = 100
    for start in stride(from: 0, to: columns.count, by: group) {
      let range = start..<min(start + group, columns.count)
      var text = SQLText("SELECT count(*)")
      for position in range {
        var column = SQLText()
        column.appendName(columns[position].name)
        for kind in ["null", "integer", "real", "text", "blob"] {
          text.append(", total(typeof(")
          text.append(column)
          text.append(") = '\(kind)')")
        }
        text.append(", min(CASE WHEN typeof(")
        text.append(column)
        text.append(") = 'integer' THEN ")
        text.append(column)
        text.append(" END), max(CASE WHEN typeof(")
        text.append(column)
        text.append(") = 'integer' THEN ")
        text.append(column)
        text.append(" END), max(CASE WHEN typeof(")
        text.append(column)
        text.append(") IN ('text', 'blob') THEN length(CAST(")
        text.append(column)
        text.append(" AS BLOB)) END)")
      }
      text.append(" FROM ")
      text.appendName(name)
      let statement = try connection.prepare(text, "read table \(name)")
      guard try statement.step() else { continue }
      let row = try statement.row()
      count = Int(row.integer(0))
      for (offset, position) in range.enumerated() {
        columns[position].content = Content(row, at: 1 + offset * 8)
      }
      statement.reset()
    }
  }
}

extension ForeignTable.Content {
  /// The largest integer below which every one has an equal double.
  private static let exactLimit: Int64 = 1 << 53

  fileprivate init(_ row: RowView, at start: Int) {
    nulls = Int(row.real(start))
    integers = Int(row.real(start + 1))
    reals = Int(row.real(start + 2))
    texts = Int(row.real(start + 3))
    blobs = Int(row.real(start + 4))
    if integers > 0 {
      let (least, most) = (row.integer(start + 5), row.integer(start + 6))
      isBool = least >= 0 && most <= 1
      hasExactIntegers = least < -Self.exactLimit || most > Self.exactLimit
    }
    longest = row.isNull(start + 7) ? 0 : Int(row.integer(start + 7))
  }
}
