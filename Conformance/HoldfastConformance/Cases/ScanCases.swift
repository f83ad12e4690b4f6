import Holdfast

/// Cursors in write bodies: the smallest record after the last one, in the state of now.
enum ScanCases {
  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(creating: Shapes.item(indexes: [IndexDefinition(["rank"])]))
    try await store.write { transaction in
      for id in 1...10 {
        try transaction.insert(
          ["id": .integer(Int64(id * 10)), "rank": .integer(Int64(id * 10))],
          into: "item"
        )
      }
    }
    return store
  }

  private static func integers(_ ids: [Int]) -> [Int64] { ids.map { Int64($0) } }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "transaction.scanWhileWriting",
      "A scan meets what is inserted ahead, not behind."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item"))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          let id = row.integer(0)
          ids.append(id)
          if id == 30 {
            try transaction.insert(["id": 25], into: "item")
            try transaction.insert(["id": 35], into: "item")
          }
          if id == 100 { try transaction.insert(["id": 105], into: "item") }
          if ids.count > 50 { break }
        }
        context.expect(ids, integers([10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 105]), "ids")
      }
    },
    ConformanceCase("transaction.scanMissesDeletes", "A scan skips what is deleted ahead, no more.")
    {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item"))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          let id = row.integer(0)
          ids.append(id)
          try transaction.delete(Key(.integer(id)), from: "item")
          if id == 20 { try transaction.delete(40, from: "item") }
        }
        context.expect(ids, integers([10, 20, 30, 50, 60, 70, 80, 90, 100]), "ids")
        context.expect(try transaction.count("item"), 0, "records left")
      }
    },
    ConformanceCase("transaction.scanDownWhileWriting", "A descending scan goes on below its last.")
    {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item", sort: [.descending("id")]))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          let id = row.integer(0)
          ids.append(id)
          if id == 80 {
            try transaction.insert(["id": 85], into: "item")
            try transaction.insert(["id": 75], into: "item")
            try transaction.delete(70, from: "item")
          }
        }
        context.expect(ids, integers([100, 90, 80, 75, 60, 50, 40, 30, 20, 10]), "ids")
      }
    },
    ConformanceCase(
      "transaction.scanIndexWhileUpdating",
      "A scan over an index goes on after updates."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(
          Query("item", where: .greater("rank", 0), sort: [.ascending("rank")])
        )
        var ids: [Int64] = []
        while let row = try cursor.next() {
          let id = row.integer(0)
          ids.append(id)
          // Behind the cursor: met no more. Ahead of it: met again, once.
          if id == 50 { try transaction.update(50, set: ["rank": 5], in: "item") }
          if id == 70 { try transaction.update(70, set: ["rank": 95], in: "item") }
          if ids.count > 50 { break }
        }
        context.expect(ids, integers([10, 20, 30, 40, 50, 60, 70, 80, 90, 70, 100]), "ids")
      }
    },
    ConformanceCase(
      "transaction.bulkUpdateOnce",
      "Deleting by an indexed filter meets no record twice."
    ) { context in
      let store = try await open(context)
      try await store.write { transaction in
        context.expect(
          try transaction.deleteAll(in: "item", where: .greaterOrEqual("rank", 50)),
          6,
          "deleted"
        )
        context.expect(try transaction.ids(Query("item")), [10, 20, 30, 40], "ids")
      }
    },
    ConformanceCase(
      "transaction.scanLimitWhileWriting",
      "A limit counts what a scan yielded in all."
    ) {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item", limit: 4, offset: 2))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          ids.append(row.integer(0))
          try transaction.insert(["id": .integer(row.integer(0) + 1)], into: "item")
          if ids.count > 50 { break }
        }
        context.expect(ids, integers([30, 31, 32, 33]), "ids")
      }
    },
    ConformanceCase(
      "transaction.scanAcrossSavepoint",
      "A scan goes on after a savepoint within it."
    ) {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item"))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          let id = row.integer(0)
          ids.append(id)
          if id == 20 {
            _ = try transaction.savepoint { try transaction.insert(["id": 25], into: "item") }
          }
          if id == 40 {
            do {
              try transaction.savepoint {
                try transaction.insert(["id": 45], into: "item")
                try transaction.deleteAll(in: "item")
                throw Abandoned()
              }
            } catch is Abandoned {}
          }
        }
        context.expect(ids, integers([10, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100]), "ids")
      }
    },
    ConformanceCase("transaction.scanOfSavepointEnds", "A scan opened in a savepoint ends with it.")
    {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let kept = try transaction.savepoint {
          let cursor = try transaction.rows(Query("item"))
          _ = try cursor.next()
          return cursor
        }
        context.expectError(.transactionClosed) { _ = try kept.next() }
        try transaction.insert(["id": 1], into: "item")
      }
      context.expect(try await store.read { try $0.count("item") }, 11, "records")
    },
    ConformanceCase("transaction.scanEndsWithSchema", "A schema change ends every open scan.") {
      context in
      let store = try await open(context)
      try await store.write { transaction in
        let cursor = try transaction.rows(Query("item"))
        _ = try cursor.next()
        try transaction.createCollection(Shapes.item("other"))
        context.expectError(.transactionClosed) { _ = try cursor.next() }
      }
    },
    ConformanceCase("transaction.severalScans", "Several scans and gets side by side do not mix.") {
      context in
      let store = try await open(context)
      for isWriting in [false, true] {
        let body: @Sendable (ReadTransaction) throws -> [Int64] = { transaction in
          let up = try transaction.rows(Query("item"))
          let down = try transaction.rows(Query("item", sort: [.descending("rank")]))
          var ids: [Int64] = []
          while let row = try up.next() {
            let id = row.integer(0)
            let name = try transaction.value("rank", of: Key(.integer(id)), in: "item")
            context.expect(name, .integer(id), "rank got inside the scan")
            guard let other = try down.next() else { break }
            ids += [id, other.integer(0)]
          }
          return ids
        }
        let ids = try await isWriting ? store.write { try body($0) } : store.read { try body($0) }
        context.expect(
          ids,
          integers((1...10).flatMap { [$0 * 10, 110 - $0 * 10] }),
          "writing: \(isWriting)"
        )
      }
    },
    ConformanceCase("transaction.scanEnd", "After its last row a scan stays at the end.") {
      context in
      let store = try await open(context)
      try await store.read { transaction in
        let cursor = try transaction.rows(Query("item", where: .greater("id", 90)))
        context.expect(try cursor.next()?.integer(0), 100, "the one row")
        for _ in 0..<3 { context.expect(that: try cursor.next() == nil, "rows after the end") }
        cursor.close()
        cursor.close()
      }
    },
  ]
}
