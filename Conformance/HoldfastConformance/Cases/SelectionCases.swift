import Foundation
import Holdfast

/// Selections of models: streams, pages, tuples, figures.
enum SelectionCases {
  private struct Item: Holdfast.Model, Equatable {
    var id: Int64
    var name: String?
    var rank: Int64?
    var score: Double?
    static let schema = Schema<Item>("item", key: \.id) { Index(\.rank) }
  }

  private static func open(_ context: ConformanceContext, _ ids: ClosedRange<Int>) async throws
    -> Repository<Item>
  {
    let items = Repository<Item>(try context.open())
    try await items.insert(
      contentsOf: ids.map { id in
        Item(
          id: Int64(id),
          name: id % 5 == 0 ? nil : "name \(id % 3)",
          rank: Int64(id % 7),
          score: Double(id) / 4
        )
      }
    )
    return items
  }

  private static func ids(_ selection: Selection<Item>) async throws -> [Value] {
    try await selection.fetch().map { .integer($0.id) }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("paging.stream", "A stream gives the records of a query, one by one.") {
      context in
      let items = try await open(context, 1...1300)
      let selections = [
        items.all, try items.where(\.rank > 2).sorted(by: .descending(\.rank)),
        try items.all.sorted(by: .descending(\.name)).limited(to: 700, offset: 100),
        items.all.limited(to: 512), items.all.limited(to: 0), try items.where(\.rank == 99),
      ]
      for selection in selections {
        var streamed: [Value] = []
        for try await item in selection.stream() { streamed.append(.integer(item.id)) }
        context.expect(streamed, try await ids(selection), "\(selection.query)")
      }
    },
    ConformanceCase(
      "paging.streamWhileWriting",
      "A stream's loop may write; what it deletes ahead of the stream does not come."
    ) { context in
      let items = try await open(context, 1...1500)
      var count = 0
      for try await item in items.all.stream() {
        count += 1
        if item.id == 1 { try await items.delete(where: \.id > 1000) }
        if item.id % 100 == 0 { try await items.increment(\.rank, of: item.id) }
      }
      context.expect(count, 1000, "records")
    },
    ConformanceCase("paging.streamCancelled", "A stream ends when its task is cancelled.") {
      context in
      let items = try await open(context, 1...600)
      let task = Task {
        var count = 0
        for try await item in items.all.stream() {
          count += 1
          if item.id == 1 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return count
      }
      var isCancelled = false
      if case .failure(let error) = await task.result { isCancelled = error is CancellationError }
      context.expect(that: isCancelled, "the stream went on to its end")
    },
    ConformanceCase("paging.sequence", "Pages follow one another, none of them empty.") { context in
      let items = try await open(context, 1...60)
      let selection = try items.where(\.rank != 3).sorted(by: .ascending(\.name))
      let whole = try await ids(selection)
      for size in [1, 7, whole.count, 100] {
        var paged: [Value] = []
        var token: PageToken?
        for try await page in selection.pages(of: size) {
          context.expect(that: !page.elements.isEmpty, "an empty page of \(size)")
          paged += page.elements.map { .integer($0.id) }
          if token == nil { token = page.next }
        }
        context.expect(paged, whole, "pages of \(size)")
        guard let token else { continue }
        var rest: [Value] = []
        for try await page in selection.pages(of: 10, after: token) {
          rest += page.elements.map { .integer($0.id) }
        }
        context.expect(rest, Array(whole.dropFirst(size)), "from the token of \(size)")
      }
    },
    ConformanceCase("query.tuples", "Properties come as tuples, in the records' order.") {
      context in
      let items = try await open(context, 1...20)
      let selection = try items.where(\.rank < 2).sorted(by: .descending(\.id))
      let tuples = try await selection.values(\.id, \.name, \.score)
      let expected = try await selection.fetch()
      context.expect(tuples.map(\.0), expected.map(\.id), "ids")
      context.expect(tuples.map { $0.1 ?? "null" }, expected.map { $0.name ?? "null" }, "names")
      context.expect(
        tuples.map { Value.real($0.2 ?? -1) },
        expected.map { Value.real($0.score ?? -1) },
        "scores"
      )
    },
    ConformanceCase("query.figures", "Figures and groups are of the records that match.") {
      context in
      let items = try await open(context, 1...40)
      let selection = try items.where(\.id > 10)
      let all = try await selection.fetch()
      let (count, sum, low, mean) = try await selection.figures(
        .count,
        .sum(\.rank),
        .minimum(\.score),
        .average(\.id)
      )
      context.expect(count, all.count, "count")
      context.expect(sum, all.reduce(0) { $0 + ($1.rank ?? 0) }, "sum")
      context.expect(.real(low ?? -1), 2.75 as Value, "minimum")
      context.expect(.real(mean ?? -1), 25.5 as Value, "average")
      let groups = try await selection.groups(by: \.name, figures: .count, .maximum(\.id))
      let names = ["null", "name 0", "name 1", "name 2"]
      context.expect(groups.map { $0.key ?? "null" }, names, "keys")
      for (key, figures) in groups {
        let members = all.filter { $0.name == key }
        context.expect(figures.0, members.count, "count of \(key ?? "null")")
        context.expect(figures.1, members.map(\.id).max(), "last of \(key ?? "null")")
      }
    },
  ]
}
