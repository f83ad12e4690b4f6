import Holdfast

/// Makes histories: it does each step on a model of its own, so that the next one finds something.
struct ModelGenerator {
  var random: SeededGenerator
  let pools: ModelPools
  private(set) var model = Model()
  private var nextNumber = 1
  private var room: Int

  /// The history of a seed; the same seed gives the same history.
  static func history(seed: UInt64) -> [ModelStep] {
    var generator = ModelGenerator(seed: seed)
    return generator.history()
  }

  private init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    pools = ModelPools(&random)
    room = [30, 60, 120, 240][random.below(4)]
  }

  private mutating func history() -> [ModelStep] {
    var steps: [ModelStep] = []
    for _ in 0...random.below(3) { add(.create(definition()), to: &steps) }
    if chance(50) { add(.watch, to: &steps) }
    while steps.count < room { add(step(), to: &steps) }
    return steps
  }

  private mutating func add(_ step: ModelStep, to steps: inout [ModelStep]) {
    guard model.applies(step) else { return }
    _ = model.apply(step)
    steps.append(step)
  }

  // MARK: Choices

  /// True so many times in a hundred.
  mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[random.below(elements.count)]
  }

  private mutating func newNumber() -> Int {
    nextNumber += 1
    return nextNumber - 1
  }

  /// One of the snapshots, now and then.
  private mutating func snapshot() -> Int? {
    chance(40) ? pick(model.snapshots.keys.sorted()) : nil
  }

  /// A collection as a read or write sees it, or one that is not there.
  mutating func collection(at snapshot: Int? = nil) -> ModelCollection {
    let content = snapshot.flatMap { model.snapshots[$0] } ?? model.current
    if chance(98), let collection = pick(content.collections) { return collection }
    return ModelCollection(definition: definition())
  }

  // MARK: Steps

  private mutating func step() -> ModelStep {
    if !model.isOpen, chance(70) { return chance(80) ? .open : .reopen }
    if model.levels.isEmpty {
      switch random.below(100) {
      case 0..<16: return .begin
      case 16..<20 where model.snapshots.count < 4: return .snapshot(newNumber())
      case 20..<23: return .reopen
      case 23: return .close
      case 24: return chance(70) ? .watch : .unwatch
      case 25..<28: return migrateStep()
      default: break
      }
    } else {
      switch random.below(100) {
      case 0..<4: return .commit
      case 4..<6: return .rollback
      case 6..<10: return .savepoint
      case 10..<14: return chance(50) ? .release : .undo
      case 14 where model.snapshots.count < 4:
        return chance(75) ? .snapshot(newNumber()) : .begin
      case 15 where chance(20): return .close
      case 16 where chance(20): return migrateStep()
      default: break
      }
    }
    switch random.below(100) {
    case 0..<2: return .create(definition())
    case 2..<6: return schemaStep()
    case 6..<53: return write()
    case 53..<55: return deferringStep()
    case 55..<80: return .read(read(at: nil), at: nil)
    case 80..<84:
      guard let number = pick(model.snapshots.keys.sorted()) else { return write() }
      return chance(30) ? .end(number) : .read(read(at: number), at: number)
    case 84..<94: return cursorStep()
    default:
      let snapshot = snapshot()
      if chance(75), let number = pick(model.pages.keys.sorted()) {
        return .more(number, at: snapshot)
      }
      var query = query(at: snapshot)
      query.limit = random.below(4)
      query.offset = 0
      return .page(newNumber(), query, at: snapshot)
    }
  }

  private mutating func cursorStep() -> ModelStep {
    // A cursor that is closed only refuses: it is let go soon.
    let closed = model.cursors.filter(\.value.isClosed).keys.sorted()
    if chance(20), let number = pick(closed) {
      return chance(70) ? .leave(number) : .next(number, count: 1)
    }
    let open = model.cursors.filter { !$0.value.isClosed }.keys.sorted()
    if chance(80), let number = pick(open) {
      return chance(8) ? .leave(number) : .next(number, count: 1 + random.below(3))
    }
    let snapshot = snapshot()
    return .cursor(newNumber(), query(at: snapshot), at: snapshot)
  }

  mutating func write() -> ModelStep {
    let collection = collection()
    let name = collection.definition.name
    switch random.below(100) {
    case 0..<28: return .insert(name, record(collection, existing: 10))
    case 28..<50: return .put(name, record(collection, existing: 50))
    case 50..<60: return .replace(name, record(collection, existing: 90))
    case 60..<78:
      let names = collection.definition.fields.map(\.name).filter {
        !collection.definition.key.contains($0) || chance(5)
      }
      let changes = names.filter { _ in chance(50) }.map { name in
        ModelField(name: name, value: value(name, in: collection))
      }
      return .update(name, key(collection), changes)
    case 78..<92: return .delete(name, key(collection))
    case 92..<97: return .clear(name, chance(15) ? .all : filter(collection))
    default:
      return .fill(
        name,
        from: random.below(400) - 50,
        count: chance(4) ? 800 : chance(10) ? 200 : random.below(30)
      )
    }
  }

  /// A value for a field, sometimes a wrong one.
  mutating func value(_ name: String, in collection: ModelCollection) -> Value {
    guard let field = collection.field(name) else { return .null }
    // Rows that are laid out already bring their JSON checked.
    if field.type != .json, chance(2) { return ModelPools.wrong(&random) }
    if field.isOptional, chance(15) { return .null }
    let position = collection.position(name) ?? 0
    if chance(60), let value = target(name, collection) { return value }
    if chance(20), let row = pick(collection.rows) { return row[position] }
    return pools.value(field.type, &random)
  }

  /// A record, so many times in a hundred with the key of one that is there.
  mutating func record(_ collection: ModelCollection, existing percent: Int) -> [ModelField] {
    let existing = chance(percent) ? pick(collection.rows) : nil
    var fields: [ModelField] = []
    for (position, field) in collection.definition.fields.enumerated() {
      let isKey = collection.definition.key.contains(field.name)
      if isKey, collection.definition.hasAutomaticKey, chance(60) { continue }
      if !isKey, field.isOptional || field.defaultValue != nil, chance(20) { continue }
      if isKey, let existing {
        fields.append(ModelField(name: field.name, value: existing[position]))
      } else {
        fields.append(ModelField(name: field.name, value: value(field.name, in: collection)))
      }
    }
    for reference in collection.definition.references where chance(70) {
      refer(&fields, reference, collection)
    }
    if chance(1) { fields.append(ModelField(name: "nowhere", value: .integer(1))) }
    return fields
  }

  private mutating func key(_ collection: ModelCollection) -> [Value] {
    if chance(75), let row = pick(collection.rows) { return collection.key(row) }
    if chance(2) { return [] }
    return collection.definition.key.map { value($0, in: collection) }
  }

  private mutating func read(at snapshot: Int?) -> ModelRead {
    let collection = collection(at: snapshot)
    let name = collection.definition.name
    switch random.below(100) {
    case 0..<30: return .get(name, key(collection))
    case 30..<70: return .query(query(collection))
    case 70..<80: return .count(name, filter(collection))
    default:
      let figures = (0...random.below(3)).map { _ in figure(collection) }
      let groups = chance(40) ? fieldNames(collection, 2) : []
      return .aggregate(name, figures, by: groups, chance(50) ? .all : filter(collection))
    }
  }

  private mutating func query(at snapshot: Int?) -> Query { query(collection(at: snapshot)) }
}
