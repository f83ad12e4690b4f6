import Holdfast

/// Keys that the store chose, and commits of other processes.
extension ObservationCases {
  static let keys: [ConformanceCase] = [
    ConformanceCase(
      "observation.automaticKeys",
      "Events name the automatic keys that records have in the end, and no other."
    ) { context in
      var definition = Shapes.automatic("auto")
      definition.indexes = [IndexDefinition(["name"], unique: true)]
      let store = try await context.open(creating: definition)
      var changes = store.changes(in: "auto").makeAsyncIterator()
      func expectAll(_ what: String, _ sign: String = "+") async throws {
        let ids = try await store.read { try $0.ids(Query("auto")) }.map(\.exactText)
        let event = text(try await changes.next())
        context.expect(event, "auto \(sign)[\(ids.joined(separator: " "))]", what)
        try await store.write { _ = try $0.deleteAll(in: "auto") }
        context.expect(
          text(try await changes.next()),
          "auto -[\(ids.joined(separator: " "))]",
          "\(what), deleted"
        )
      }
      try await store.write { transaction in
        try transaction.insert(["name": "a"], into: "auto")
        context.expectError(.uniqueViolation) {
          try transaction.insert(["name": "a"], into: "auto")
        }
        try transaction.insert(["name": "b"], into: "auto")
        try transaction.put(["name": "c"], in: "auto")
        try transaction.put(["id": 20, "name": "d"], in: "auto")
        try? transaction.savepoint {
          try transaction.insert(["name": "e"], into: "auto")
          throw Undone()
        }
        try transaction.insert(["name": "f"], into: "auto")
      }
      try await expectAll("one commit")
      try? await store.write { transaction in
        try transaction.insert(["name": "g"], into: "auto")
        throw Undone()
      }
      try await store.write { _ = try $0.insert(["name": "h"], into: "auto") }
      try await expectAll("after a rollback")
    },
    ProcessCases.shared(
      "observation.externalProcess",
      "Commits of another process arrive, where the backend notices them."
    ) { context in
      let (store, peer) = try await ProcessCases.openBoth(context)
      guard store.capabilities.noticesExternalChanges else { return }
      var changes = store.changes(in: "item").makeAsyncIterator()
      for id in [10, 11] {
        try peer.ask("insert item \(id) 1")
        let start = ContinuousClock.now
        let event = try await changes.next()
        let waited = ContinuousClock.now - start
        context.expect(text(event), "item ?", "the other's commit")
        context.expect(event?.commits ?? -1, 0, "commits of this process")
        context.expect(that: waited < .seconds(10), "it took \(waited)")
      }
      try await insert(20, store)
      context.expect(text(try await changes.next()), "item +[20]", "this process's commit")
    },
  ]
}
