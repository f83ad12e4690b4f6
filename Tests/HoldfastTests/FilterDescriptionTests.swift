import Holdfast
import Testing

@Suite struct FilterDescriptionTests {
  @Test(
    arguments: [
      (.equal("city", "Zoë's"), "city = 'Zoë''s'"),
      (.isNull("city"), "city IS NULL"),
      (.notEqual("city", .null), "city IS NOT NULL"),
      (.less("city", .null), "city < null"),
      (.between("price", -1, 2.5), "price >= -1 AND price <= 2.5"),
      (.isIn("id", [1, 2, .null]), "id IN (1, 2, null)"),
      (.not(.isIn("id", [])), "NOT id IN ()"),
      (.startsWith("a b", "x"), "\"a b\" STARTS WITH 'x'"),
      (.contains("in\"", .blob([0, 255])), "\"in\"\"\" CONTAINS x'00ff'"),
      (.equal("Null", 1), "\"Null\" = 1"),
      (.equal("e\u{301}\u{305}", 1e300), "e\u{301}\u{305} = 1e+300"),
      (
        .and([
          .or([.equal("a", 1), .equal("b", 2)]), .not(.and([.equal("c", 3), .equal("d", 4)])),
        ]),
        "(a = 1 OR b = 2) AND NOT (c = 3 AND d = 4)"
      ),
      (
        .or([.and([.equal("a", 1), .equal("b", 2)]), .not(.not(.equal("c", 0.1)))]),
        "(a = 1 AND b = 2) OR NOT NOT c = 0.1"
      ),
    ] as [(Filter, String)]
  )
  func `a filter prints as a condition that parses to the same`(filter: Filter, text: String)
    throws
  {
    #expect(filter.description == text)
    #expect(try Filter(parsing: text) == filter)
  }

  @Test func `what the language cannot say has words of its own`() {
    #expect(Filter.all.description == "all")
    #expect(Filter.or([]).description == "none")
    #expect(
      Filter.json("tags", JSONCondition(["a b"], .element(.compare(.equal, "x")))).description
        == "tags.\"a b\"[] = 'x'"
    )
    #expect(
      Filter.and([.and([]), .equal("a", .real(-.infinity))]).description == "all AND a = -infinity"
    )
  }

  @Test func `a query prints in one line`() {
    let query = Query(
      "price",
      where: .greater("amount", 3),
      sort: [.descending("amount"), .ascending("name")],
      limit: 5,
      offset: 2
    )
    #expect(query.description == "price where amount > 3 by -amount, name limit 5 offset 2")
    #expect(Query("price").description == "price")
  }
}
