import Foundation
import Holdfast
import Synchronization

/// Many threads and tasks at once.
enum ConcurrencyCases {
  /// Accounts that hold a hundred each.
  private static func openBank(_ context: ConformanceContext) async throws -> Store {
    let store = try await context.open(
      creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
    )
    try await store.write { transaction in
      for id in 0..<10 {
        try transaction.insert(["id": .integer(Int64(id)), "rank": 100], into: "item")
      }
    }
    return store
  }

  private static func add(_ amount: Int64, to id: Int, _ transaction: WriteTransaction) throws {
    let key = Key(.integer(Int64(id)))
    guard case .integer(let rank)? = try transaction.value("rank", of: key, in: "item") else {
      throw StorageError(.notFound, "an account of the case is missing")
    }
    try transaction.update(key, set: ["rank": .integer(rank + amount)], in: "item")
  }

  private static func code(of error: any Error) -> String {
    (error as? StorageError)?.code.rawValue ?? "\(error)"
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "concurrency.exactCounter",
      "Writers are serial: increments from eight threads all count."
    ) { context in
      let store = try await openBank(context)
      let results = Blocking.onThreads(8) { _ in
        for _ in 0..<25 { try store.write { try add(1, to: 0, $0) } }
      }
      for case .failure(let error) in results { context.fail("a write threw \(error)") }
      let rank = try await store.read { try $0.value("rank", of: 0, in: "item") }
      context.expect(rank, 300, "the counter")
    },
    ConformanceCase(
      "concurrency.bankTotal",
      "Transfers, abandoned ones too, leave the total what it was, in every snapshot."
    ) { context in
      let store = try await openBank(context)
      let seed = context.seed
      let results = Blocking.onThreads(6) { number in
        var generator = SeededGenerator(seed: seed ^ UInt64(number))
        for round in 0..<40 {
          if number >= 4 {
            let sum = try store.read { try $0.aggregate("item", [.sum("rank"), .count]) }
            context.expect(sum, [[1000, 10]], "the total that a reader sees")
            continue
          }
          let from = generator.below(10)
          let into = generator.below(10)
          let amount = Int64(generator.below(50))
          do {
            try store.write { transaction in
              try add(-amount, to: from, transaction)
              if round % 5 == 0 { throw Abandoned() }
              try add(amount, to: into, transaction)
            }
          } catch is Abandoned {}
        }
      }
      for case .failure(let error) in results { context.fail("a thread threw \(error)") }
      let sum = try await store.read { try $0.aggregate("item", [.sum("rank")]) }
      context.expect(sum, [[1000]], "the total in the end")
    },
    ConformanceCase(
      "concurrency.longReader",
      "A reader kept open through three hundred commits sees its own state to the end."
    ) { context in
      let store = try await openBank(context)
      try await store.read { transaction in
        let cursor = try transaction.rows(Query("item"))
        _ = try cursor.next()
        try Blocking.onAnotherThread {
          for round in 0..<300 {
            try store.write { writer in
              try writer.deleteAll(in: "item", where: .less("id", 5))
              try writer.insertItems(round * 10 + 100..<round * 10 + 110)
            }
          }
        }
        var rest = 0
        while try cursor.next() != nil { rest += 1 }
        context.expect(rest, 9, "rows left of the cursor")
        let first = try transaction.value("rank", of: 0, in: "item")
        context.expect(first, 100, "a record that was deleted since")
        let sum = try transaction.aggregate("item", [.sum("rank"), .count])
        context.expect(sum, [[1000, 10]], "the total that the reader sees")
      }
      context.expect(try await store.read { try $0.count("item") }, 3005, "records in the end")
    },
    ConformanceCase(
      "concurrency.500Readers",
      "Five hundred readers beside a writer each see a whole snapshot."
    ) { context in
      let store = try context.open { $0.timeout = .seconds(60) }
      try await store.write { transaction in
        try transaction.createCollection(Shapes.item())
        try transaction.insertItems([0, 1])
        for id in 0...1 {
          try transaction.update(Key(.integer(Int64(id))), set: ["rank": 0], in: "item")
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<500 {
          group.addTask {
            if number % 25 == 0 {
              try await store.write { transaction in
                for id in 0...1 { try add(1, to: id, transaction) }
              }
            }
            let ranks = try await store.read { try $0.column("rank", Query("item")) }
            context.expect(ranks.first, ranks.last, "two fields that are written together")
          }
        }
        try await group.waitForAll()
      }
      let ranks = try await store.read { try $0.column("rank", Query("item")) }
      context.expect(ranks, [20, 20], "in the end")
    },
    ConformanceCase(
      "concurrency.openRace",
      "Eight threads that open one path at once share the store."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try store.close()
      let harness = context.harness
      let results = Blocking.onThreads(8) { number in
        for round in 0..<5 {
          let mine = try harness.open(.main, options: ConformanceContext.quick)
          try mine.write { try $0.insertItems([number * 10 + round]) }
          context.expect(mine.wasCreated, false, "wasCreated")
          try mine.close()
        }
      }
      for case .failure(let error) in results { context.fail("a thread threw \(error)") }
      let again = try context.open()
      let ids = try await again.read { try $0.ids(Query("item")) }
      let expected = (0..<8).flatMap { number in
        (0..<5).map { Value.integer(Int64(number * 10 + $0)) }
      }
      context.expect(ids, expected, "ids")
    },
    ConformanceCase(
      "concurrency.closeRace",
      "Closing under use: each call succeeds or is closed, and what succeeded is kept."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      let written = Mutex<[Int]>([])
      let ready = Door()
      let results = Blocking.onThreads(6) { number in
        if number == 0 {
          try ready.wait()
          try store.close()
          return
        }
        for round in 0..<100_000 {
          let id = number * 100_000 + round
          do {
            if number < 4 {
              try store.write { try $0.insertItems([id]) }
              written.withLock { $0.append(id) }
            } else {
              _ = try store.read { try $0.count("item") }
            }
          } catch {
            context.expect(code(of: error), "closed", "the error after closing")
            return
          }
          if round == 3 { ready.open() }
        }
      }
      for case .failure(let error) in results { context.fail("a thread threw \(error)") }
      let again = try context.open()
      let ids = try await again.read { try $0.ids(Query("item")) }
      let expected = written.withLock { $0 }.sorted().map { Value.integer(Int64($0)) }
      context.expect(ids, expected, "ids")
    },
    ConformanceCase(
      "transaction.cancelHalfOfMany",
      "Of a hundred waiting writes the cancelled half leaves no trace, the other half is whole."
    ) { context in
      let store = try context.open { $0.timeout = .seconds(60) }
      _ = try await store.write { try $0.createCollection(Shapes.item()) }
      let inside = Door()
      let release = Door()
      let holder = Task {
        try await store.write { _ in
          inside.open()
          try release.wait()
        }
      }
      try Blocking.onAnotherThread { try inside.wait() }
      let tasks = (0..<100).map { id in Task { try await store.write { try $0.insertItems([id]) } }
      }
      for (id, task) in tasks.enumerated() where id % 2 == 1 { task.cancel() }
      release.open()
      try await holder.value
      for (id, task) in tasks.enumerated() {
        do {
          try await task.value
          context.expect(that: id % 2 == 0, "the cancelled write \(id) succeeded")
        } catch {
          context.expect(
            that: id % 2 == 1 && error is CancellationError,
            "write \(id) threw \(error)"
          )
        }
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(ids, stride(from: 0, to: 100, by: 2).map { .integer(Int64($0)) }, "ids")
    },
    ConformanceCase(
      "lifecycle.useDuringClose",
      "While closing waits for a reader, new calls are closed and the reader goes on."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      let closing = Mutex<(any Error)?>(nil)
      let closed = Door()
      try await store.read { transaction in
        Thread.detachNewThread {
          do {
            try store.close()
          } catch {
            closing.withLock { $0 = error }
          }
          closed.open()
        }
        let refused = try Blocking.onAnotherThread { () -> String in
          let limit = ContinuousClock.now + .seconds(4)
          while ContinuousClock.now < limit {
            do {
              _ = try store.read { _ in }
            } catch {
              return code(of: error)
            }
          }
          return "none"
        }
        context.expect(refused, "closed", "a read while closing")
        context.expect(try transaction.count("item"), 1, "what the open reader sees")
      }
      try Blocking.onAnotherThread { try closed.wait() }
      if let error = closing.withLock({ $0 }) { context.fail("closing threw \(error)") }
      await context.expectError(.closed, "afterwards") { _ = try await store.read { _ in } }
    },
  ]
}
