import Foundation
import Holdfast
import Synchronization

/// How queries run: plans, full scans, cancellation.
enum PlanCases {
  private struct Item: Holdfast.Model {
    var id: Int64
    var name: String?
    var rank: Int64?
    var score: Double?
    static let schema = Schema<Item>("item", key: \.id) { Index(\.rank, \.name) }
  }

  /// Items 1 to 40 with ranks 0 to 9, an index on rank and name.
  private static func open(_ context: ConformanceContext) async throws -> Store {
    let store = try context.open()
    try await store.write { transaction in
      try Repository<Item>(store).create(in: transaction)
      try transaction.insertItems(1...40)
    }
    return store
  }

  /// Queries, each with its plan in words.
  private static let plans: [(Query, String)] = [
    (Query("item"), "read all of the key (id) of item\nwhich holds 40 records"),
    (
      Query("item", where: .equal("id", 7)),
      "read a part of the key (id) of item\nwhere id = 7\nwhich holds 1 record"
    ),
    (
      Query("item", where: .equal("rank", 3) && .greater("name", "name 2") && .isNull("score")),
      "read a part of index rank_name (rank, name) of item\nwhere rank = 3 AND name > 'name 2'\n"
        + "which holds 3 records\ncheck score IS NULL on each\nsort in memory"
    ),
    (
      Query("item", where: .isIn("rank", [2, 1]), sort: [.descending("rank")]),
      "read a part of index rank_name (rank, name) of item, 2 ranges\nwhere rank IN (1, 2)\n"
        + "which holds 8 records\nsort in memory"
    ),
    (
      Query("item", where: .equal("name", "name 1"), sort: [.ascending("score")]),
      "read all of the key (id) of item\nwhich holds 40 records\ncheck name = 'name 1' on each\n"
        + "sort in memory\nan index over (name, score) would help"
    ),
    (
      Query("item", sort: [.descending("rank"), .descending("name"), .descending("id")], limit: 3),
      "read all of index rank_name (rank, name) of item\nwhich holds 40 records"
    ),
    (Query("item", where: .isIn("id", [])), "read nothing: no record of item can match"),
  ]

  static let all: [ConformanceCase] = [
    ConformanceCase("query.explain", "The plan of a query is the same on every backend.") {
      context in
      let store = try await open(context)
      try await store.read { transaction in
        for (query, expected) in plans {
          let plan = try transaction.explain(query)
          context.expect(plan.description, expected, "\(query)")
        }
        context.expectError(.unknownField) {
          _ = try transaction.explain(Query("item", where: .equal("nothing", 1)))
        }
      }
    },
    ConformanceCase(
      "query.nativePlan",
      "The engine's own plan is given where that is declared, and unsupported elsewhere."
    ) { context in
      let store = try await open(context)
      let query = Query("item", where: .equal("rank", 3), sort: [.ascending("name")], limit: 2)
      if store.capabilities.explainsNatively {
        let plan = try await store.read { try $0.explain(query, native: true) }
        context.expect(that: plan.native?.isEmpty == false, "the engine says nothing")
      } else {
        await context.expectError(.unsupported) {
          _ = try await store.read { try $0.explain(query, native: true) }
        }
      }
    },
    ConformanceCase(
      "query.scanPolicy",
      "Where scans are forbidden, a query that reads every record names the index that would help."
    ) { context in
      let store = try await open(context)
      let items = Repository<Item>(store, scans: .forbid)
      await context.expectError(.fullScan) {
        _ = try await items.fetch(where: \.score > 1 && \.name == "name 1")
      }
      do {
        _ = try await items.where(\.score > 1 && \.name == "name 1").count()
      } catch let error as StorageError {
        context.expect(that: error.message.contains("(name, score)"), "the index is not named")
      }
      await context.expectError(.fullScan) { _ = try await items.delete(where: \.score == nil) }
      await context.expectError(.fullScan) {
        _ = try await items.update(where: \.name != nil, set: .value(\.rank, 1))
      }
      context.expect(try await items.fetch(where: \.rank == 3).count, 4, "by the index")
      context.expect(try await items.fetch().count, 40, "all that there are")
      let told = Mutex<[String]>([])
      let warned = Repository<Item>(
        store,
        scans: .warn { plan in told.withLock { $0 += plan.helpfulIndex ?? ["none"] } }
      )
      context.expect(try await warned.count(where: \.score == nil), 40, "with a warning")
      context.expect(try await warned.count(where: \.id == 2), 1, "without one")
      context.expect(told.withLock { $0 }.joined(separator: " "), "score", "the warnings")
    },
    ConformanceCase("query.cancelled", "A query ends when its task is cancelled.") { context in
      let store = try await open(context)
      let (starts, start) = AsyncStream.makeStream(of: Void.self)
      let reading = Task {
        try await store.read { transaction in
          start.yield()
          context.expectError(.cancelled, "the query that was running") {
            while true { _ = try transaction.fetch(Query("item", where: .contains("name", "3"))) }
          }
          _ = try transaction.count("item")
        }
      }
      let writing = Task {
        try await store.write { transaction in
          try transaction.insertItems([99])
          start.yield()
          while true { _ = try transaction.count("item", where: .contains("name", "3")) }
        }
      }
      var begun = 0
      for await _ in starts {
        begun += 1
        if begun == 2 { break }
      }
      reading.cancel()
      writing.cancel()
      for task in [reading, writing] {
        let result: Result<Void, any Error> = await task.result
        var isCancelled = false
        if case .failure(let error) = result { isCancelled = error is CancellationError }
        context.expect(that: isCancelled, "the query went on, or ended otherwise")
      }
      context.expect(try await store.read { try $0.count("item") }, 40, "nothing was written")
      try await store.write { try $0.insertItems([50]) }
      context.expect(try await store.read { try $0.count("item") }, 41, "a write afterwards")
    },
  ]
}
