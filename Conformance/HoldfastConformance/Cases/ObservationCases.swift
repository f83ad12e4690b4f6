import Holdfast

/// What observers of a store hear of commits.
enum ObservationCases {
  /// An event as text: `item +[1] ~[2] -[3]`, or `item ?` where keys are not told.
  static func text(_ change: StoreChange?) -> String {
    guard let change else { return "the end" }
    return change.collections.sorted { $0.key < $1.key }.map { name, change in
      guard change.isComplete else { return "\(name) ?" }
      let parts = [("+", change.inserted), ("~", change.updated), ("-", change.deleted)]
        .filter { !$0.1.isEmpty }
        .map { sign, keys in
          sign + "["
            + keys.map { $0.values.map(\.exactText).joined(separator: "/") }
            .joined(separator: " ") + "]"
        }
      return ([name] + parts).joined(separator: " ")
    }.joined(separator: "; ")
  }

  private static func open(_ context: ConformanceContext) async throws -> Store {
    try await context.open(creating: Shapes.item(), Shapes.item("other"))
  }

  static func insert(_ id: Int, _ store: Store, into name: String = "item") async throws {
    try await store.write { try $0.insertItems([id], into: name) }
  }

  struct Undone: Error {}

  static let rules: [ConformanceCase] = [
    ConformanceCase("observation.firstThenChanges", "An observer hears of what is committed after.")
    { context in
      let store = try await open(context)
      try await store.write { try $0.insertItems(1...3) }
      var changes = store.changes(in: "item").makeAsyncIterator()
      context.expect(try await store.read { try $0.count("item") }, 3, "the first fetch")
      try await store.write { transaction in
        try transaction.insertItems([4])
        try transaction.update(2, set: ["rank": 7], in: "item")
        try transaction.delete(1, from: "item")
      }
      let event = try await changes.next()
      context.expect(text(event), "item +[4] ~[2] -[1]", "event")
      context.expect(event?.commits ?? 0, 1, "commits")
    },
    ConformanceCase("observation.commitOrder", "Events come in the order of commits.") { context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      for id in 1...20 { try await insert(id, store) }
      for id in 1...20 {
        context.expect(text(try await changes.next()), "item +[\(id)]", "event \(id)")
      }
    },
    ConformanceCase(
      "observation.noteChange",
      "What a transaction says was changed otherwise is an event, unless it is rolled back."
    ) { context in
      let store = try await open(context)
      try await store.write { try $0.insertItems(1...3) }
      var changes = store.changes().makeAsyncIterator()
      try await store.write { transaction in
        let rows = try transaction.rows(Query("item"))
        context.expect(try rows.next()?.integer(0), 1, "first row")
        try transaction.insertItems([4])
        try transaction.noteChange(of: "item")
        context.expect(try rows.next()?.integer(0), 2, "next row")
        let result = Result {
          try transaction.savepoint {
            try transaction.noteChange(of: "other")
            throw Undone()
          }
        }
        context.expect(that: (try? result.get()) == nil, "the savepoint was not undone")
        context.expectError(.unknownCollection) { try transaction.noteChange(of: "none") }
      }
      context.expect(text(try await changes.next()), "item ?", "event")
      try await insert(9, store, into: "other")
      context.expect(text(try await changes.next()), "other +[9]", "next event")
    },
    ConformanceCase("observation.oncePerCommit", "One commit is one event, of net changes.") {
      context in
      let store = try await open(context)
      try await store.write { try $0.insertItems(1...4) }
      var changes = store.changes().makeAsyncIterator()
      try await store.write { transaction in
        try transaction.insertItems([5, 6])
        try transaction.update(5, set: ["rank": 1], in: "item")
        try transaction.delete(6, from: "item")
        try transaction.update(1, set: ["rank": 1], in: "item")
        try transaction.update(1, set: ["rank": 2], in: "item")
        try transaction.update(2, set: ["rank": 2], in: "item")
        try transaction.delete(2, from: "item")
        try transaction.delete(3, from: "item")
        try transaction.insertItems([3])
        try transaction.put(["id": 4, "rank": 9], in: "item")
        try transaction.put(["id": 7, "rank": 9], in: "item")
        try transaction.insertItems([1], into: "other")
      }
      try await insert(100, store)
      context.expect(
        text(try await changes.next()),
        "item +[5 7] ~[1 3 4] -[2]; "
          + "other +[1]",
        "the event"
      )
      context.expect(text(try await changes.next()), "item +[100]", "the next one")
    },
    ConformanceCase("observation.silentOnRollback", "Nothing is told of what was rolled back.") {
      context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      try? await store.write { transaction in
        try transaction.insertItems(1...3)
        throw Undone()
      }
      try await store.write { transaction in
        context.expectError(.notFound) {
          try transaction.update(9, set: ["rank": 1], in: "item")
        }
        context.expect(try transaction.delete(9, from: "item"), false, "no such record")
      }
      try await insert(4, store)
      context.expect(text(try await changes.next()), "item +[4]", "the first event")
    },
    ConformanceCase(
      "observation.silentOnSavepointRollback",
      "Nothing is told of what a savepoint undid."
    ) { context in
      let store = try await open(context)
      try await store.write { try $0.insertItems([1, 2]) }
      var changes = store.changes().makeAsyncIterator()
      try await store.write { transaction in
        try transaction.update(1, set: ["rank": 5], in: "item")
        try? transaction.savepoint {
          try transaction.insertItems([3])
          try transaction.delete(1, from: "item")
          try transaction.savepoint { try transaction.delete(2, from: "item") }
          try transaction.insertItems([1], into: "other")
          throw Undone()
        }
        try transaction.savepoint { try transaction.insertItems([4]) }
      }
      context.expect(
        text(try await changes.next()),
        "item +[4] ~[1]",
        "the event"
      )
    },
    ConformanceCase(
      "observation.savepointOverflow",
      "Many changes that a savepoint undid are forgotten."
    ) { context in
      let store = try await open(context)
      var changes = store.changes().makeAsyncIterator()
      try await store.write { transaction in
        try transaction.insertItems([1])
        try? transaction.savepoint {
          try transaction.insertItems(10...10_020)
          throw Undone()
        }
        try transaction.insertItems([2])
      }
      context.expect(text(try await changes.next()), "item +[1 2]", "the event")
    },
    ConformanceCase("observation.noGapAtSubscribe", "A commit is in the fetch or in an event.") {
      context in
      let store = try await open(context)
      async let writing: Void = {
        for id in 1...200 { try await insert(id, store) }
      }()
      for round in 1...20 {
        var changes = store.changes(in: "item").makeAsyncIterator()
        let seen = try await store.read { try $0.ids(Query("item")).count }
        if seen == 200 { break }
        // Keys are given in order: the event that comes next must not be beyond the next key.
        let event = try await changes.next()?.collections["item"]
        var isNext = event?.isComplete == false
        if case .integer(let id)? = event?.inserted.first?[0] { isNext = id <= Int64(seen + 1) }
        context.expect(that: isNext, "round \(round): \(seen) seen, then a later one")
      }
      try await writing
    },
    ConformanceCase(
      "observation.subscribeDuringTransaction",
      "Of a transaction that runs already, an observer hears that something changed."
    ) { context in
      let store = try await open(context)
      let held = Escaped<StoreChanges>()
      try await store.write { transaction in
        try transaction.insertItems([1])
        held.handle = store.changes(in: "item")
        try transaction.insertItems([2])
      }
      var changes = held.handle?.makeAsyncIterator()
      context.expect(text(try await changes?.next()), "item ?", "the event")
    },
    ConformanceCase("observation.slowConsumer", "A slow observer hears of many commits as one.") {
      context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      for id in 1...500 { try await insert(id, store) }
      var commits = 0
      var keys = Set<Key>()
      var events = 0
      while commits < 500, let event = try await changes.next() {
        events += 1
        commits += event.commits
        keys.formUnion(event.collections["item"]?.inserted ?? [])
      }
      context.expect(commits, 500, "commits")
      context.expect(keys.count, 500, "keys")
      context.expect(that: events < 500, "\(events) events")
    },
    ConformanceCase("observation.coalescing", "Coalesced events tell the net change.") { context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      for id in 1...100 { try await insert(id, store) }
      for id in 1...99 {
        try await store.write { _ = try $0.delete(Key(.integer(Int64(id))), from: "item") }
      }
      var alive = Set<Key>()
      var commits = 0
      while commits < 199, let event = try await changes.next() {
        commits += event.commits
        alive.formUnion(event.collections["item"]?.inserted ?? [])
        alive.subtract(event.collections["item"]?.deleted ?? [])
      }
      context.expect(alive.map(\.values), [[100]], "left")
    },
    ConformanceCase("observation.cancelStops", "After cancellation nothing arrives.") { context in
      let store = try await open(context)
      let changes = store.changes(in: "item")
      let task = Task {
        var count = 0
        for try await _ in changes {
          count += 1
          withUnsafeCurrentTask { $0?.cancel() }
        }
        return count
      }
      for id in 1...20 { try await insert(id, store) }
      context.expect(try await task.value, 1, "events")
      var again = changes.makeAsyncIterator()
      context.expect(text(try await again.next()), "the end", "asked again")
      try await insert(21, store)
    },
    ConformanceCase("observation.closeEnds", "Closing the store ends the events.") { context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      try await insert(1, store)
      try store.close()
      context.expect(text(try await changes.next()), "item +[1]", "what was committed")
      context.expect(text(try await changes.next()), "the end", "after that")
      var late = store.changes().makeAsyncIterator()
      context.expect(text(try await late.next()), "the end", "of a closed store")
    },
    ConformanceCase("observation.writeInsideObserver", "An observer may write.") { context in
      let store = try await open(context)
      var changes = store.changes().makeAsyncIterator()
      try await insert(1, store)
      for _ in 1...5 {
        guard let event = try await changes.next(), let change = event.collections["item"],
          case .integer(let id)? = change.inserted.first?[0]
        else { continue }
        try await insert(Int(id) + 1, store)
      }
      context.expect(try await store.read { try $0.count("item") }, 6, "records")
    },
    ConformanceCase("observation.bulk", "Above 10,000 keys the event says that all may be other.") {
      context in
      let store = try await open(context)
      var changes = store.changes().makeAsyncIterator()
      try await store.write { transaction in
        try transaction.insertItems(1...10_001)
        try transaction.insertItems([1], into: "other")
      }
      let event = try await changes.next()
      context.expect(event?.collections["item"]?.isComplete ?? true, false, "the many")
      try await store.write { _ = try $0.deleteAll(in: "item", where: .lessOrEqual("id", 5000)) }
      let deleted = try await changes.next()?.collections["item"]
      context.expect(deleted?.deleted.count ?? 0, 5000, "deleted by filter")
      try await store.write { _ = try $0.deleteAll(in: "item") }
      let cleared = try await changes.next()?.collections["item"]
      context.expect(
        cleared?.isComplete == false || cleared?.deleted.count == 5001,
        true,
        "clearing is told"
      )
    },
    ConformanceCase("observation.cascade", "What a cascade deletes and clears is told.") {
      context in
      let store = try await ReferenceCases.open(context, .cascade)
      var changes = store.changes().makeAsyncIterator()
      try await store.write { _ = try $0.delete(1, from: "user") }
      context.expect(
        text(try await changes.next()),
        "status -[10 11]; user -[1]",
        "cascade"
      )
      try await store.write { transaction in
        try transaction.alterCollection(
          "status",
          .dropReference(["user"]),
          .addReference(ReferenceDefinition(["user"], to: "user", onDelete: .setNull))
        )
      }
      context.expect(text(try await changes.next()), "status ?", "the schema")
      try await store.write { _ = try $0.delete(2, from: "user") }
      context.expect(
        text(try await changes.next()),
        "status ~[20]; user -[2]",
        "set null"
      )
    },
    ConformanceCase("observation.otherCollectionSilent", "Other collections are not heard of.") {
      context in
      let store = try await open(context)
      var changes = store.changes(in: "item").makeAsyncIterator()
      try await insert(1, store, into: "other")
      try await insert(2, store)
      context.expect(text(try await changes.next()), "item +[2]", "the first event")
    },
    ConformanceCase("observation.manyObservers", "Every observer hears of every commit.") {
      context in
      let store = try await open(context)
      let observers = (1...10).map { _ in store.changes(in: "item") }
      for id in 1...10 { try await insert(id, store) }
      for (number, observer) in observers.enumerated() {
        var changes = observer.makeAsyncIterator()
        for id in 1...10 {
          context.expect(
            text(try await changes.next()),
            "item +[\(id)]",
            "observer \(number), event \(id)"
          )
        }
      }
    },
    ConformanceCase("observation.handles", "All handles on a store hear of its commits.") {
      context in
      let store = try await open(context)
      let other = try context.open()
      var changes = other.changes(in: "item").makeAsyncIterator()
      try await insert(1, store)
      context.expect(text(try await changes.next()), "item +[1]", "the event")
    },
  ]

  static let all = rules + keys
}
