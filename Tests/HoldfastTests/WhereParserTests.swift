import Holdfast
import Testing

@Suite struct WhereParserTests {
  private static let understood: [(String, Filter)] = [
    ("a = 1", .equal("a", 1)),
    ("a == 1", .equal("a", 1)),
    ("a != 'x'", .notEqual("a", "x")),
    ("a <> 'x'", .notEqual("a", "x")),
    ("a<1", .less("a", 1)),
    ("a<=1", .lessOrEqual("a", 1)),
    ("a>-1", .greater("a", -1)),
    ("a>=+1", .greaterOrEqual("a", 1)),
    ("a = 1.5e3", .equal("a", 1500.0)),
    ("a = .5", .equal("a", 0.5)),
    ("a = -9223372036854775808", .equal("a", .integer(.min))),
    ("a = 9223372036854775808", .equal("a", .real(0x1p63))),
    ("a = -0.0", .equal("a", .real(0))),
    ("a = true", .equal("a", .integer(1))),
    ("a = FALSE", .equal("a", .integer(0))),
    ("a = null", .isNull("a")),
    ("a IS NULL", .isNull("a")),
    ("a is not null", .notEqual("a", .null)),
    ("a = 'it''s'", .equal("a", "it's")),
    ("a = ''", .equal("a", "")),
    ("a = 'AND ) OR \"'", .equal("a", "AND ) OR \"")),
    ("a = x''", .equal("a", .blob([]))),
    ("a = X'00Ff'", .equal("a", .blob([0x00, 0xFF]))),
    ("a = DATE '2026-01-31'", .equal("a", "2026-01-31T00:00:00.000000000Z")),
    ("a > date '2026-01-31T13:00:00+01:00'", .greater("a", "2026-01-31T12:00:00.000000000Z")),
    (
      "a = UUID '01234567-89ab-cdef-0123-456789ABCDEF'",
      .equal(
        "a",
        .blob([
          0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD,
          0xEF,
        ])
      )
    ),
    ("a IN (1, 'x', null)", .isIn("a", [1, "x", .null])),
    ("a IN ()", .isIn("a", [])),
    ("a NOT IN (1)", .not(.isIn("a", [1]))),
    ("a BETWEEN 1 AND 2", .between("a", 1, 2)),
    ("a NOT BETWEEN 1 AND 2", .not(.between("a", 1, 2))),
    ("a BETWEEN 1 AND 2 AND b = 3", .and([.between("a", 1, 2), .equal("b", 3)])),
    ("a STARTS WITH 'x'", .startsWith("a", "x")),
    ("a NOT starts  with 'x'", .not(.startsWith("a", "x"))),
    ("a CONTAINS 'x'", .contains("a", "x")),
    ("a = 1 OR b = 2 AND c = 3", .or([.equal("a", 1), .and([.equal("b", 2), .equal("c", 3)])])),
    ("(a = 1 OR b = 2) AND c = 3", .and([.or([.equal("a", 1), .equal("b", 2)]), .equal("c", 3)])),
    ("NOT a = 1 AND b = 2", .and([.not(.equal("a", 1)), .equal("b", 2)])),
    ("NOT NOT a = 1", .not(.not(.equal("a", 1)))),
    ("not(a = 1)", .not(.equal("a", 1))),
    ("\"a b\" = 1", .equal("a b", 1)),
    ("\"a\"\"b\" = 1", .equal("a\"b", 1)),
    ("\"and\" = 1", .equal("and", 1)),
    (
      "date = DATE '2026-01-31' and uuid = 1",
      .and([
        .equal("date", "2026-01-31T00:00:00.000000000Z"), .equal("uuid", 1),
      ])
    ),
    ("x = 1", .equal("x", 1)),
    ("contains contains 'x'", .contains("contains", "x")),
    ("größe = 1", .equal("größe", 1)),
    ("城市 = '北京'", .equal("城市", "北京")),
    ("\n\ta\n=\t1\n", .equal("a", 1)),
    (
      "city = 'Beijing' AND (price >= 3.5 OR name IS NULL) AND id IN (1, 2) "
        + "AND NOT name STARTS WITH 'x'",
      .and([
        .equal("city", "Beijing"),
        .or([.greaterOrEqual("price", 3.5), .isNull("name")]),
        .isIn("id", [1, 2]),
        .not(.startsWith("name", "x")),
      ])
    ),
  ]

  @Test(arguments: understood)
  func `a condition becomes the filter that it says`(text: String, filter: Filter) throws {
    let parsed = try Filter(parsing: text)
    #expect(parsed == filter)
    #expect("\(parsed)" == "\(filter)")
  }

  private static let mistakes: [(String, String)] = [
    ("", "column 1: expected a field name, found the end"),
    ("a", "column 2: expected an operator"),
    ("a = ", "column 5: expected a value, found the end"),
    ("a = )", "column 5: expected a value, found ')'"),
    ("a = b", "column 5: expected a value (texts stand in 'single quotes'), found 'b'"),
    ("a = \"b\"", "column 5: expected a value"),
    ("'a' = 1", "column 1: expected a field name"),
    ("1 = a", "column 1: expected a field name, found '1'"),
    ("and = 1", "column 1: expected a field name, found 'and'"),
    ("a = 1 b = 2", "column 7: expected AND, OR or the end, found 'b'"),
    ("(a = 1", "column 7: expected AND, OR or ')', found the end"),
    ("a = 1)", "column 6: expected AND, OR or the end, found ')'"),
    ("a = 'x", "column 5: the text that begins here has no closing '"),
    ("\"a = 1", "column 1: the name that begins here has no closing \""),
    ("\"\" = 1", "column 1: a field name cannot be empty"),
    ("a =! 1", "column 3: unknown operator '=!'"),
    ("a ! 1", "column 3: unknown operator '!'"),
    ("a is 1", "column 6: expected NULL, found '1'"),
    ("a not = 1", "column 7: expected IN, BETWEEN, STARTS WITH or CONTAINS, found '='"),
    ("a starts 'x'", "column 10: expected WITH, found 'x'"),
    ("a between 1 or 2", "column 13: expected AND, found 'or'"),
    ("a in 1", "column 6: expected '(', found '1'"),
    ("a in (1 2)", "column 9: expected ',' or ')', found '2'"),
    ("a in (1,)", "column 9: expected a value, found ')'"),
    ("a = 1x", "column 5: '1x' is no number"),
    ("a = 1.2.3", "column 5: '1.2.3' is no number"),
    ("a = -", "column 5: '-' is no number"),
    ("a = 1e", "column 5: '1e' is no number"),
    ("a = 1e999", "column 5: the number is too large"),
    ("a = 9223372036854775809", "column 5: the integer has more than 64 bits"),
    ("a = NaN", "column 5: expected a value"),
    ("a = x'0'", "column 5: a blob is written as pairs of hex digits"),
    ("a = x'zz'", "column 5: a blob is written as pairs of hex digits"),
    ("a = DATE '2026-02-30'", "column 5: this is no date"),
    ("a = DATE 5", "column 10: expected a date"),
    ("a = UUID 'x'", "column 5: this is no UUID"),
    ("a ; b", "column 3: unexpected ';'"),
    ("城市 = )", "column 6: expected a value, found ')'"),
    ("a = \u{1}", "column 5: unexpected '\u{FFFD}'"),
  ]

  @Test(arguments: mistakes)
  func `a mistake points at its column`(text: String, message: String) throws {
    let error = try #require(throws: StorageError.self) { try Filter(parsing: text) }
    #expect(error.code == .invalidQuery)
    #expect(error.message.hasPrefix(message), "\(error.message)")
    #expect(!error.message.contains("\n"))
  }

  @Test func `nesting goes to 500 levels and no deeper`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a = 1" + String(repeating: ")", count: depth)
    }
    #expect(try Filter(parsing: nested(500)) == .equal("a", 1))
    for text in [nested(501), nested(100_000), String(repeating: "NOT ", count: 501) + "a = 1"] {
      let error = try #require(throws: StorageError.self) { try Filter(parsing: text) }
      #expect(error.message.contains("nests deeper than 500"))
    }
  }

  @Test func `long lists and chains are read`() throws {
    let list = (0..<100_000).map(String.init).joined(separator: ",")
    guard case .isIn(_, let values) = try Filter(parsing: "a IN (\(list))") else {
      Issue.record("not a list")
      return
    }
    #expect(values.count == 100_000)
    let chain = Array(repeating: "a = 1", count: 20_000).joined(separator: " OR ")
    guard case .or(let parts) = try Filter(parsing: chain) else {
      Issue.record("not a disjunction")
      return
    }
    #expect(parts.count == 20_000)
  }

  @Test func `fields are found with the columns where they stand`() throws {
    let mentions = try WhereParser.parse("城市 = 1 AND (\"b\" = 2 OR NOT a = 3)").mentions
    #expect(mentions.map(\.name) == ["城市", "b", "a"])
    #expect(mentions.map(\.column) == [1, 13, 28])
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `no text makes the parser crash or hang`(seed: UInt64) {
    let pieces = [
      "a", "\"b\"", "=", "!=", "<", ">=", "<>", "!", "(", ")", ",", "1", "-2.5e3", "'x'", "''",
      "'", "\"", "x'0a'", "x'", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL", "STARTS", "WITH",
      "CONTAINS", "DATE", "UUID", "true", "null", " ", "\n", "é", "👩‍👩‍👧", "\u{0}", "\u{202E}", ".",
      "e", "+", "-", "9223372036854775808",
    ]
    var state = seed
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<5_000 {
      var text = ""
      for _ in 0..<random(20) {
        text += pieces[random(pieces.count)]
        if random(3) > 0 { text += " " }
      }
      do throws(StorageError) {
        _ = try WhereParser.parse(text)
      } catch {
        #expect(error.code == .invalidQuery)
        #expect(error.message.hasPrefix("column "))
        let isOneLine = !error.message.contains { $0.isNewline }
        #expect(isOneLine)
      }
    }
  }
}
