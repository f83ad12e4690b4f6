import Foundation
import Holdfast

/// The making of a collection's definition from a table, without references.
struct ForeignDefinition {
  private let table: ForeignTable
  private let database: ForeignDatabase
  private(set) var notes: [String] = []
  /// The columns whose values must stay what they are, since keys, references or uniqueness rest on
  /// them.
  private let bound: Set<String>

  init(_ table: ForeignTable, in database: ForeignDatabase) {
    self.table = table
    self.database = database
    let unique = table.indexes.filter(\.isUnique).flatMap(\.columns)
    bound = Set(table.key + unique + table.references.flatMap(\.columns))
  }

  private mutating func note(_ text: String) { notes.append("table \(table.name): \(text)") }

  /// The table with its collection.
  mutating func entry() throws(StorageError) -> ForeignPlan.Entry {
    var fields: [FieldDefinition] = []
    for column in table.columns {
      var field = FieldDefinition(
        column.name,
        try type(of: column),
        optional: !column.isRequired || column.content.nulls > 0
      )
      if column.isGenerated {
        note("column \(column.name) is computed there; here it keeps the values that it has")
      }
      field.defaultValue = defaultValue(of: column, field)
      if field.type == .any { note("column \(column.name) holds several kinds of values") }
      fields.append(field)
    }
    var definition = CollectionDefinition(table.name, fields: fields, key: table.key)
    let obstacle = try keyObstacle(definition)
    if let obstacle {
      addKey(to: &definition, obstacle)
    } else {
      definition.hasAutomaticKey = table.isKeyRowid
      for position in definition.fields.indices
      where table.key.contains(definition.fields[position].name) {
        definition.fields[position].isOptional = false
        if table.isKeyRowid { definition.fields[position].defaultValue = nil }
      }
      if table.hasKeyCollation { note("its key compares text by bytes from now on") }
    }
    if table.hasCheck { note("what it checks of its values is left out") }
    addIndexes(to: &definition)
    return ForeignPlan.Entry(
      table: table,
      definition: definition,
      hasAddedKey: obstacle != nil
    )
  }

  // MARK: Types

  private func type(of column: ForeignTable.Column) throws(StorageError) -> FieldType {
    let content = column.content
    let declared = column.declared
    let isBound = bound.contains(column.name)
    let isReal = ["REAL", "FLOA", "DOUB", "DEC", "NUM"].contains { declared.contains($0) }
    switch (content.integers > 0, content.reals > 0, content.texts > 0, content.blobs > 0) {
    case (false, false, false, false): return declaredType(declared, isBound: isBound)
    case (true, false, false, false):
      if declared.contains("BOOL"), content.isBool, !isBound { return .bool }
      return isReal && !isBound && !content.hasExactIntegers ? .real : .integer
    case (false, true, false, false): return .real
    case (true, true, false, false): return content.hasExactIntegers ? .any : .real
    case (false, false, true, false):
      let isDate = declared.contains("DATE") || declared.contains("TIMESTAMP")
      if !isDate || isBound { return .text }
      return try holdsDates(column) ? .date : .text
    case (false, false, false, true): return .blob
    default: return .any
    }
  }

  /// The type of a column without values.
  private func declaredType(_ declared: String, isBound: Bool) -> FieldType {
    if declared.contains("INT") { return .integer }
    if declared.contains("CHAR") || declared.contains("CLOB") || declared.contains("TEXT") {
      return .text
    }
    if declared.contains("BLOB") { return .blob }
    if declared.contains("BOOL") { return isBound ? .integer : .bool }
    if declared.contains("DATE") || declared.contains("TIMESTAMP") {
      return isBound ? .text : .date
    }
    let isReal = ["REAL", "FLOA", "DOUB", "DEC", "NUM"].contains { declared.contains($0) }
    return isReal ? .real : .text
  }

  private func holdsDates(_ column: ForeignTable.Column) throws(StorageError) -> Bool {
    var text = SQLText("SELECT ")
    text.appendName(column.name)
    text.append(" FROM ")
    text.appendName(table.name)
    let statement = try database.connection.prepare(text, "read table \(table.name)")
    while try statement.step() {
      let row = try statement.row()
      if row.isNull(0) { continue }
      if ForeignDate.canonical(row.bytes(0)) == nil { return false }
    }
    return true
  }

  // MARK: Defaults

  private mutating func defaultValue(
    of column: ForeignTable.Column,
    _ field: FieldDefinition
  ) -> Value? {
    guard let text = column.defaultText, !column.isGenerated else { return nil }
    guard let literal = SQLLiteral.value(of: text) else {
      note("the default of column \(column.name) is computed, and left out")
      return nil
    }
    if literal == .null { return nil }
    if let value = stored(literal, field) { return value }
    note("the default of column \(column.name) is of another kind than its values, and left out")
    return nil
  }

  /// A default as the field stores it; nil if it does not fit.
  private func stored(_ literal: Value, _ field: FieldDefinition) -> Value? {
    if field.type == .date {
      guard case .text(var date) = literal else { return nil }
      return date.withUTF8 { ForeignDate.canonical(UnsafeRawBufferPointer($0)) }.map { .text($0) }
    }
    let value = field.lenient(literal)
    if field.type == .bool { return [.integer(0), .integer(1)].contains(value) ? value : nil }
    return (field.type.storedKind ?? value.kind) == value.kind ? value : nil
  }

  // MARK: Keys

  /// Why the primary key cannot be the collection's; nil if it can.
  private func keyObstacle(_ definition: CollectionDefinition) throws(StorageError) -> String? {
    if table.key.isEmpty { return "it has no primary key" }
    var longest = 0
    for column in table.columns where table.key.contains(column.name) {
      if column.content.nulls > 0 { return "its primary key has nulls" }
      if definition.type(of: column.name) == .any {
        return "its primary key holds several kinds of values"
      }
      // A zero byte takes two, and text may be stored in UTF-16.
      longest += column.content.longest * 2 + 12
    }
    if longest <= KeyCoding.maximumKeyLength { return nil }
    return try hasLongKeys(definition) ? "its primary key is too long" : nil
  }

  private func hasLongKeys(_ definition: CollectionDefinition) throws(StorageError) -> Bool {
    var text = SQLText("SELECT ")
    text.appendNames(table.key)
    text.append(" FROM ")
    text.appendName(table.name)
    let statement = try database.connection.prepare(text, "read table \(table.name)")
    while try statement.step() {
      let row = try statement.row()
      var length = 0
      for position in 0..<row.count { length += KeyCoding.encodedLength(row, position) }
      if length > KeyCoding.maximumKeyLength { return true }
    }
    return false
  }

  private mutating func addKey(to definition: inout CollectionDefinition, _ reason: String) {
    let taken = Set(definition.fields.map { Name.folded($0.name) })
    var name = "id"
    var number = 1
    while taken.contains(name) {
      name = number == 1 ? "rowid" : "rowid\(number)"
      number += 1
    }
    note("\(reason), so that its rows get the key \(name)")
    definition.fields.insert(FieldDefinition(name, .integer), at: 0)
    definition.key = [name]
    definition.hasAutomaticKey = true
    if table.key.isEmpty { return }
    add(
      ForeignTable.Index(name: "sqlite_key", columns: table.key, isUnique: true, obstacle: nil),
      to: &definition
    )
  }

  // MARK: Indexes

  private mutating func addIndexes(to definition: inout CollectionDefinition) {
    for index in table.indexes { add(index, to: &definition) }
  }

  private mutating func add(_ index: ForeignTable.Index, to definition: inout CollectionDefinition)
  {
    var obstacle = index.obstacle
    for column in index.columns where definition.type(of: column) == .any {
      obstacle = "column \(column) holds several kinds of values"
    }
    if Set(index.columns).count < index.columns.count { obstacle = "it has a column twice" }
    if let obstacle {
      note("\(label(of: index)) is left out: \(obstacle)")
      return
    }
    let isThere = definition.indexes.contains {
      $0.fields == index.columns && $0.isUnique == index.isUnique
    }
    if isThere || (index.columns == definition.key && index.isUnique) { return }
    if index.hasCollation { note("\(label(of: index)) compares text by bytes from now on") }
    definition.indexes.append(
      IndexDefinition(index.columns, unique: index.isUnique, name: name(of: index, definition))
    )
  }

  /// What an index is called in notes; those of constraints have no name that people gave them.
  private func label(of index: ForeignTable.Index) -> String {
    Name.folded(index.name).hasPrefix("sqlite_")
      ? "the uniqueness of \(index.columns.joined(separator: ", "))" : "index \(index.name)"
  }

  private func name(of index: ForeignTable.Index, _ definition: CollectionDefinition) -> String {
    let taken = Set(definition.indexes.map { Name.folded($0.name) })
    func isFree(_ name: String) -> Bool {
      let isValid = (try? Name.validate(name, of: "index")) != nil
      return isValid && !taken.contains(Name.folded(name))
    }
    let own = Name.folded(index.name).hasPrefix("sqlite_") ? nil : index.name
    let candidates = [own, index.columns.joined(separator: "_")].compactMap { $0 }
    if let free = candidates.first(where: isFree) { return free }
    var number = 1
    while !isFree("index\(number)") { number += 1 }
    return "index\(number)"
  }
}
