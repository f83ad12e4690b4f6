import Holdfast

extension ModelGenerator {
  private static let keys: [[FieldType]] = [
    [.integer], [.text], [.blob], [.real], [.uuid], [.date], [.text, .integer], [.blob, .text],
    [.integer, .integer], [.real, .text], [.bool, .integer], [.text, .text, .text], [.decimal],
  ]

  /// A collection with a key, some fields and some indexes; seldom one that makes no sense.
  mutating func definition() -> CollectionDefinition {
    let names = ModelPools.collectionNames
    let name = chance(95) ? names[random.below(names.count - 2)] : names[random.below(names.count)]
    var free = ModelPools.fieldNames
    var definition = CollectionDefinition(name, fields: [], key: [])
    let isAutomatic = chance(35)
    for type in isAutomatic ? [.integer] : pick(Self.keys) ?? [.integer] {
      let name = free.remove(at: random.below(free.count))
      definition.fields.append(FieldDefinition(name, type))
      definition.key.append(name)
    }
    definition.hasAutomaticKey = isAutomatic
    for _ in 0..<random.below(5) {
      let type =
        chance(75)
        ? pick([.integer, .real, .text, .blob]) ?? .text
        : FieldType.allCases[random.below(FieldType.allCases.count)]
      definition.fields.append(field(free.remove(at: random.below(free.count)), type))
    }
    // The key need not come first.
    if chance(30) { definition.fields.shuffle(using: &random) }
    for number in 0..<random.below(4) { addIndex(number, to: &definition) }
    while chance(20) { addReference(&free, to: &definition) }
    if chance(3) { spoil(&definition) }
    // Two names that are alike but for case, now and then, are a conflict.
    if chance(97) {
      var seen: [String] = []
      definition.fields = definition.fields.filter { field in
        defer { seen.append(field.name) }
        return !seen.contains { ModelRules.areAlike($0, field.name) }
          || definition.key.contains(field.name)
      }
    }
    return definition
  }

  mutating func field(_ name: String, _ type: FieldType) -> FieldDefinition {
    var field = FieldDefinition(name, type, optional: chance(75))
    if type != .json, type != .any, chance(25) { field.defaultValue = plain(type) }
    return field
  }

  /// A value of a type in its stored form.
  private mutating func plain(_ type: FieldType) -> Value {
    ModelRules.withoutNegativeZero(pools.value(type, &random))
  }

  private mutating func addIndex(_ number: Int, to definition: inout CollectionDefinition) {
    let indexable = definition.fields.filter { $0.type != .any }
    var fields: [String] = []
    for _ in 0...random.below(3) {
      guard let field = pick(indexable), !fields.contains(field.name) else { continue }
      fields.append(field.name)
    }
    let name = chance(80) ? "by\(number)" : "i \(number)\u{E9}"
    definition.indexes.append(IndexDefinition(fields, unique: chance(45), name: name))
  }

  /// A reference to a collection that is there, to itself, or seldom to one that is not there.
  private mutating func addReference(
    _ free: inout [String],
    to definition: inout CollectionDefinition
  ) {
    var target = definition
    if chance(80), let other = pick(model.current.collections) { target = other.definition }
    var reference = ReferenceDefinition([], to: target.name, onDelete: rule())
    for name in target.key {
      guard let type = target.fields.first(where: { $0.name == name })?.type, !free.isEmpty else {
        return
      }
      let name = free.remove(at: random.below(free.count))
      definition.fields.append(FieldDefinition(name, type, optional: chance(85)))
      reference.fields.append(name)
    }
    if chance(3) { reference.target = "nowhere" }
    definition.references.append(reference)
  }

  private mutating func rule() -> DeleteRule { pick(DeleteRule.allCases) ?? .restrict }

  /// The key of a record that a field alone refers to.
  mutating func target(_ name: String, _ collection: ModelCollection) -> Value? {
    let reference = collection.definition.references.first { $0.fields == [name] }
    guard let reference, let target = model.current[reference.target],
      let row = pick(target.rows)
    else { return nil }
    return target.key(row)[0]
  }

  /// Lets a record refer to one that is there.
  mutating func refer(
    _ fields: inout [ModelField],
    _ reference: ReferenceDefinition,
    _ collection: ModelCollection
  ) {
    guard let target = model.current[reference.target], let row = pick(target.rows) else { return }
    for (name, value) in zip(reference.fields, target.key(row)) {
      if collection.definition.key.contains(name) { continue }
      fields.removeAll { $0.name == name }
      fields.append(ModelField(name: name, value: value))
    }
  }

  // MARK: Changes

  mutating func schemaStep() -> ModelStep {
    let collection = collection()
    let name = collection.definition.name
    switch random.below(10) {
    case 0: return .drop(name)
    case 1:
      return .rename(name, to: pick(ModelPools.collectionNames) ?? name)
    default:
      let count = chance(70) ? 1 : 2 + random.below(2)
      var edit = ModelEdit(collection)
      var changes: [SchemaChange] = []
      for _ in 0..<count {
        let change = change(of: edit.definition)
        // What a field was in between does not count, so a second change of type would be another.
        if case .changeType = change, changes.contains(where: \.isChangeOfType) { continue }
        changes.append(change)
        _ = edit.apply(change)
      }
      // A field that is dropped and added again holds its default.
      if count == 2, chance(20), let field = collection.definition.fields.last {
        changes = [.dropField(field.name), .addField(field)]
      }
      return .alter(name, changes)
    }
  }

  private mutating func change(of definition: CollectionDefinition) -> SchemaChange {
    let used = definition.fields.map(\.name)
    let fresh =
      pick(
        ModelPools.fieldNames.filter { name in
          !used.contains { ModelRules.areAlike($0, name) } || chance(2)
        }
      ) ?? "fresh"
    let field = pick(definition.fields) ?? FieldDefinition("nowhere", .text)
    switch random.below(20) {
    case 0..<4:
      return .addField(
        self.field(fresh, FieldType.allCases[random.below(FieldType.allCases.count)])
      )
    case 4..<6: return .dropField(field.name)
    case 6..<8: return .renameField(field.name, to: fresh)
    case 8..<11: return .setOptional(field.name, chance(50))
    case 11..<14:
      return .changeType(field.name, to: pick(ModelConversion.targets(of: field.type)) ?? .any)
    case 14: return .setDefault(field.name, chance(60) ? plain(field.type) : Optional<Value>.none)
    case 15..<17:
      var extended = definition
      addIndex(definition.indexes.count, to: &extended)
      return .addIndex(extended.indexes[extended.indexes.count - 1])
    case 17: return .dropIndex(pick(definition.indexes)?.name ?? "nowhere")
    case 18:
      var free = [fresh]
      var extended = definition
      addReference(&free, to: &extended)
      let before = definition.fields.map(\.type)
      // Over fields that are there, of the types that the target's key has.
      guard var reference = extended.references.last, !before.isEmpty else { fallthrough }
      let types = extended.fields.dropFirst(before.count).map(\.type)
      reference.fields = types.compactMap { type in
        pick(definition.fields.filter { $0.type == type })?.name
      }
      let overlaps = definition.references.contains { other in
        other.fields.contains(where: reference.fields.contains)
      }
      if overlaps { fallthrough }
      return .addReference(reference)
    default:
      guard let reference = pick(definition.references) else {
        return .dropField(field.name)
      }
      return .dropReference(reference.fields)
    }
  }

  private mutating func spoil(_ definition: inout CollectionDefinition) {
    switch random.below(5) {
    case 0: definition.key.append("nowhere")
    case 1: definition.key = []
    case 2: definition.indexes.append(IndexDefinition(["nowhere"], name: "broken"))
    case 3: definition.fields.append(FieldDefinition("broken\u{7}", .text, optional: true))
    default: definition.fields.append(FieldDefinition("broken", .real, default: .text("x")))
    }
  }
}

extension SchemaChange {
  fileprivate var isChangeOfType: Bool {
    if case .changeType = self { return true }
    return false
  }
}
