import Holdfast

extension ModelContent {
  /// A change of the schema.
  mutating func change(_ step: ModelStep) -> ModelExpectation {
    switch step {
    case .create(let definition): return create(definition)
    case .drop(let name):
      guard self[name] != nil else { return .fails([.unknownCollection]) }
      let isReferredTo = collections.contains { other in
        other.definition.name != name
          && other.definition.references.contains { $0.target == name }
      }
      if isReferredTo { return .fails([.referenceViolation]) }
      collections.removeAll { $0.definition.name == name }
      vague[name] = true
    case .rename(let name, let new):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      if name == new { return .done("done") }
      if !ModelRules.isName(new) { return .fails([.invalidName]) }
      if isTaken(new, except: collection.definition.name) { return .fails([.nameConflict]) }
      vague[name] = true
      vague[new] = true
      for index in collections.indices {
        if collections[index].definition.name == name { collections[index].definition.name = new }
        for place in collections[index].definition.references.indices
        where collections[index].definition.references[place].target == name {
          collections[index].definition.references[place].target = new
        }
      }
    case .alter(let name, let changes):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      return alter(collection, changes)
    default: break
    }
    schemaChanges += 1
    return .done("done")
  }

  private func isTaken(_ name: String, except kept: String?) -> Bool {
    collections.contains {
      $0.definition.name != kept && ModelRules.areAlike($0.definition.name, name)
    }
  }

  private mutating func create(_ definition: CollectionDefinition) -> ModelExpectation {
    var codes: [StorageError.Code] = []
    if isTaken(definition.name, except: nil) { codes.append(.nameConflict) }
    let completed = Self.completed(definition)
    codes += Self.faults(completed)
    if codes.isEmpty {
      var changed = self
      changed.collections.append(ModelCollection(definition: completed))
      if changed.hasWrongTarget { codes.append(.invalidSchema) } else { self = changed }
    }
    if !codes.isEmpty { return .fails(codes) }
    schemaChanges += 1
    return .done("done")
  }

  /// With the indexes that references bring.
  static func completed(_ definition: CollectionDefinition) -> CollectionDefinition {
    var completed = definition
    for reference in definition.references {
      let lists = [completed.key] + completed.indexes.map(\.fields)
      if lists.contains(where: { Array($0.prefix(reference.fields.count)) == reference.fields }) {
        continue
      }
      var name = reference.fields.joined(separator: "_")
      while completed.indexes.contains(where: { ModelRules.areAlike($0.name, name) }) {
        name += "_reference"
      }
      completed.indexes.append(IndexDefinition(reference.fields, name: name))
    }
    return completed
  }

  /// Whether a reference leads to a collection whose key is of other types.
  private var hasWrongTarget: Bool {
    collections.contains { collection in
      collection.definition.references.contains { reference in
        guard let target = self[reference.target] else { return false }
        let types = collection.positions(reference.fields).map {
          collection.definition.fields[$0].type
        }
        return types != target.keyPositions.map { target.definition.fields[$0].type }
      }
    }
  }

  private mutating func alter(_ collection: ModelCollection, _ changes: [SchemaChange])
    -> ModelExpectation
  {
    var edit = ModelEdit(collection)
    for change in changes {
      if let code = edit.apply(change) { return .fails([code]) }
    }
    let definition = Self.completed(edit.definition)
    let codes = Self.faults(definition)
    if !codes.isEmpty { return .fails(codes) }
    var altered = ModelCollection(definition: definition)
    altered.rows = edit.rows
    altered.lastKey = collection.lastKey
    altered.touched = collection.touched
    var changed = self
    changed[collection.definition.name] = altered
    if changed.hasWrongTarget { return .fails([.invalidSchema]) }
    let rowCodes = altered.rowFaults(edit, changed)
    if !rowCodes.isEmpty { return .fails(rowCodes) }
    if ModelStep.text(definition) != ModelStep.text(collection.definition)
      || ModelText.rows(altered.rows) != ModelText.rows(collection.rows)
    {
      changed.schemaChanges += 1
      changed.vague[collection.definition.name] = true
    } else if !changes.isEmpty {
      // What was changed and changed back may be told.
      changed.vague[collection.definition.name] = changed.vague[collection.definition.name] ?? false
    }
    self = changed
    return .done("done")
  }
}

extension ModelCollection {
  /// All codes with which rows may stand in the way of their new definition.
  fileprivate func rowFaults(_ edit: ModelEdit, _ content: ModelContent) -> [StorageError.Code] {
    var codes: [StorageError.Code] = edit.lossy.isEmpty ? [] : [.invalidValue]
    for (position, field) in definition.fields.enumerated()
    where !field.isOptional && rows.contains(where: { ModelRules.isNull($0[position]) }) {
      codes.append(.invalidValue)
    }
    for index in definition.indexes where index.isUnique {
      let positions = positions(index.fields)
      let values = rows.map { row in positions.map { row[$0] } }
        .filter { !$0.contains(where: ModelRules.isNull) }
      let sorted = values.sorted { Oracle.order($0, $1) < 0 }
      if zip(sorted, sorted.dropFirst()).contains(where: { Oracle.order($0, $1) == 0 }) {
        codes.append(.uniqueViolation)
      }
    }
    if rows.contains(where: { content.broken($0, self) != nil }) {
      codes.append(.referenceViolation)
    }
    return codes
  }
}
