import Holdfast

/// Limits and offsets beyond all rows.
extension SortCases {
  static let counts: [ConformanceCase] = [
    ConformanceCase("sort.hugeCount", "Limits and offsets of any size are taken as they are.") {
      context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["rank"])])
      )
      try await store.write { try $0.insertItems(1...5) }
      let filters: [Filter] = [.all, .greater("rank", 0), .greater("id", 0), .notEqual("name", "")]
      for filter in filters {
        for sort in [[], [Sort.descending("rank")], [.ascending("name")]] {
          let query = Query("item", where: filter, sort: sort)
          func ids(_ limit: Int?, _ offset: Int) async throws -> [Value] {
            var query = query
            query.limit = limit
            query.offset = offset
            let asked = query
            return try await store.read { try $0.ids(asked) }
          }
          let all = try await ids(nil, 0)
          context.expect(all.count, 5, "\(query): all")
          context.expect(try await ids(.max, 0), all, "\(query): the largest limit")
          context.expect(try await ids(.max, 2), Array(all.dropFirst(2)), "\(query): an offset too")
          context.expect(try await ids(.max, .max), [], "\(query): both the largest")
          context.expect(try await ids(nil, .max), [], "\(query): the largest offset")
          context.expect(try await ids(1, .max - 1), [], "\(query): a sum that just fits")
          var page = query
          page.limit = .max
          let asked = page
          let (count, isLast) = try await store.read { transaction in
            let page = try transaction.page(asked)
            return (page.elements.count, page.next == nil)
          }
          context.expect(count, 5, "\(query): on a page")
          context.expect(isLast, true, "\(query): the last page")
        }
      }
    }
  ]
}
