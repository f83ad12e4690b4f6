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
