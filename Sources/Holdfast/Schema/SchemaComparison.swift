/// What a collection in the store lacks to be as a model declares it.
///
/// Fields and indexes are compared by name and content, in any order. A plain index that is in the
/// store only is nobody's fault.
struct SchemaComparison {
  /// The collection as it is declared.
  let declared: CollectionDefinition
  /// What only adds to the store: made without being asked for.
  private(set) var additions: [SchemaChange] = []
  /// What changes or removes something, in an order in which it can be made; a migration has to say
  /// so.
  private(set) var others: [SchemaChange] = []
  /// Required fields without a default, which old records need a value for.
  private(set) var unfilled: [FieldDefinition] = []
  /// Whether the primary key differs, so that the records have to move to a new collection.
  private(set) var hasOtherKey = false

  init(stored: CollectionDefinition, declared: CollectionDefinition) {
    let declared = declared.completed()
    self.declared = declared
    var stored = stored
    if let (old, new) = Self.renaming(stored, declared) { rename(old, to: new, in: &stored) }
    compareFields(stored)
    compareReferences(stored)
    compareIndexes(stored)
    hasOtherKey = Self.hasOtherKey(stored, declared)
    // References and indexes go before their fields change, and come after.
    others = others.sorted { Self.rank($0) < Self.rank($1) }
    additions = additions.sorted { Self.rank($0) < Self.rank($1) }
  }

  /// Whether the store is as declared.
  var isEqual: Bool { additions.isEmpty && isAdditive }
  /// Whether additions make the store as declared.
  var isAdditive: Bool { others.isEmpty && unfilled.isEmpty && !hasOtherKey }

  /// The one field that is in the store only and the one that is declared only, if they are alike
  /// enough to be one that was renamed.
  private static func renaming(_ stored: CollectionDefinition, _ declared: CollectionDefinition)
    -> (FieldDefinition, FieldDefinition)?
  {
    let gone = stored.fields.filter { field in !declared.fields.contains { $0.name == field.name } }
    let new = declared.fields.filter { field in !stored.fields.contains { $0.name == field.name } }
    guard gone.count == 1, new.count == 1, gone[0].type == new[0].type else { return nil }
    return (gone[0], new[0])
  }

  private mutating func rename(
    _ old: FieldDefinition,
    to new: FieldDefinition,
    in stored: inout CollectionDefinition
  ) {
    let change = SchemaChange.renameField(old.name, to: new.name)
    var editor = SchemaEditor(stored)
    // A field that is there can always be renamed to a name that is not.
    guard (try? editor.apply(change)) != nil else { return }
    stored = editor.definition
    others.append(change)
  }

  private mutating func compareFields(_ stored: CollectionDefinition) {
    for field in declared.fields {
      guard let old = stored.fields.first(where: { $0.name == field.name }) else {
        if field.isOptional || (field.defaultValue ?? .null) != .null {
          additions.append(.addField(field))
        } else {
          unfilled.append(field)
        }
        continue
      }
      if old.type != field.type, !declared.key.contains(field.name) {
        // A default is not converted with the records, but set anew.
        if old.defaultValue != nil { others.append(.setDefault(field.name, nil)) }
        others.append(.changeType(field.name, to: field.type))
        if let value = field.defaultValue { others.append(.setDefault(field.name, value)) }
      }
      if old.isOptional != field.isOptional {
        others.append(.setOptional(field.name, field.isOptional))
      }
      if old.type == field.type, old.defaultValue != field.defaultValue {
        let change = SchemaChange.setDefault(field.name, field.defaultValue)
        if old.defaultValue == nil { additions.append(change) } else { others.append(change) }
      }
    }
    for old in stored.fields where !declared.fields.contains(where: { $0.name == old.name }) {
      others.append(.dropField(old.name))
    }
  }

  private mutating func compareReferences(_ stored: CollectionDefinition) {
    for old in stored.references where !declared.references.contains(old) {
      others.append(.dropReference(old.fields))
    }
    for reference in declared.references where !stored.references.contains(reference) {
      if stored.references.contains(where: { $0.fields == reference.fields }) {
        others.append(.addReference(reference))
      } else {
        additions.append(.addReference(reference))
      }
    }
  }

  private mutating func compareIndexes(_ stored: CollectionDefinition) {
    func isAmong(_ index: IndexDefinition, _ indexes: [IndexDefinition]) -> Bool {
      indexes.contains { $0.fields == index.fields && $0.isUnique == index.isUnique }
    }
    var dropped: Set<String> = []
    for old in stored.indexes where !isAmong(old, declared.indexes) {
      let isLost = old.fields.contains { field in
        !declared.fields.contains { $0.name == field }
      }
      let isInTheWay = declared.indexes.contains { Name.folded($0.name) == Name.folded(old.name) }
      if old.isUnique || isLost || isInTheWay {
        others.append(.dropIndex(old.name))
        dropped.insert(old.name)
      }
    }
    // A reference that stays has an index at all times, so it goes for as long as it has none.
    for reference in declared.references where stored.references.contains(reference) {
      let serving = stored.indexes.filter { $0.fields.starts(with: reference.fields) }
      if !serving.isEmpty, serving.allSatisfy({ dropped.contains($0.name) }),
        !declared.key.starts(with: reference.fields)
      {
        others += [.dropReference(reference.fields), .addReference(reference)]
      }
    }
    for index in declared.indexes where !isAmong(index, stored.indexes) {
      if dropped.contains(where: { Name.folded($0) == Name.folded(index.name) }) {
        others.append(.addIndex(index))
      } else {
        additions.append(.addIndex(index))
      }
    }
  }

  private static func hasOtherKey(_ stored: CollectionDefinition, _ declared: CollectionDefinition)
    -> Bool
  {
    func types(_ definition: CollectionDefinition) -> [FieldType?] {
      definition.key.map { name in definition.fields.first { $0.name == name }?.type }
    }
    return stored.key != declared.key || stored.hasAutomaticKey != declared.hasAutomaticKey
      || types(stored) != types(declared)
  }

  private static func rank(_ change: SchemaChange) -> Int {
    switch change {
    case .dropReference: 0
    case .dropIndex: 1
    case .renameField: 2
    case .setDefault(_, nil): 3
    case .changeType: 4
    case .setOptional: 5
    case .setDefault: 6
    case .dropField: 7
    case .addField: 8
    case .addIndex: 9
    case .addReference: 10
    }
  }
}

extension SchemaComparison {
  /// The error for a store that additions do not make as declared, with the step to write.
  func mismatch(of model: String) -> StorageError {
    var differences = others.map(\.description)
    differences += unfilled.map {
      "add field \($0.name) \($0.type.rawValue), with a value for old records"
    }
    if hasOtherKey {
      differences = ["another primary key: \(declared.key.joined(separator: ", "))"]
    }
    return StorageError(
      .schemaMismatch,
      "collection \(declared.name) is not as \(model) declares it (\(differences.joined(separator: "; "))); "
        + "add a migration step: \(step(model))"
    )
  }

  /// The migration step to write, in Swift.
  private func step(_ model: String) -> String {
    let name = declared.name
    if hasOtherKey {
      return
        "Migration(\(("new key of " + name).debugDescription)) { try $0.convert(Old\(model).self, "
        + "to: \(model).self) { old in \(model)(…) } }, where Old\(model) is the model as it was"
    }
    // Old records get a value, and new ones go on needing one.
    let filled = unfilled.flatMap { field in
      [
        ".addField(FieldDefinition(\(field.name.debugDescription), .\(field.type.rawValue), default: …))",
        ".setDefault(\(field.name.debugDescription), nil)",
      ]
    }
    let changes =
      (others + additions).sorted { Self.rank($0) < Self.rank($1) }.map(\.swift) + filled
    return "Migration(\(("change " + name).debugDescription)) { try $0.alterCollection("
      + "\(name.debugDescription), \(changes.joined(separator: ", "))) }"
  }
}
