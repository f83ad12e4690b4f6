import Holdfast

/// Copies into other stores, comparison, verification, suspension.
enum CopyCases {
  /// A store with everything that a copy must carry over.
  static func fill(_ store: Store) async throws {
    try await store.migrate([
      Migration("create") { transaction in
        try transaction.createCollection(Shapes.automatic("user"))
        try transaction.createCollection(ReferenceCases.definitions(.cascade)[1])
        try transaction.createCollection(
          Shapes.item("a/b \"quoted\"", indexes: [IndexDefinition(["name"], unique: true)])
        )
        try transaction.createCollection(ReferenceCases.tree(.setNull))
      }
    ])
    try await store.write { transaction in
      for id in 1...30 as ClosedRange<Int64> {
        try transaction.insert(["name": .text("user\u{0} \(id) é e\u{301}")], into: "user")
        try transaction.insert(["id": .integer(id), "user": .integer(id)], into: "status")
        try transaction.insert(
          [
            "id": .integer(-id), "name": .text(String(repeating: "x", count: Int(id) * 40)),
            "score": .real(Double(id) / 3),
          ],
          into: "a/b \"quoted\""
        )
      }
      // Parents come after their children in key order.
      try transaction.deferringReferences {
        for id in 1...20 as ClosedRange<Int64> {
          try transaction.insert(["id": .integer(id), "parent": .integer(21 - id)], into: "node")
        }
      }
      // The largest automatic key is gone, and does not come back.
      try transaction.deleteAll(in: "user", where: .greater("id", 25))
    }
  }

  static func differences(_ first: Store, _ second: Store) async throws -> [String] {
    try await first.differences(from: second).map(\.description)
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("copies.everything", "A copy holds records, schema, counters and migrations.") {
      context in
      let store = try context.open()
      try await fill(store)
      let copy = try context.open(.second)
      context.expect(try await store.copy(into: copy), 100, "records")
      context.expect(try await differences(store, copy), [], "differences")
      context.expect(try await copy.verify().filter(\.isFault).map(\.message), [], "faults")
      try await copy.write { transaction in
        context.expect(try transaction.insert(["name": "n"], into: "user").values, [31], "next key")
        try transaction.delete(1, from: "user")
        context.expect(try transaction.get(1, in: "status"), nil, "the cascade works")
      }
      context.expect(try await store.read { try $0.count("user") }, 25, "the original")
    },
    ConformanceCase(
      "copies.crossBackendConvert",
      "A store can be copied into another backend and back."
    ) { context in
      let store = try context.open()
      try await fill(store)
      let memory = Store(try KeyValueStorage(MemoryEngine()))
      try await store.copy(into: memory)
      context.expect(try await differences(store, memory), [], "differences")
      let back = try context.open(.second)
      try await memory.copy(into: back)
      context.expect(try await differences(store, back), [], "differences after the way back")
      try memory.close()
    },
    ConformanceCase("copies.destinationExists", "A store with collections is not copied into.") {
      context in
      let store = try context.open()
      try await fill(store)
      let copy = try context.open(.second)
      try await copy.write { try $0.createCollection(Shapes.item()) }
      await context.expectError(.alreadyExists) { try await store.copy(into: copy) }
      await context.expectError(.alreadyExists, "into itself") { try await store.copy(into: store) }
      let names = try await copy.read { try $0.catalog.collections.map(\.name) }
      context.expect(names, ["item"], "collections")
    },
    ConformanceCase("copies.wholeOrNot", "A copy that is cut short leaves nothing.") { context in
      let store = try context.open()
      try await fill(store)
      let copy = try context.open(.second)
      struct Stop: Error {}
      do {
        try await copy.write { writer in
          try Blocking.onAnotherThread { try store.close() }
          throw Stop()
        }
      } catch is Stop {}
      await context.expectError(.closed, "from a closed store") { try await store.copy(into: copy) }
      let catalog = try await copy.read { try $0.catalog }
      context.expect(catalog.collections.map(\.name), [], "collections")
      context.expect(catalog.migrations, [], "migrations")
      let again = try context.open()
      context.expect(try await again.copy(into: copy), 100, "records")
    },
    ConformanceCase("copies.underWrites", "A copy is of one moment, while others write.") {
      context in
      let store = try context.open()
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item("left"))
        try transaction.createCollection(Shapes.item("right"))
      }
      let copy = try context.open(.second)
      async let writing: Void = {
        for id in 1...100 {
          try await store.write { transaction in
            try transaction.insertItems([id], into: "left")
            try transaction.insertItems([id], into: "right")
          }
        }
      }()
      try await store.copy(into: copy)
      try await writing
      let counts = try await copy.read { [try $0.count("left"), try $0.count("right")] }
      context.expect(counts[0], counts[1], "both sides")
      context.expect(try await store.read { try $0.count("left") }, 100, "the original")
    },
    ConformanceCase("copies.differences", "A comparison finds every way to differ.") { context in
      let store = try context.open()
      let other = try context.open(.second)
      for (store, isSecond) in [(store, false), (other, true)] {
        try await store.write { transaction in
          try transaction.createCollection(Shapes.item())
          try transaction.createCollection(Shapes.item(isSecond ? "two" : "one"))
          try transaction.createCollection(
            Shapes.item("both", indexes: isSecond ? [IndexDefinition(["rank"])] : [])
          )
          try transaction.insertItems(isSecond ? [1, 2, 4] : [1, 2, 3])
          if isSecond { try transaction.update(2, set: ["rank": 8, "score": 0.5], in: "item") }
        }
      }
      context.expect(
        try await differences(store, other),
        [
          "a record of item differs in rank, score", "a record of item is only in the first store",
          "a record of item is only in the second store",
          "collection one is only in the first store", "collection both is defined otherwise",
          "collection two is only in the second store",
        ],
        "differences"
      )
      context.expect(try await differences(store, store), [], "with itself")
    },
    ConformanceCase("copies.verifySound", "A sound store has no faults.") { context in
      let store = try context.open()
      context.expect(try await store.verify().filter(\.isFault).map(\.message), [], "empty")
      try await fill(store)
      context.expect(try await store.verify().filter(\.isFault).map(\.message), [], "filled")
    },
    ConformanceCase("copies.backup", "A backup is a store of its own with all of it.") { context in
      let store = try context.open()
      try await fill(store)
      let path = try context.harness.path(of: .second)
      guard store.capabilities.backsUpOnline, let path else {
        await context.expectError(.unsupported, "what is not declared") {
          try await store.backup(to: path ?? "/nowhere")
        }
        return
      }
      try await store.backup(to: path)
      await context.expectError(.alreadyExists, "something is there") {
        try await store.backup(to: path)
      }
      try await store.write { _ = try $0.deleteAll(in: "status") }
      let copy = try context.open(.second)
      context.expect(try await copy.read { try $0.count("status") }, 25, "statuses in the copy")
      context.expect(try await copy.verify().filter(\.isFault).map(\.message), [], "faults")
      try await copy.write { transaction in
        context.expect(try transaction.insert(["name": "n"], into: "user").values, [31], "next key")
      }
    },
    ConformanceCase("copies.backupConsistentUnderWrites", "A backup is of one moment.") { context in
      let store = try context.open()
      let path = try context.harness.path(of: .second)
      guard store.capabilities.backsUpOnline, let path else {
        await context.expectError(.unsupported, "what is not declared") {
          try await store.backup(to: path ?? "/nowhere")
        }
        return
      }
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item("left"))
        try transaction.createCollection(Shapes.item("right"))
      }
      async let writing: Void = {
        for id in 1...200 {
          try await store.write { transaction in
            try transaction.insertItems([id], into: "left")
            try transaction.insertItems([id], into: "right")
          }
        }
      }()
      try await store.backup(to: path)
      try await writing
      let copy = try context.open(.second)
      let counts = try await copy.read { [try $0.count("left"), try $0.count("right")] }
      context.expect(counts[0], counts[1], "both sides")
    },
    ConformanceCase("copies.compact", "Compacting loses nothing.") { context in
      let store = try context.open()
      try await fill(store)
      try await store.write { try $0.deleteAll(in: "a/b \"quoted\"") }
      try await store.compact()
      context.expect(try await store.read { try $0.count("user") }, 25, "users")
      context.expect(try await store.verify().filter(\.isFault).map(\.message), [], "faults")
      try await store.write { transaction in
        context.expect(try transaction.insert(["name": "n"], into: "user").values, [31], "next key")
      }
    },
    ConformanceCase("copies.suspend", "A suspended store refuses everything until resumed.") {
      context in
      let store = try context.open()
      try await fill(store)
      try store.suspend()
      try store.suspend()
      await context.expectError(.suspended, "read") { try await store.read { _ in } }
      await context.expectError(.suspended, "write") { try await store.write { _ in } }
      await context.expectError(.suspended, "verify") { _ = try await store.verify() }
      await context.expectError(.suspended, "compact") { try await store.compact() }
      try store.resume()
      try store.resume()
      context.expect(try await store.read { try $0.count("user") }, 25, "users")
      try await store.write { transaction in
        context.expect(try transaction.insert(["name": "n"], into: "user").values, [31], "next key")
        context.expectError(.nestedTransaction, "inside a body") { try store.suspend() }
      }
      try store.suspend()
      try store.close()
    },
    ConformanceCase(
      "copies.suspendWaits",
      "Suspending waits for what runs, and is busy after that."
    ) { context in
      let store = try context.open { $0.timeout = .milliseconds(50) }
      try await store.write { try $0.createCollection(Shapes.item()) }
      try await store.read { transaction in
        try Blocking.onAnotherThread {
          context.expectError(.busy) { try store.suspend() }
        }
        context.expect(try transaction.count("item"), 0, "the reader goes on")
      }
      context.expect(try await store.read { try $0.count("item") }, 0, "the store goes on")
    },
  ]
}
