import Holdfast

/// Literals of other types: every operator refuses them, wherever they stand in a filter.
enum RefusalTables {
  /// A literal that fits each type, and those that do not.
  private static let literals: [(FieldType, Value, [Value])] = [
    (.integer, 1, ["1", "", .blob([1])]),
    (.real, 1.0, ["1.0", .blob([])]),
    (.text, "a", [1, 0, 1.5, .blob([0x61])]),
    (.blob, .blob([1]), [1, 1.5, "a", ""]),
    (.bool, true, ["true", "1", .blob([1])]),
    (.date, "2026-01-31", [0, 1.5, .blob([])]),
    (.uuid, .blob(Array(repeating: 0, count: 16)), [0, "x", .blob([1, 2, 3])]),
    (.decimal, "1", [1.5, .blob([1])]),
    (.json, "[]", [1, 1.5, .blob([])]),
    (.any, 1, []),
  ]

  static let all: [QueryTable] = literals.map { type, right, wrong in
    TypeTable.table(
      "query.typeMismatch.\(type.rawValue)",
      "A literal that \(type.rawValue) cannot be compared with is a typed error.",
      type
    ) {
      TypeTable.columns(type).flatMap { column -> [Question] in
        let refused = (wrong + [.real(.nan)]).flatMap { filters(column, $0, right) }
        let orders: [Filter] = [
          .less(column, right), .lessOrEqual(column, right), .greater(column, right),
          .greaterOrEqual(column, right), .between(column, .null, right),
        ]
        let matches: [Filter] = [
          .startsWith(column, right), .contains(column, right), .startsWith(column, .null),
          .contains(column, .null),
        ]
        return (refused + orders + matches).flatMap { filter -> [Question] in
          [
            .keys(Query(TypeTable.name, where: filter)), .count(.not(filter)),
            .count(.or([.all, filter])), .count(.and([.or([]), filter])),
          ]
        }
      }
    }
  }

  private static func filters(_ column: String, _ wrong: Value, _ right: Value) -> [Filter] {
    [
      .equal(column, wrong), .notEqual(column, wrong), .less(column, wrong),
      .lessOrEqual(column, wrong), .greater(column, wrong), .greaterOrEqual(column, wrong),
      .between(column, right, wrong), .isIn(column, [right, wrong]),
    ]
  }
}
