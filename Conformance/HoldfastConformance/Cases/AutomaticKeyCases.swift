import Holdfast

/// Keys that the store assigns: strictly increasing, never reused.
enum AutomaticKeyCases {
  private static func insert(_ transaction: WriteTransaction) throws -> Int64 {
    guard case .integer(let id) = try transaction.insert(["name": "x"], into: "automatic")[0] else {
      return -1
    }
    return id
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("records.automaticKeys", "Automatic keys begin at 1 and grow by insertion.") {
      context in
      let store = try await context.open(creating: Shapes.automatic())
      let keys = try await store.write { transaction in
        [try insert(transaction), try insert(transaction), try insert(transaction)]
      }
      context.expect(keys, [1, 2, 3], "keys")
      let put = try await store.write { try $0.put(["name": "put"], in: "automatic") }
      context.expect(put, 4, "the key that put gave")
      let ids = try await store.read { try $0.ids(Query("automatic")) }
      context.expect(ids, [1, 2, 3, 4], "ids")
    },
    ConformanceCase("records.noKeyReuse", "Deleting the largest record never frees its key.") {
      context in
      let store = try await context.open(creating: Shapes.automatic())
      try await store.write { transaction in
        for _ in 1...3 { _ = try insert(transaction) }
      }
      try await store.write { _ = try $0.delete(3, from: "automatic") }
      let next = try await store.write { try insert($0) }
      context.expect(next, 4, "after deleting the largest")
      try await store.write { _ = try $0.deleteAll(in: "automatic") }
      let afterClear = try await store.write { try insert($0) }
      context.expect(afterClear, 5, "after clearing")
    },
    ConformanceCase("records.noKeyReuseReopen", "Reopening never frees a deleted key.") { context in
      var store = try await context.open(creating: Shapes.automatic())
      try await store.write { transaction in
        for _ in 1...3 { _ = try insert(transaction) }
      }
      try await store.write { _ = try $0.deleteAll(in: "automatic") }
      store = try context.reopen(store)
      let next = try await store.write { try insert($0) }
      context.expect(next, 4, "after clearing and reopening")
    },
    ConformanceCase("records.explicitKeyRaises", "A given key raises the counter, not lowers it.") {
      context in
      let store = try await context.open(creating: Shapes.automatic())
      let keys = try await store.write { transaction -> [Int64] in
        try transaction.insert(["id": 100, "name": "given"], into: "automatic")
        var keys = [try insert(transaction)]
        try transaction.insert(["id": 50, "name": "lower"], into: "automatic")
        keys.append(try insert(transaction))
        try transaction.put(["id": 200, "name": "put"], in: "automatic")
        keys.append(try insert(transaction))
        try transaction.insert(["id": -5, "name": "negative"], into: "automatic")
        keys.append(try insert(transaction))
        return keys
      }
      context.expect(keys, [101, 102, 201, 202], "keys")
    },
    ConformanceCase("records.explicitKeyDeleted", "A given key is not given again after its end.") {
      context in
      var store = try await context.open(creating: Shapes.automatic())
      try await store.write { transaction in
        try transaction.insert(["id": 100, "name": "given"], into: "automatic")
        try transaction.delete(100, from: "automatic")
      }
      store = try context.reopen(store)
      let next = try await store.write { try insert($0) }
      context.expect(next, 101, "after deleting the given key")
    },
    ConformanceCase("records.keysExhausted", "After the largest key, automatic keys overflow.") {
      context in
      let store = try await context.open(creating: Shapes.automatic())
      try await store.write { transaction in
        try transaction.insert(["id": .integer(.max), "name": "last"], into: "automatic")
        context.expectError(.overflow, "insert") { _ = try insert(transaction) }
        context.expectError(.overflow, "put") {
          try transaction.put(["name": "x"], in: "automatic")
        }
        try transaction.insert(["id": 7, "name": "given"], into: "automatic")
      }
      let ids = try await store.read { try $0.ids(Query("automatic")) }
      context.expect(ids, [7, .integer(.max)], "ids")
    },
    ConformanceCase("records.automaticDuplicate", "A given automatic key may not exist already.") {
      context in
      let store = try await context.open(creating: Shapes.automatic())
      try await store.write { transaction in
        let first = try insert(transaction)
        context.expectError(.duplicateKey) {
          try transaction.insert(["id": .integer(first), "name": "y"], into: "automatic")
        }
        context.expect(try insert(transaction), 2, "the next key")
      }
    },
    ConformanceCase("records.countersAreApart", "Each collection counts its own keys.") { context in
      let store = try await context.open(
        creating: Shapes.automatic(),
        Shapes.automatic("other")
      )
      let keys = try await store.write { transaction -> [Key] in
        [
          try transaction.insert(["name": "a"], into: "automatic"),
          try transaction.insert(["name": "a"], into: "other"),
          try transaction.insert(["name": "a"], into: "automatic"),
          try transaction.insert(["name": "a"], into: "other"),
        ]
      }
      context.expect(keys, [1, 1, 2, 2], "keys")
    },
  ]
}
