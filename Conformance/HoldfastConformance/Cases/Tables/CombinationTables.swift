import Holdfast

/// Random filters of and, or and not over several fields, with orders, limits, offsets, pages,
/// figures and groups.
enum CombinationTables {
  static let all: [QueryTable] = [
    table("query.combinations", "NOT is the plain complement; AND and OR combine.", 3, indexes),
    table("query.indexedEqualsScan", "Without any index the answers are the same.", 2, []),
  ]

  private static var indexes: [IndexDefinition] { QueryCases.indexes }

  private static let sorts: [[Sort]] = [
    [], [.descending("id")], [.ascending("rank")], [.descending("rank")], [.ascending("name")],
    [.descending("score")], [.ascending("name"), .descending("rank")],
    [.descending("name"), .ascending("score"), .descending("id")],
  ]

  private static func table(
    _ id: String,
    _ statement: String,
    _ depth: Int,
    _ indexes: [IndexDefinition]
  ) -> QueryTable {
    QueryTable(id: id, statement: statement) { generator in
      let questions = (0..<150).flatMap { number -> [Question] in
        let filter = QueryCases.randomFilter(&generator, depth: depth)
        var part = Query("item", where: filter, sort: sorts[generator.below(sorts.count)])
        part.limit = [0, 1, 3, 10, 1000][generator.below(5)]
        part.offset = [0, 0, 1, 7, 150][generator.below(5)]
        var asked: [Question] = [
          .keys(Query("item", where: filter)), .count(filter), .keys(part),
        ]
        if number % 5 == 0 {
          let limit = 5 + generator.below(30)
          asked.append(.pages(Query("item", where: filter, sort: part.sort, limit: limit)))
        }
        if number % 3 == 0 {
          asked.append(.figures(figures, by: [], filter))
          let groups = [["name"], ["rank"], ["name", "rank"], ["score", "name"]][number / 3 % 4]
          asked.append(.figures(figures, by: groups, filter))
        }
        return asked
      }
      return QueryTable.Content(
        definition: Shapes.item(indexes: indexes),
        rows: QueryCases.records,
        questions: questions
      )
    }
  }

  private static let figures: [Aggregate] = [
    .count, .sum("rank"), .average("rank"), .sum("score"), .average("score"), .minimum("name"),
    .maximum("score"), .minimum("id"),
  ]
}
