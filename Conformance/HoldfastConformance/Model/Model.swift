import Holdfast

/// The reference: what each step must give, worked out in the plainest way.
///
/// The last commit, the transaction and every savepoint and snapshot each have a copy of everything.
struct Model: Sendable {
  /// What the last commit left.
  private(set) var committed = ModelContent()
  /// The open transaction, then its open savepoints.
  private(set) var levels: [ModelContent] = []
  private(set) var isOpen = true
  private(set) var isWatched = false
  /// What observers hear of the last step.
  private(set) var event = ModelEvent()
  private(set) var snapshots: [Int: ModelContent] = [:]
  private(set) var cursors: [Int: ModelCursor] = [:]
  private(set) var pages: [Int: ModelPage] = [:]

  /// What a read outside snapshots sees.
  private(set) var current: ModelContent {
    get { levels.last ?? committed }
    set {
      if levels.isEmpty { committed = newValue } else { levels[levels.count - 1] = newValue }
    }
  }

  /// Whether a step has something to work on.
  func applies(_ step: ModelStep) -> Bool {
    switch step {
    case .open: !isOpen
    case .watch: isOpen && levels.isEmpty && !isWatched
    case .unwatch: isWatched
    case .reopen: levels.isEmpty
    case .commit, .rollback: !levels.isEmpty
    case .savepoint: !levels.isEmpty
    case .release, .undo: levels.count > 1
    case .snapshot(let number): snapshots[number] == nil
    case .end(let number): snapshots[number] != nil
    case .read(_, let snapshot?): snapshots[snapshot] != nil
    case .cursor(let number, _, let snapshot):
      cursors[number] == nil
        && (snapshot.map { snapshots[$0] != nil } ?? !levels.isEmpty)
    case .next(let number, _), .leave(let number): cursors[number] != nil
    case .page(let number, _, let snapshot):
      pages[number] == nil && (snapshot.map { snapshots[$0] != nil } ?? true)
    case .more(let number, let snapshot):
      pages[number] != nil && (snapshot.map { snapshots[$0] != nil } ?? true)
    case .close, .begin, .create, .drop, .rename, .alter, .insert, .put, .replace, .update, .delete,
      .clear, .fill, .deferring, .migrate, .read(_, nil):
      true
    }
  }

  /// Does a step that applies.
  ///
  /// `chosen` are the keys that the store gave, one for each write; where there is none the model
  /// chooses the next automatic one.
  ///
  /// - Returns: what the store must have given.
  mutating func apply(_ step: ModelStep, chosen: [Int64?] = []) -> ModelExpectation {
    if levels.isEmpty { committed.forgetTouched() }
    let before = committed
    let expectation = perform(step, chosen)
    event = levels.isEmpty ? ModelEvent(from: before, to: committed) : ModelEvent()
    return expectation
  }

  private mutating func perform(_ step: ModelStep, _ chosen: [Int64?]) -> ModelExpectation {
    switch step {
    case .watch, .unwatch:
      isWatched.toggle()
      return .done("done")
    case .deferring(let steps):
      return isOpen ? current.deferring(steps, chosen: chosen) : .fails([.closed])
    case .migrate(let list, let isRehearsal): return migrate(list, isRehearsal, chosen)
    case .open, .close, .reopen, .begin, .commit, .rollback, .savepoint, .release, .undo:
      return bound(step)
    case .snapshot(let number):
      if !isOpen { return .fails([.closed]) }
      snapshots[number] = committed
      return .done("done")
    case .end(let number):
      endCursors { $0.snapshot == number }
      snapshots[number] = nil
      return .done("done")
    case .next(let number, let count): return next(number, count)
    case .leave(let number):
      cursors[number] = nil
      return .done("done")
    case .read(let read, let snapshot):
      return seen(at: snapshot)?.read(read) ?? .fails([.closed])
    case .cursor(let number, let query, let snapshot):
      return open(cursor: number, query, at: snapshot)
    case .page(let number, let query, let snapshot): return page(number, query, at: snapshot)
    case .more(let number, let snapshot):
      guard let page = pages[number] else { return .done("done") }
      return self.page(number, page.query, at: snapshot)
    case .create, .drop, .rename, .alter:
      return isOpen ? change(step) : .fails([.closed])
    case .insert, .put, .replace, .update, .delete, .clear, .fill:
      return isOpen ? current.write(step, chosen: chosen.first ?? nil) : .fails([.closed])
    }
  }

  /// What a read sees; nil if the store is closed.
  private func seen(at snapshot: Int?) -> ModelContent? {
    if let snapshot { return snapshots[snapshot] }
    return isOpen ? current : nil
  }

  // MARK: The store, transactions, savepoints

  private mutating func bound(_ step: ModelStep) -> ModelExpectation {
    switch step {
    case .open: isOpen = true
    case .close:
      if !levels.isEmpty { return .fails([.nestedTransaction]) }
      endAll()
      isOpen = false
    case .reopen:
      endAll()
      isOpen = true
    case .begin:
      if !levels.isEmpty { return .fails([.nestedTransaction]) }
      if !isOpen { return .fails([.closed]) }
      levels = [committed]
    case .commit:
      let left = current
      levels = []
      endCursors { $0.snapshot == nil }
      // What a reference leads to must be there by now.
      if left.lacksTarget { return .fails([.invalidSchema]) }
      committed = left
    case .rollback:
      levels = []
      endCursors { $0.snapshot == nil }
    case .savepoint: levels.append(current)
    case .release, .undo:
      let depth = levels.count
      let inner = levels.removeLast()
      if case .release = step { current = inner }
      endCursors { $0.snapshot == nil && $0.depth == depth }
    default: break
    }
    return .done("done")
  }

  private mutating func endAll() {
    isWatched = false
    snapshots = [:]
    endCursors { _ in true }
  }

  private mutating func endCursors(_ condition: (ModelCursor) -> Bool) {
    for (number, cursor) in cursors where condition(cursor) { cursors[number]?.isClosed = true }
  }

  // MARK: Schema

  /// The cursors that are not of snapshots.
  var liveCursors: [Int] { cursors.filter { $0.value.snapshot == nil }.keys.sorted() }

  private mutating func change(_ step: ModelStep) -> ModelExpectation {
    var changed = current
    let expectation = changed.change(step)
    var isFailure = false
    if case .fails = expectation { isFailure = true }
    if isFailure || step.isCompound {
      for number in liveCursors { cursors[number] = nil }
    }
    if isFailure { return expectation }
    if levels.isEmpty, changed.lacksTarget { return .fails([.invalidSchema]) }
    if changed.schemaChanges != current.schemaChanges { endCursors { $0.snapshot == nil } }
    current = changed
    return expectation
  }

  private mutating func migrate(
    _ list: [ModelMigration],
    _ isRehearsal: Bool,
    _ chosen: [Int64?]
  ) -> ModelExpectation {
    if !isOpen { return .fails([.closed]) }
    let applied = current.migrations
    let codes = Self.faults(list.map(\.name), after: applied)
    if !codes.isEmpty { return .fails(codes) }
    let pending = list.dropFirst(applied.count)
    if pending.isEmpty { return .done("[]") }
    if !levels.isEmpty { return .fails([.nestedTransaction]) }
    var changed = committed
    if let failure = changed.run(pending.flatMap(\.steps), chosen: chosen) { return failure }
    if changed.lacksTarget { return .fails([.invalidSchema]) }
    let names = pending.map(\.name)
    changed.migrations += names
    changed.schemaChanges += 1
    if !isRehearsal { committed = changed }
    return .done("[\(names.joined(separator: ", "))]")
  }

  /// All codes with which a list of migrations may be refused.
  private static func faults(_ names: [String], after applied: [String]) -> [StorageError.Code] {
    var codes: [StorageError.Code] = []
    if Set(names).count < names.count || zip(names, applied).contains(where: { $0 != $1 }) {
      codes.append(.migrationMismatch)
    }
    if codes.isEmpty, names.count < applied.count { codes.append(.newerSchema) }
    return codes
  }

  // MARK: Cursors and pages

  private mutating func open(cursor number: Int, _ query: Query, at snapshot: Int?)
    -> ModelExpectation
  {
    guard let content = seen(at: snapshot) else { return .fails([.closed]) }
    guard let collection = content[query.collection] else { return .fails([.unknownCollection]) }
    let codes = collection.faults(query)
    if !codes.isEmpty { return .fails(codes) }
    cursors[number] = ModelCursor(query: query, snapshot: snapshot, depth: levels.count)
    return .done("done")
  }

  private mutating func next(_ number: Int, _ count: Int) -> ModelExpectation {
    guard var cursor = cursors[number] else { return .done("done") }
    if cursor.isClosed { return .fails([.transactionClosed]) }
    guard let content = seen(at: cursor.snapshot), let collection = content[cursor.query.collection]
    else { return .fails([.transactionClosed]) }
    var rows: [[Value]] = []
    while rows.count < count, !cursor.isAtEnd {
      guard let row = collection.rows(cursor.query, behind: cursor.last).first else {
        cursor.isAtEnd = true
        break
      }
      rows.append(row)
      cursor.last = row
      cursor.query.offset = 0
      if let limit = cursor.query.limit { cursor.query.limit = limit - 1 }
    }
    cursors[number] = cursor
    return .done(ModelText.rows(rows) + (cursor.isAtEnd ? " end" : ""))
  }

  private mutating func page(_ number: Int, _ query: Query, at snapshot: Int?) -> ModelExpectation {
    guard let content = seen(at: snapshot) else { return .fails([.closed]) }
    guard let collection = content[query.collection] else { return .fails([.unknownCollection]) }
    let codes = collection.faults(query)
    if !codes.isEmpty { return .fails(codes) }
    let before = pages[number]
    let shape = ModelPage.shape(collection)
    if let before, before.shape != shape { return .fails([.invalidCursor]) }
    let rows = collection.rows(query, behind: before?.last)
    guard let last = rows.last, rows.count == query.limit else {
      pages[number] = nil
      return .done("\(ModelText.rows(rows)) end")
    }
    pages[number] = ModelPage(query: query, shape: shape, last: last)
    return .done(ModelText.rows(rows))
  }
}
