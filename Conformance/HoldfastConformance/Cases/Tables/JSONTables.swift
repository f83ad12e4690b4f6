import Holdfast

/// Conditions on parts of `json` fields: every test at every path, over values of every shape.
enum JSONTables {
  static let all: [QueryTable] = [
    QueryTable(
      id: "query.jsonParts",
      statement: "A missing part is null; values of different kinds are neither equal nor ordered."
    ) { _ in
      QueryTable.Content(definition: definition, rows: rows, questions: questions)
    }
  ]

  private static let definition = Shapes.single(.json, "table")

  private static let values: [Value] = [
    .null, "null", "true", "false", "0", "1", "1.5", "-7", "\"\"", "\"a\"", "\"ab\"", "\"1\"",
    "\"\u{E9}\"", "\"e\u{301}\"", "[]", "[1]", "[1,2,1]", "[\"a\",null,true]", "[[1],[\"a\"]]",
    "{}",
    "{\"a\":1}", "{\"a\":null}", "{\"a\":\"a\"}", "{\"a\":[1,\"a\"],\"b\":{\"a\":2}}",
    "{\"b\":{\"a\":\"ab\",\"c\":[]}}", "{\"b\":{}}", "{\"a\":{\"a\":{\"a\":1}}}",
    "{\"a b\":1,\"a\\\"b\":2,\"\":3,\"\u{E9}\":4}", "{\"a\":9223372036854775807}",
    "{\"a\":-9223372036854775808}", "{\"a\":1e300}", "{\"a\":\"\\u0000b\"}",
    "{\"a\":\"\u{1F600}\",\"b\":[{\"a\":1},{\"a\":2}]}",
  ]

  private static let rows: [[String: Value]] = values.enumerated().map {
    ["id": .integer(Int64($0.offset)), "value": $0.element]
  }

  private static let paths: [[String]] = [
    [], ["a"], ["b"], ["b", "a"], ["a", "a", "a"], ["a b"], ["a\"b"], [""], ["\u{E9}"],
    ["e\u{301}"], ["c"], ["a", "b"],
  ]

  private static let literals: [Value] = [
    .null, 0, 1, 2, 1.0, 1.5, -7, true, "", "a", "ab", "1", "\u{E9}", "\u{0}b", .integer(.max),
    .integer(.min), .real(.infinity), 1e300,
  ]

  private static let questions: [Question] = {
    var tests: [JSONCondition.Test] = []
    for literal in literals {
      for comparison in [
        Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ] {
        tests.append(.compare(comparison, literal))
      }
      tests.append(.element(.compare(.equal, literal)))
      tests.append(.element(.compare(.greater, literal)))
    }
    tests += [
      .isIn([]), .isIn([.null]), .isIn([1, "a"]), .isIn([1.0, .null, "ab"]), .startsWith(""),
      .startsWith("a"), .startsWith("\u{0}"), .contains(""), .contains("b"), .contains("\u{301}"),
      .equals(json: "null"), .equals(json: "{ }"), .equals(json: "[1, 2, 1]"),
      .equals(json: "{\"a\":1}"), .equals(json: "{\"c\":[],\"a\":\"ab\"}"), .equals(json: "1"),
      .count(.equal, 0), .count(.equal, 1), .count(.notEqual, 1), .count(.greater, 1),
      .count(.lessOrEqual, 3), .element(.element(.compare(.equal, 1))), .element(.isIn(["a", 2])),
      .element(.startsWith("a")), .element(.count(.equal, 1)), .compare(.equal, .blob([1])),
      .isIn([.blob([])]), .element(.compare(.less, .real(.nan))), .compare(.equal, .real(.nan)),
    ]
    return paths.flatMap { path in
      tests.flatMap { test -> [Question] in
        let filter = Filter.json("value", JSONCondition(path, test))
        return [.keys(Query("table", where: filter)), .count(.not(filter))]
      }
    } + [
      .keys(Query("table", where: .json("id", JSONCondition([], .compare(.equal, 1))))),
      .count(.json("id", JSONCondition(["a"], .count(.equal, 1)))),
    ]
  }()
}
