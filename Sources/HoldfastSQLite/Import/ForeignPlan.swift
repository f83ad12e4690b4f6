import Foundation
package import Holdfast

/// How the tables of another program's database become collections.
///
/// Every row is taken. What has no equal here is left out, with a note that says why: a part of an
/// index or a reference that would not hold, a default that is computed.
package struct ForeignPlan {
  /// A table with the collection that it becomes.
  package struct Entry {
    package let table: ForeignTable
    package internal(set) var definition: CollectionDefinition
    /// Whether the key is a field that the table does not have, its rowid or a fresh number.
    var hasAddedKey: Bool
  }

  /// The tables, in order of creation.
  package private(set) var entries: [Entry] = []
  /// What is left out or differs: one line each.
  package private(set) var notes: [String]
  private let database: ForeignDatabase

  /// Plans the import of some tables, or of all.
  ///
  /// - Throws: `StorageError.Code.unknownCollection` for a name that is no table's;
  ///   `StorageError.Code.invalidName`, `StorageError.Code.invalidSchema` for what cannot be a
  ///   collection; `StorageError.Code.corrupt`.
  package init(_ database: ForeignDatabase, tables names: [String]? = nil) throws(StorageError) {
    self.database = database
    notes = names == nil ? database.notes : []
    for name in names ?? [] where !database.tables.contains(where: { $0.name == name }) {
      throw StorageError(
        .unknownCollection,
        "\(database.path) has no table \(name); it has "
          + database.tables.map(\.name).joined(separator: ", ")
      )
    }
    for table in database.tables where names?.contains(table.name) ?? true {
      var draft = ForeignDefinition(table, in: database)
      let entry = try draft.entry()
      notes += draft.notes
      entries.append(entry)
    }
    for position in entries.indices { try addReferences(to: position) }
    for entry in entries {
      do throws(StorageError) {
        try entry.definition.validate()
      } catch {
        var error = error
        error.message += "; leave table \(entry.table.name) out"
        throw error
      }
    }
  }

  // MARK: References

  private mutating func addReferences(to position: Int) throws(StorageError) {
    let entry = entries[position]
    for reference in entry.table.references {
      let columns = reference.columns.joined(separator: ", ")
      let what = "the reference of table \(entry.table.name) over \(columns)"
      switch try definition(of: reference, in: entry) {
      case .success(let definition):
        entries[position].definition.references.append(definition)
        if reference.onDelete == "SET DEFAULT" || definition.onDelete != rule(reference) {
          notes.append("\(what) refuses deletions, for want of \(reference.onDelete)")
        }
      case .failure(let obstacle): notes.append("\(what) is left out: \(obstacle.reason)")
      }
    }
  }

  private struct Obstacle: Error {
    var reason: String
  }

  private func rule(_ reference: ForeignTable.Reference) -> DeleteRule {
    switch reference.onDelete {
    case "CASCADE": .cascade
    case "SET NULL": .setNull
    default: .restrict
    }
  }

  private func definition(
    of reference: ForeignTable.Reference,
    in entry: Entry
  ) throws(StorageError) -> Result<ReferenceDefinition, Obstacle> {
    func refuse(_ reason: String) -> Result<ReferenceDefinition, Obstacle> {
      .failure(Obstacle(reason: reason))
    }
    let folded = Name.folded(reference.target)
    guard let target = entries.first(where: { Name.folded($0.table.name) == folded }) else {
      return refuse("there is no table \(reference.target) in the import")
    }
    var targetColumns = reference.targetColumns.map { target.table.actual($0) }
    if targetColumns.isEmpty { targetColumns = target.table.key }
    guard targetColumns.count == reference.columns.count,
      Set(targetColumns) == Set(target.definition.key), !target.hasAddedKey
    else { return refuse("it does not lead to the key of \(target.table.name)") }
    // In the order of the target's key.
    let fields = target.definition.key.compactMap { key in
      targetColumns.firstIndex(of: key).map { reference.columns[$0] }
    }
    guard !entry.definition.references.contains(where: { $0.fields == fields }) else {
      return refuse("there is one over the same columns")
    }
    for (field, key) in zip(fields, target.definition.key) {
      guard let type = entry.definition.type(of: field), type != .any,
        type == target.definition.type(of: key)
      else {
        return refuse("\(field) holds other kinds of values than \(key) of \(target.table.name)")
      }
    }
    let broken = try brokenCount(fields, of: entry.table, to: target)
    guard broken == 0 else { return refuse("\(broken) rows refer to none") }
    var rule = rule(reference)
    let canBeNull = fields.allSatisfy { field in
      !entry.definition.key.contains(field)
        && entry.definition.fields.contains { $0.name == field && $0.isOptional }
    }
    if rule == .setNull, !canBeNull { rule = .restrict }
    return .success(ReferenceDefinition(fields, to: target.table.name, onDelete: rule))
  }

  /// How many rows refer to no row, compared by kind and bytes.
  private func brokenCount(
    _ fields: [String],
    of table: ForeignTable,
    to target: Entry
  ) throws(StorageError) -> Int {
    var text = SQLText("SELECT count(*) FROM ")
    text.appendName(table.name)
    text.append(" AS c WHERE ")
    for field in fields {
      text.append("c.")
      text.appendName(field)
      text.append(" IS NOT NULL AND ")
    }
    text.append("NOT EXISTS (SELECT 1 FROM ")
    text.appendName(target.table.name)
    text.append(" AS p WHERE ")
    for (position, (field, key)) in zip(fields, target.definition.key).enumerated() {
      if position > 0 { text.append(" AND ") }
      var pair = (SQLText("p."), SQLText("c."))
      pair.0.appendName(key)
      pair.1.appendName(field)
      // The first finds it by an index of any collation, the others make sure.
      text.append(pair.0)
      text.append(" = ")
      text.append(pair.1)
      text.append(" AND ")
      text.append(pair.0)
      text.append(" = ")
      text.append(pair.1)
      text.append(" COLLATE BINARY AND typeof(")
      text.append(pair.0)
      text.append(") = typeof(")
      text.append(pair.1)
      text.append(")")
    }
    text.append(")")
    let statement = try database.connection.prepare(text, "read table \(table.name)")
    guard try statement.step() else { return 0 }
    return Int(try statement.row().integer(0))
  }
}

extension CollectionDefinition {
  /// The type of the field of that name.
  func type(of field: String) -> FieldType? { fields.first { $0.name == field }?.type }
}
