import Holdfast

/// Runs one history on one backend and compares each step with the model.
///
/// Used on one thread.
final class ModelRun {
  /// How a piece of a history between two boundaries ended.
  private enum Ending {
    case commit, rollback, release, undo
    /// The history is over; what is open is rolled back.
    case over
  }
  /// Leaves a body of the library so that it rolls back.
  private struct Undone: Error {}

  private let steps: [ModelStep]
  private let harness: any Harness
  private let onStep: (Int, ModelOutcome) -> Void
  private var place = 0
  var store: Store
  private(set) var model = Model()
  var writing: ModelReading?
  private var snapshots: [Int: ModelSnapshot] = [:]
  var endedCursors: [Int: RowCursor] = [:]
  private var tokens: [Int: PageToken] = [:]
  var changes: StoreChanges?

  /// Opens a fresh store.
  ///
  /// `onStep` is told what each step gave; not those that had nothing to work on.
  ///
  /// - Throws: what opening throws.
  init(
    _ steps: [ModelStep],
    on harness: any Harness,
    onStep: @escaping (Int, ModelOutcome) -> Void = { _, _ in }
  ) throws {
    self.steps = steps
    self.harness = harness
    self.onStep = onStep
    store = try harness.open(.main, options: ConformanceContext.quick)
  }

  /// Runs the history to its end.
  ///
  /// - Returns: the first step that gave something else, if one did.
  func run() -> ModelFailure? {
    var failure: ModelFailure?
    do {
      while let step = nextStep() { try perform(step) }
      if model.isOpen { try check(model.committed) }
    } catch let found as ModelFailure {
      failure = found
    } catch {
      failure = self.failure("reading threw \(type(of: error))", "no error", "\(error)")
    }
    for (_, snapshot) in snapshots { _ = snapshot.end() }
    do {
      try store.close()
    } catch {
      failure = failure ?? self.failure("closing throws \(error.code)", "done", "\(error)")
    }
    return failure
  }

  private func nextStep() -> ModelStep? {
    while place < steps.count {
      defer { place += 1 }
      if model.applies(steps[place]) { return steps[place] }
    }
    return nil
  }

  private func failure(_ kind: String, _ expected: String, _ got: String) -> ModelFailure {
    let index = min(max(place - 1, 0), max(steps.count - 1, 0))
    let line = steps.isEmpty ? "" : steps[index].line
    return ModelFailure(place: index, line: line, expected: expected, got: got, kind: kind)
  }

  /// Compares what a step gave with what the model says, which does the step too.
  func compare(_ step: ModelStep, _ outcome: ModelOutcome) throws {
    onStep(place - 1, outcome)
    let expectation = model.apply(step, chosen: outcome.keys)
    if let kind = outcome.difference(from: expectation) {
      throw failure("\(step.word) \(kind)", expectation.text, outcome.text)
    }
    guard model.levels.isEmpty, let changes else { return }
    if let difference = model.event.difference(from: changes.takeWaiting()) {
      throw failure("events differ", difference.expected, difference.got)
    }
  }

  private func attempt(_ body: () throws -> String) -> ModelOutcome {
    do {
      return .done(try body())
    } catch {
      return .threw(error)
    }
  }

  /// Compares everything with what the model holds.
  private func check(_ content: ModelContent) throws {
    let difference =
      if let writing {
        try ModelCheck.difference(writing.transaction, content)
      } else {
        try Blocking.read(store) { try ModelCheck.difference($0, content) }
      }
    if let difference { throw failure(difference) }
  }

  private func failure(_ difference: ModelCheck.Difference) -> ModelFailure {
    failure(
      "content differs",
      "\(difference.what): \(difference.expected)",
      "\(difference.what): \(difference.got)"
    )
  }

  // MARK: Steps

  private func perform(_ step: ModelStep) throws {
    switch step {
    case .begin: try begin(step)
    case .savepoint: try savepoint(step)
    case .open, .close, .reopen:
      try compare(step, attempt { try life(step) })
      if case .close = step { return }
      if model.levels.isEmpty, model.isOpen { try check(model.committed) }
    case .snapshot(let number):
      try compare(
        step,
        attempt {
          snapshots[number] = try ModelSnapshot(store)
          return "done"
        }
      )
    case .end(let number): try end(number, step)
    case .create, .drop, .rename, .alter:
      try change(step)
    case .insert, .put, .replace, .update, .delete, .clear, .fill, .deferring:
      try compare(step, write(step))
    case .migrate(let list, let isRehearsal): try compare(step, migrate(list, isRehearsal))
    case .watch, .unwatch:
      changes = model.isWatched ? nil : store.changes()
      try compare(step, .done("done"))
    case .read(_, let snapshot), .cursor(_, _, let snapshot):
      try compare(step, attempt { try reading(at: snapshot) { try Self.read(step, $0) } })
    case .next(let number, _), .leave(let number):
      try compare(step, attempt { try walk(number, step) })
    case .page(let number, let query, let snapshot):
      tokens[number] = nil
      try compare(step, attempt { try page(number, query, at: snapshot) })
    case .more(let number, let snapshot):
      guard let query = model.pages[number]?.query else { return }
      try compare(step, attempt { try page(number, query, at: snapshot) })
    case .commit, .rollback, .release, .undo: break
    }
  }

  private func life(_ step: ModelStep) throws -> String {
    if case .open = step { return try open() }
    if writing == nil { for number in snapshots.keys { endSnapshot(number) } }
    try store.close()
    changes = nil
    if case .reopen = step { return try open() }
    return "done"
  }

  /// Opens the store, which exists by now.
  private func open() throws -> String {
    store = try harness.open(.main, options: ConformanceContext.quick)
    return store.wasCreated ? "created" : "done"
  }

  /// Runs steps up to the boundary that ends the innermost transaction or savepoint.
  private func inner() throws -> Ending {
    while let step = nextStep() {
      switch step {
      case .commit: return .commit
      case .rollback: return .rollback
      case .release: return .release
      case .undo: return .undo
      default: try perform(step)
      }
    }
    return .over
  }

  private func begin(_ step: ModelStep) throws {
    if !model.isOpen || writing != nil {
      return try compare(
        step,
        attempt {
          try Blocking.write(store) { _ in }
          return "done"
        }
      )
    }
    var ending = Ending.over
    let outcome = try settle {
      try Blocking.write(store) { transaction in
        let reading = ModelReading(transaction)
        writing = reading
        defer {
          endedCursors.merge(reading.cursors) { _, new in new }
          writing = nil
        }
        try compare(step, .done("done"))
        ending = try inner()
        if ending != .commit { throw Undone() }
      }
    }
    try compare(ending == .commit ? .commit : .rollback, outcome)
    try check(model.committed)
  }

  private func savepoint(_ step: ModelStep) throws {
    guard let writing, let transaction = writing.transaction as? WriteTransaction else { return }
    var ending = Ending.over
    let outcome = try settle {
      try transaction.savepoint {
        try compare(step, .done("done"))
        ending = try inner()
        if ending != .release && ending != .commit { throw Undone() }
      }
    }
    switch ending {
    case .release, .undo:
      try compare(ending == .release ? .release : .undo, outcome)
      try check(model.current)
    case .commit, .rollback, .over:
      if case .threw = outcome { try compare(ending == .commit ? .commit : .rollback, outcome) }
      // It ends what is around this savepoint too, and is met there again.
      if ending != .over { place -= 1 }
    }
  }

  /// What a body of the library gave, whose end may be meant to undo it.
  private func settle(_ body: () throws -> Void) throws -> ModelOutcome {
    do {
      try body()
      return .done("done")
    } catch is Undone {
      return .done("done")
    } catch let failure as ModelFailure {
      throw failure
    } catch {
      return .threw(error)
    }
  }

  // MARK: Reads

  private func reading<T: Sendable>(
    at snapshot: Int?,
    _ body: @escaping @Sendable (ModelReading) throws -> T
  ) throws -> T {
    if let snapshot {
      guard let held = snapshots[snapshot] else {
        throw StorageError(.transactionClosed, "there is no snapshot \(snapshot)")
      }
      return try held.run(body)
    }
    // Inside the write transaction this joins it.
    if let writing { return try body(writing) }
    return try Blocking.read(store) { try body(ModelReading($0)) }
  }

  private static func read(_ step: ModelStep, _ reading: ModelReading) throws -> String {
    switch step {
    case .read(let read, _): try reading.read(read)
    case .cursor(let number, let query, _): try reading.open(cursor: number, query)
    case .next(let number, let count): try reading.next(number, count)
    case .leave(let number): reading.leave(number)
    default: "done"
    }
  }

  private func walk(_ number: Int, _ step: ModelStep) throws -> String {
    if let ended = endedCursors[number] {
      if case .leave = step {
        ended.close()
        endedCursors[number] = nil
      } else {
        _ = try ended.next()
      }
      return "done"
    }
    return try reading(at: model.cursors[number]?.snapshot) { try Self.read(step, $0) }
  }

  private func page(_ number: Int, _ query: Query, at snapshot: Int?) throws -> String {
    var query = query
    query.after = tokens[number]
    let asked = query
    let (text, next) = try reading(at: snapshot) { try $0.page(asked) }
    tokens[number] = next
    return text
  }

  private func end(_ number: Int, _ step: ModelStep) throws {
    guard let content = model.snapshots[number], let snapshot = snapshots[number] else { return }
    let difference = try snapshot.run { reading in
      try ModelCheck.difference(reading.transaction, content)
    }
    endSnapshot(number)
    if let difference { throw failure(difference) }
    try compare(step, .done("done"))
  }

  private func endSnapshot(_ number: Int) {
    guard let snapshot = snapshots.removeValue(forKey: number) else { return }
    endedCursors.merge(snapshot.end()) { _, new in new }
  }
}
