import Holdfast

/// Steps that hold others.
extension ModelGenerator {
  /// A list of migrations: those that were applied, and new ones; seldom a list that is wrong.
  mutating func migrateStep() -> ModelStep {
    var list = model.current.migrations.map { ModelMigration(name: $0, steps: []) }
    if chance(10), let last = list.popLast() {
      switch random.below(3) {
      case 0: list.insert(last, at: 0)
      case 1: list += [last, last]
      default: break
      }
    }
    for _ in 0..<random.below(3) {
      let number = chance(85) ? list.count + 1 : random.below(9)
      let steps = (0...random.below(3)).map { _ in migrationBody() }
      list.append(ModelMigration(name: "m\(number)", steps: steps))
    }
    return .migrate(list, isRehearsal: chance(15))
  }

  private mutating func migrationBody() -> ModelStep {
    if chance(50) { return write() }
    return chance(40) ? .create(definition()) : schemaStep()
  }

  /// Writes whose references are checked at the end: a record before the one that it refers to, or
  /// any.
  mutating func deferringStep() -> ModelStep {
    let children = model.current.collections.filter { !$0.definition.references.isEmpty }
    guard chance(75), let child = pick(children),
      let reference = pick(child.definition.references),
      let target = model.current[reference.target]
    else {
      return .deferring((0...random.below(3)).map { _ in write() })
    }
    let key = target.definition.key.map { value($0, in: target) }
    var referring = record(child, existing: 10)
    referring.removeAll { reference.fields.contains($0.name) }
    referring += zip(reference.fields, key).map { ModelField(name: $0, value: $1) }
    var referred = record(target, existing: 0)
    referred.removeAll { target.definition.key.contains($0.name) }
    referred += zip(target.definition.key, key).map { ModelField(name: $0, value: $1) }
    var steps: [ModelStep] = [
      .put(child.definition.name, referring), .put(target.definition.name, referred),
    ]
    if chance(30) { steps.insert(write(), at: random.below(3)) }
    return .deferring(steps)
  }
}
