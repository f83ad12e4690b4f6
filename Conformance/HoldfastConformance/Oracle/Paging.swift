import Holdfast

/// Walks a query page by page.
enum Paging {
  /// The keys of all pages of a query with a limit, each page in a transaction of its own.
  ///
  /// - Parameters:
  ///   - store: the store.
  ///   - query: the query, with a limit.
  ///   - between: called after each page with its number.
  /// - Returns: the keys, page after page.
  /// - Throws: what reading throws; an error if the pages do not end.
  static func whole(
    _ store: Store,
    _ query: Query,
    between: (Int) async throws -> Void = { _ in }
  ) async throws -> [Value] {
    var query = query
    var ids: [Value] = []
    var number = 0
    repeat {
      let current = query
      let page = try await store.read { try $0.page(current) as Page<Record> }
      let found = page.elements.map { $0["id"] ?? .null }
      if let first = found.first, let last = ids.last, Oracle.order(first, last) == 0 {
        throw StorageError(.invalidCursor, "a page begins with the last record of the one before")
      }
      ids += found
      query.after = page.next
      number += 1
      try await between(number)
      if number > 10_000 {
        throw StorageError(.invalidCursor, "the pages of a query do not end")
      }
    } while query.after != nil
    return ids
  }
}
