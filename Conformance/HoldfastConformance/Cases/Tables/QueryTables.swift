/// The generated tables, each a case; together they hold thousands of checks.
enum QueryTables {
  static let all: [QueryTable] =
    OperatorTables.all + RefusalTables.all + CombinationTables.all + FigureTables.all
    + OrderTables.all + JSONTables.all
}
