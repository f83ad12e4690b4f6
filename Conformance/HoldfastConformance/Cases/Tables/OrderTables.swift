import Holdfast

/// Each type's order, both ways, over an index and without, with limits, offsets and pages.
enum OrderTables {
  static let all: [QueryTable] = FieldType.allCases.flatMap { type in
    [
      TypeTable.table(
        "sort.table.\(type.rawValue)",
        "\(type.rawValue) sorts by its own order, null first ascending, ties by key, then the limit.",
        type
      ) { orders(type) },
      TypeTable.table(
        "paging.table.\(type.rawValue)",
        "Pages sorted by \(type.rawValue) give each record once, in order.",
        type
      ) { pages(type) },
    ]
  }

  private static func sorts(_ column: String) -> [[Sort]] {
    [
      [.ascending(column)], [.descending(column)], [.ascending(column), .descending("id")],
      [.descending(column), .descending("label")], [.descending("label"), .ascending(column)],
    ]
  }

  private static func orders(_ type: FieldType) -> [Question] {
    let count = Pools.values(of: type).count * 2 + 3
    return TypeTable.columns(type).flatMap { column in
      sorts(column).flatMap { sort -> [Question] in
        var asked: [Question] = []
        for limit in [nil, 0, 1, 7, count, .max] {
          for offset in [0, 2, count - 1, count, .max] {
            asked.append(.keys(Query(TypeTable.name, sort: sort, limit: limit, offset: offset)))
          }
        }
        for filter in [
          Filter.notEqual(column, .null), .isNull(column), .equal("label", "a"), .less("id", 9),
        ] {
          asked.append(.keys(Query(TypeTable.name, where: filter, sort: sort)))
          asked.append(
            .keys(Query(TypeTable.name, where: filter, sort: sort, limit: 3, offset: 1))
          )
        }
        asked.append(.keys(Query(TypeTable.name, sort: sort, limit: -1)))
        asked.append(.keys(Query(TypeTable.name, sort: sort, offset: -1)))
        return asked
      }
    }
  }

  private static func pages(_ type: FieldType) -> [Question] {
    TypeTable.columns(type).flatMap { column in
      sorts(column).flatMap { sort -> [Question] in
        let filters: [Filter] = [.all, .notEqual(column, .null), .notEqual("label", "b")]
        return filters.enumerated().map { index, filter in
          .pages(Query(TypeTable.name, where: filter, sort: sort, limit: [3, 5, 1000][index]))
        }
      }
    }
  }
}
