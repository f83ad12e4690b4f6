import Holdfast

/// One generated check: a question to a table.
enum Question: Sendable {
  /// The keys of a query's records.
  case keys(Query)
  /// The keys of all records of a query, page by page; the query's limit is a page's.
  case pages(Query)
  /// How many records match.
  case count(Filter)
  /// Figures, a group at a time.
  case figures([Aggregate], by: [String], Filter)
}

/// What a question gives: rows of values, or the code of an error.
enum Answer: Sendable {
  case rows([[Value]])
  case error(String)
}

extension Question {
  /// Asks a store.
  func ask(_ transaction: ReadTransaction, _ collection: String, key: [String])
    throws(StorageError) -> Answer
  {
    func keys(_ records: [Record]) -> [[Value]] {
      records.map { record in key.map { record[$0] ?? .null } }
    }
    do throws(StorageError) {
      switch self {
      case .keys(let query): return .rows(keys(try transaction.fetch(query)))
      case .count(let filter):
        return .rows([[.integer(Int64(try transaction.count(collection, where: filter)))]])
      case .figures(let figures, let groups, let filter):
        return .rows(
          try transaction.aggregate(collection, figures, groupBy: groups, where: filter)
        )
      case .pages(var query):
        var rows: [[Value]] = []
        repeat {
          let page = try transaction.page(query) as Page<Record>
          let found = keys(page.elements)
          if let first = found.first, let last = rows.last, Oracle.order(first, last) == 0 {
            return .error("a page that begins with the last row of the one before")
          }
          rows += found
          query.after = page.next
          if rows.count > 100_000 { return .error("pages without end") }
        } while query.after != nil
        return .rows(rows)
      }
    } catch  where error.code.isRefusal {
      return .error(error.code.rawValue)
    }
  }

  /// Asks the oracle.
  func answer(_ table: PlainTable, _ definition: CollectionDefinition) -> Answer {
    let types = definition.fields.map(\.type)
    func position(_ name: String) -> Int {
      definition.fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } ?? types.count
    }
    func select(_ query: Query, limit: Int?) throws(PlainTable.Refusal) -> Answer {
      let order = query.sort.map {
        PlainTable.Order(field: position($0.field), isDescending: $0.isDescending)
      }
      let rows = try table.select(
        Oracle.condition(query.filter, position, types),
        order: order,
        limit: limit,
        offset: query.offset
      )
      return .rows(table.keys(of: rows).map { $0.map(Oracle.value) })
    }
    do throws(PlainTable.Refusal) {
      switch self {
      case .keys(let query): return try select(query, limit: query.limit)
      case .pages(let query): return try select(query, limit: nil)
      case .count(let filter):
        let rows = try table.select(Oracle.condition(filter, position, types))
        return .rows([[.integer(Int64(rows.count))]])
      case .figures(let figures, let groups, let filter):
        let rows = try table.figures(
          figures.map { figure in
            switch figure {
            case .count: .count
            case .sum(let field): .sum(position(field))
            case .average(let field): .average(position(field))
            case .minimum(let field): .smallest(position(field))
            case .maximum(let field): .largest(position(field))
            }
          },
          by: groups.map(position),
          Oracle.condition(filter, position, types)
        )
        return .rows(rows.map { $0.map(Oracle.value) })
      }
    } catch {
      return .error(error.rawValue)
    }
  }
}

extension StorageError.Code {
  /// Whether a question was refused for what it asks, rather than for the state of the store.
  fileprivate var isRefusal: Bool {
    switch self {
    case .typeMismatch, .invalidValue, .invalidQuery, .overflow, .unknownField: true
    default: false
    }
  }
}

extension Answer: ExactlyPrintable {
  /// The rows, those of one value without brackets of their own; or the error's code.
  var exactText: String {
    switch self {
    case .error(let code): "the error \(code)"
    case .rows(let rows):
      "[\(rows.map { $0.count == 1 ? $0[0].exactText : $0.exactText }.joined(separator: ", "))]"
    }
  }
}
