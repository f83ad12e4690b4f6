import Holdfast

/// What transactions see of one another.
enum IsolationCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("transaction.snapshotStable", "A reader sees one state while others commit.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { try $0.insertItems(1...5) }
      try await store.read { transaction in
        context.expect(try transaction.count("item"), 5, "before")
        try Blocking.onAnotherThread {
          try store.write { writer in
            try writer.insertItems(6...9)
            try writer.delete(1, from: "item")
            try writer.update(2, set: ["name": "changed", "rank": 77], in: "item")
          }
        }
        context.expect(try transaction.ids(Query("item")), [1, 2, 3, 4, 5], "ids")
        context.expect(try transaction.value("name", of: 2, in: "item"), "name 2", "the old name")
        context.expect(
          try transaction.ids(Query("item", where: .greater("rank", 1))),
          [2, 3, 4, 5],
          "by index"
        )
        context.expect(try transaction.count("item", where: .equal("rank", 77)), 0, "the new rank")
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(ids, [2, 3, 4, 5, 6, 7, 8, 9], "ids of the next reader")
    },
    ConformanceCase(
      "transaction.snapshotAtBegin",
      "The snapshot is of the beginning, not first use."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      try await store.read { transaction in
        try Blocking.onAnotherThread { try store.write { try $0.insertItems([2]) } }
        context.expect(try transaction.ids(Query("item")), [1], "ids at first use")
      }
    },
    ConformanceCase("transaction.snapshotOfSchema", "A reader keeps the catalog it began with.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.read { transaction in
        try Blocking.onAnotherThread {
          try store.write { writer in
            try writer.createCollection(Shapes.item("later"))
            try writer.insertItems([1], into: "later")
          }
        }
        context.expectError(.unknownCollection) { _ = try transaction.count("later") }
        context.expect(try transaction.catalog.collections.map(\.name), ["item"], "catalog")
      }
      context.expect(try await store.read { try $0.count("later") }, 1, "records later")
    },
    ConformanceCase("transaction.cursorOnSnapshot", "An open cursor stays on its snapshot.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...100) }
      try await store.read { transaction in
        let cursor = try transaction.rows(Query("item"))
        var ids: [Int64] = []
        while let row = try cursor.next() {
          ids.append(row.integer(0))
          if ids.count == 1 || ids.count == 50 {
            try Blocking.onAnotherThread {
              try store.write { writer in
                try writer.deleteAll(in: "item")
                try writer.insertItems(500...600)
              }
            }
          }
        }
        context.expect(ids, Array(1...100), "ids")
      }
    },
    ConformanceCase("transaction.noDirtyRead", "Nobody sees a write before it commits.") {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      try await store.write { transaction in
        try transaction.insertItems([2])
        try transaction.update(1, set: ["name": "dirty"], in: "item")
        let seen = try Blocking.onAnotherThread {
          try store.read { try $0.column("name", Query("item")) }
        }
        context.expect(seen, ["name 1"], "what another thread sees")
      }
      let names = try await store.read { try $0.column("name", Query("item")) }
      context.expect(names, ["dirty", "name 2"], "after the commit")
    },
    ConformanceCase(
      "concurrency.readerDoesNotBlockWriter",
      "A writer commits under an open reader."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.read { transaction in
        for id in 1...20 {
          try Blocking.onAnotherThread { try store.write { try $0.insertItems([id]) } }
        }
        context.expect(try transaction.count("item"), 0, "what the reader sees")
      }
      context.expect(try await store.read { try $0.count("item") }, 20, "records")
    },
    ConformanceCase(
      "transaction.manyReaders",
      "Readers of different ages each see their own state."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      @Sendable func descend(_ depth: Int) throws {
        if depth == 4 { return }
        try store.read { transaction in
          let count = try transaction.count("item")
          context.expect(count, depth, "at depth \(depth)")
          try Blocking.onAnotherThread {
            try store.write { try $0.insertItems([depth]) }
            try descend(depth + 1)
          }
          context.expect(try transaction.count("item"), depth, "at depth \(depth), afterwards")
        }
      }
      try Blocking.onAnotherThread { try descend(0) }
    },
    ConformanceCase("transaction.noLostUpdate", "Concurrent increments all count.") { context in
      let store = try await context.open(creating: Shapes.item())
      _ = try await store.write { try $0.insert(["id": 1, "rank": 0], into: "item") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<25 {
              try await store.write { transaction in
                guard case .integer(let rank) = try transaction.value("rank", of: 1, in: "item")
                else { return }
                try transaction.update(1, set: ["rank": .integer(rank + 1)], in: "item")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let rank = try await store.read { try $0.value("rank", of: 1, in: "item") }
      context.expect(rank, 200, "the counter")
    },
    ConformanceCase(
      "transaction.noWriteSkew",
      "Two bodies that check and then write are one by one."
    ) {
      context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1, 2]) }
      await withTaskGroup(of: Void.self) { group in
        for id in 1...2 {
          group.addTask {
            do {
              try await store.write { transaction in
                if try transaction.count("item") == 2 {
                  try transaction.delete(Key(.integer(Int64(id))), from: "item")
                }
              }
            } catch {
              context.fail("the write of \(id) threw \(error)")
            }
          }
        }
      }
      context.expect(try await store.read { try $0.count("item") }, 1, "records left")
    },
    ConformanceCase(
      "concurrency.neverTorn",
      "Readers beside a writer never see half a transaction."
    ) {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { transaction in
        for id in 0..<10 {
          try transaction.insert(["id": .integer(Int64(id)), "rank": 100], into: "item")
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var generator = context.generator()
          for _ in 0..<60 {
            let from = generator.below(10)
            let into = generator.below(10)
            let amount = Int64(generator.below(30))
            try await store.write { transaction in
              for (id, change) in [(from, -amount), (into, amount)] {
                let key = Key(.integer(Int64(id)))
                guard case .integer(let rank) = try transaction.value("rank", of: key, in: "item")
                else { return }
                try transaction.update(key, set: ["rank": .integer(rank + change)], in: "item")
              }
            }
          }
        }
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<60 {
              let sums = try await store.read { transaction in
                try transaction.aggregate("item", [.sum("rank"), .count])
              }
              context.expect(sums, [[1000, 10]], "the bank's total")
            }
          }
        }
        try await group.waitForAll()
      }
    },
    ConformanceCase(
      "transaction.busyTimeout",
      "A writer that waits longer than the timeout is busy."
    ) {
      context in
      let store = try context.open { $0.timeout = .milliseconds(200) }
      _ = try await store.write { try $0.createCollection(Shapes.item()) }
      try await store.write { transaction in
        let failure = try Blocking.onAnotherThread { () -> String in
          do {
            try store.write { try $0.insertItems([9]) }
            return "none"
          } catch {
            return (error as? StorageError)?.code.rawValue ?? "\(error)"
          }
        }
        context.expect(failure, "busy", "the other writer's error")
        try transaction.insertItems([1])
      }
      try await store.write { try $0.insertItems([2]) }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2], "ids")
    },
    ConformanceCase("lifecycle.closeWithOpenReader", "Closing waits for readers, then is busy.") {
      context in
      let store = try context.open { $0.timeout = .milliseconds(200) }
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item())
        try transaction.insertItems([1])
      }
      try await store.read { transaction in
        let failure = try Blocking.onAnotherThread { () -> String in
          do {
            try store.close()
            return "none"
          } catch {
            return (error as? StorageError)?.code.rawValue ?? "\(error)"
          }
        }
        context.expect(failure, "busy", "closing under a reader")
        context.expect(try transaction.count("item"), 1, "the reader afterwards")
      }
      context.expect(try await store.read { try $0.count("item") }, 1, "the store stays open")
      try store.close()
    },
  ]
}
