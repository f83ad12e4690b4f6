import Holdfast

/// Brings the table of a collection into the form of another definition, inside a write transaction.
///
/// Names change in place, optional fields without a value are added in place and one field is dropped
/// in place; for everything else the table is made again, see ``TableRebuild``. Other tables'
/// declarations follow the names of the table and its key. No row of another table is touched.
struct TableRedefinition {
  private let connection: SQLiteConnection
  private let old: Collection
  private let new: Collection
  private let catalog: Catalog
  private let change: RowChange?
  /// The names that the table's columns have by now, in the order of the old fields.
  private var columns: [String]

  /// Prepares a change of `old` to `new`, which `catalog` holds already.
  init(
    _ connection: SQLiteConnection,
    from old: Collection,
    to new: Collection,
    _ catalog: Catalog,
    _ change: RowChange?
  ) {
    self.connection = connection
    self.old = old
    self.new = new
    self.catalog = catalog
    self.change = change
    columns = old.fields.map(\.name)
  }

  /// Makes the change.
  mutating func run() throws(StorageError) {
    let fresh = try dropIndexes()
    try renameTable()
    if let kept = columnsKeptInPlace {
      try changeColumns(keeping: kept)
      if try DeclaredReference.areCurrent(new, catalog, connection) {
        for index in fresh { try connection.createIndex(index, of: new) }
      } else {
        try TableRebuild(connection, new, catalog, columns: columns, nil).run()
      }
    } else {
      // Other tables' declarations, and what is someone else's, follow.
      let sources = change?.sources ?? old.fields.indices.map { .field($0) }
      try rename(
        sources.enumerated().compactMap { position, source in
          switch source {
          case .field(let column), .converted(let column, _): (column, position)
          case .value: nil
          }
        }
      )
      try TableRebuild(connection, new, catalog, columns: columns, change).run()
    }
  }

  /// Drops the indexes that do not stay, and returns those that are to be created.
  private func dropIndexes() throws(StorageError) -> [Collection.Index] {
    let kept = new.indexesKept(of: old, change)
    for index in old.indexes where !kept.contains(where: { $0?.id == index.id }) {
      var text = SQLText("DROP INDEX ")
      text.appendName(index.physicalName)
      try connection.run(text, "drop an index")
    }
    return zip(new.indexes, kept).filter { $0.1 == nil }.map(\.0)
  }

  private func renameTable() throws(StorageError) {
    if new.physicalName.hasBytes(of: old.physicalName) { return }
    var name = old.physicalName
    if Name.folded(name) == Name.folded(new.physicalName) {
      // SQLite finds a name taken that differs from the table's own in case only.
      var names = try PhysicalNames(connection)
      let temporary = names.takeTemporary()
      try connection.renameTable(name, to: temporary)
      name = temporary
    }
    try connection.renameTable(name, to: new.physicalName)
  }

  // MARK: Columns

  private func origin(of position: Int) -> Int? {
    guard let change else { return position }
    return change.sources[position].origin
  }

  /// The positions of the old fields that stay, where the rest are new optional fields at the end and
  /// at most one field goes; nil if that is not all.
  private var columnsKeptInPlace: [Int]? {
    var kept: [Int] = []
    for position in new.fields.indices {
      if position == kept.count, let origin = origin(of: position) {
        guard origin > kept.last ?? -1,
          TableDefinition.rules(position, of: new) == TableDefinition.rules(origin, of: old)
        else { return nil }
        kept.append(origin)
      } else {
        guard change?.sources[position] == .value(.null), new.fields[position].isOptional else {
          return nil
        }
      }
    }
    guard new.keyPositions.map({ origin(of: $0) }) == old.keyPositions else { return nil }
    let dropped = old.fields.indices.filter { !kept.contains($0) }
    let isInTableConstraint = old.references.contains { reference in
      reference.positions.count > 1 && dropped.contains { reference.positions.contains($0) }
    }
    return dropped.count > 1 || isInTableConstraint ? nil : kept
  }

  private mutating func changeColumns(keeping kept: [Int]) throws(StorageError) {
    if let dropped = old.fields.indices.first(where: { !kept.contains($0) }) {
      var text = SQLText("ALTER TABLE ")
      text.appendName(new.physicalName)
      text.append(" DROP COLUMN ")
      text.appendName(columns[dropped])
      try connection.run(text, "drop a column")
      columns.remove(at: dropped)
    }
    try rename(kept.indices.map { ($0, $0) })
    for position in kept.count..<new.fields.count {
      var text = SQLText("ALTER TABLE ")
      text.appendName(new.physicalName)
      text.append(" ADD COLUMN ")
      text.append(TableDefinition.column(position, of: new, in: catalog))
      try connection.run(text, "add a column")
      columns.append(new.fields[position].name)
    }
  }

  /// Gives columns the names of new fields; a column that has such a name and goes on under another
  /// steps aside.
  private mutating func rename(_ pairs: [(column: Int, field: Int)]) throws(StorageError) {
    for (column, field) in pairs {
      let name = new.fields[field].name
      if columns[column].hasBytes(of: name) { continue }
      let folded = Name.folded(name)
      if let other = columns.firstIndex(where: { Name.folded($0) == folded }), other != column {
        try rename(other, to: unusedName)
      }
      try rename(column, to: name)
    }
  }

  private mutating func rename(_ column: Int, to name: String) throws(StorageError) {
    var text = SQLText("ALTER TABLE ")
    text.appendName(new.physicalName)
    text.append(" RENAME COLUMN ")
    text.appendName(columns[column])
    text.append(" TO ")
    text.appendName(name)
    try connection.run(text, "rename a column")
    columns[column] = name
  }

  /// A name that no column has, and no field will.
  private var unusedName: String {
    let names = Set((columns + new.fields.map(\.name)).map { Name.folded($0) })
    var number = 0
    while names.contains("column_\(number)") { number += 1 }
    return "column_\(number)"
  }
}

extension RowChange.Source {
  /// The position of the old field that goes on as it is; nil for everything else.
  var origin: Int? {
    if case .field(let position) = self { return position }
    return nil
  }
}

extension Collection {
  /// For each index the one of the collection before a change that holds the same columns, if there is
  /// one: rather that of its name, else one of another name.
  func indexesKept(of old: Collection, _ change: RowChange?) -> [Index?] {
    var rest = old.indexes
    func take(_ index: Index, where isRight: (Index) -> Bool) -> Index? {
      let origins = index.positions.map { position in
        if let change { change.sources[position].origin } else { position }
      }
      let found = rest.firstIndex {
        $0.definition.isUnique == index.definition.isUnique
          && $0.positions.map(Optional.some) == origins && isRight($0)
      }
      return found.map { rest.remove(at: $0) }
    }
    let named = indexes.map { index in
      take(index) { $0.definition.name == index.definition.name }
    }
    return zip(indexes, named).map { index, named in named ?? take(index) { _ in true } }
  }
}
