import Holdfast
import Synchronization

extension ModelRun {
  /// A change of the schema; whether one that failed, or several that may undo each other, closed
  /// the cursors is nobody's concern.
  func change(_ step: ModelStep) throws {
    let outcome = write(step)
    var isFailure = false
    if case .threw = outcome { isFailure = true }
    if isFailure || step.isCompound {
      for number in model.liveCursors {
        _ = writing?.leave(number)
        endedCursors[number] = nil
      }
    }
    try compare(step, outcome)
  }

  func write(_ step: ModelStep) -> ModelOutcome {
    do {
      if let transaction = writing?.transaction as? WriteTransaction {
        return try Self.write(step, transaction)
      }
      return try Blocking.write(store) { try Self.write(step, $0) }
    } catch {
      return .threw(error)
    }
  }

  private static func write(_ step: ModelStep, _ transaction: WriteTransaction) throws
    -> ModelOutcome
  {
    switch step {
    case .create(let definition): try transaction.createCollection(definition)
    case .drop(let name): try transaction.dropCollection(name)
    case .rename(let name, let new): try transaction.renameCollection(name, to: new)
    case .alter(let name, let changes): try transaction.alterCollection(name, changes)
    case .insert(let name, let fields):
      return written(try transaction.insert(named(fields), into: name))
    case .put(let name, let fields): return written(try transaction.put(named(fields), in: name))
    case .replace(let name, let fields):
      let collection = try transaction.collection(name)
      let row = RowBuffer(count: collection.fields.count)
      for field in fields { row.set(try collection.position(of: field.name), field.value) }
      try transaction.update(row.view, in: collection)
    case .update(let name, let key, let fields):
      try transaction.update(Key(key), set: named(fields), in: name)
    case .delete(let name, let key): return .done("\(try transaction.delete(Key(key), from: name))")
    case .clear(let name, let filter):
      return .done("\(try transaction.deleteAll(in: name, where: filter))")
    case .fill(let name, let from, let count):
      return .done(try fill(transaction, name, from..<from + count))
    case .deferring(let steps):
      let keys = try transaction.deferringReferences {
        try steps.map { try write($0, transaction).keys.first ?? nil }
      }
      return .done("done", keys: keys)
    default: break
    }
    return .done("done")
  }

  func migrate(_ list: [ModelMigration], _ isRehearsal: Bool) -> ModelOutcome {
    let keys = Mutex<[Int64?]>([])
    let migrations = list.map { entry in
      Migration(entry.name) { transaction in
        for step in entry.steps {
          let key = try Self.write(step, transaction).keys.first ?? nil
          keys.withLock { $0.append(key) }
        }
      }
    }
    do {
      let names = try store.migrate(migrations, isRehearsal: isRehearsal)
      return .done("[\(names.joined(separator: ", "))]", keys: keys.withLock { $0 })
    } catch {
      return .threw(error)
    }
  }

  private static func named(_ fields: [ModelField]) -> [String: Value] {
    Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
  }

  private static func written(_ key: Key) -> ModelOutcome {
    var integer: Int64?
    if key.count == 1, case .integer(let value) = key[0] { integer = value }
    return .done(ModelText.list(key.values), keys: [integer])
  }

  private static func fill(_ transaction: WriteTransaction, _ name: String, _ numbers: Range<Int>)
    throws -> String
  {
    let definition = try transaction.collection(name).definition
    var outcome = ModelFill.Outcome()
    for number in numbers {
      do {
        try transaction.put(named(ModelFill.fields(definition, number)), in: name)
        outcome.stored += 1
      } catch {
        outcome.refused[error.code.rawValue, default: 0] += 1
      }
    }
    return outcome.text
  }
}
