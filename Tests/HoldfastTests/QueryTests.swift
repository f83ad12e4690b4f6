import Foundation
import Testing

@testable import Holdfast

/// A collection for tests that need no store.
func sampleCollection() throws -> Holdfast.Collection {
  let definition = CollectionDefinition(
    "city",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text),
      FieldDefinition("area", .real, optional: true),
      FieldDefinition("people", .integer, optional: true),
      FieldDefinition("founded", .date, optional: true), FieldDefinition("code", .uuid),
      FieldDefinition("price", .decimal, optional: true), FieldDefinition("seal", .blob),
    ],
    key: ["id"],
    indexes: [IndexDefinition(["name"], unique: true), IndexDefinition(["people", "area"])]
  )
  try definition.validate()
  return try Collection(
    id: 1,
    definition: definition,
    physicalName: "city",
    indexes: [(2, "i2"), (3, "i3")]
  )
}

@Suite("Filters")
struct FilterTests {
  private func expectCode(
    _ code: StorageError.Code,
    _ body: () throws -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StorageError.self, sourceLocation: location) { try body() }
    #expect(error?.code == code, sourceLocation: location)
  }

  @Test("Wrong types, unknown fields and NaN are typed errors")
  func errors() throws {
    let city = try sampleCollection()
    func bind(_ filter: Filter) throws { _ = try FilterBinder.bind(filter, to: city) }
    expectCode(.unknownField) { try bind(.equal("nme", "x")) }
    expectCode(.typeMismatch) { try bind(.equal("name", 1)) }
    expectCode(.typeMismatch) { try bind(.less("price", 1)) }
    expectCode(.typeMismatch) { try bind(.contains("id", "1")) }
    expectCode(.typeMismatch) { try bind(.equal("founded", "yesterday")) }
    expectCode(.invalidValue) { try bind(.less("area", .real(.nan))) }
    var deep = Filter.equal("id", 1)
    for _ in 0..<10_000 { deep = .not(deep) }
    expectCode(.invalidQuery) { try bind(deep) }
  }

  @Test("Literals become the field's own kind, exactly")
  func literals() throws {
    let city = try sampleCollection()
    func bind(_ filter: Filter) throws -> String {
      "\(try FilterBinder.bind(filter, to: city))"
    }
    #expect(try bind(.less("people", 2.5)) == bind(.lessOrEqual("people", 2)))
    #expect(try bind(.equal("people", 2.5)) == "none")
    #expect(try bind(.notEqual("people", 2.5)) == "all")
    #expect(try bind(.less("people", 1e300)) == bind(.notEqual("people", nil)))
    #expect(
      try bind(.greater("area", 9_007_199_254_740_993))
        == bind(.greater("area", 9_007_199_254_740_992.0))
    )
    #expect(
      try bind(.less("area", 9_007_199_254_740_993))
        == bind(.lessOrEqual("area", 9_007_199_254_740_992.0))
    )
    #expect(try bind(.less("people", nil)) == "none")
    #expect(try bind(.isIn("people", [])) == "none")
    #expect(try bind(.or([])) == "none")
    #expect(try bind(.and([])) == "all")
    #expect(try bind(.not(.isIn("people", []))) == "all")
    #expect(try bind(.equal("price", "1.00")) == bind(.equal("price", "1")))
  }

  @Test("The evaluator is two-valued")
  func evaluator() throws {
    let city = try sampleCollection()
    let row = RowBuffer(count: 8)
    row.set(1, "Größe\u{0}x")
    row.set(7, .blob([1, 2, 3]))
    func matches(_ filter: Filter) throws -> Bool {
      try FilterBinder.bind(filter, to: city).matches(row.view)
    }
    #expect(try matches(.notEqual("people", 5)))
    #expect(try !matches(.less("people", 5)))
    #expect(try !matches(.greaterOrEqual("people", 5)))
    #expect(try matches(.not(.less("people", 5))))
    #expect(try matches(.isNull("people")))
    #expect(try matches(.isIn("people", [nil, 5])))
    #expect(try !matches(.isIn("people", [4, 5])))
    #expect(try matches(.contains("name", "\u{0}x")))
    #expect(try matches(.startsWith("name", "Grö")))
    #expect(try !matches(.startsWith("name", "grö")))
    #expect(try matches(.contains("seal", .blob([2, 3]))))
    #expect(try matches(.startsWith("name", "")))
    #expect(try !matches(.contains("founded", "")))
  }
}

@Suite("Planner")
struct PlannerTests {
  private func plan(_ query: Query) throws -> Plan {
    Planner.plan(try BoundQuery(query, sampleCollection()))
  }

  @Test("An equality on a unique index beats a walk")
  func uniqueIndex() throws {
    let plan = try plan(Query("city", where: .equal("name", "Oslo") && .greater("area", 3)))
    #expect(plan.scans.count == 1)
    #expect(plan.scans[0].index == 0)
    #expect(plan.isOrdered)
    guard case .compare(2, .greater, _) = plan.residual else {
      Issue.record("residual is \(plan.residual)")
      return
    }
  }

  @Test("An order that an index has saves the sort, backwards too")
  func order() throws {
    let plan = try plan(
      Query(
        "city",
        where: .equal("people", 5),
        sort: [.descending("area"), .descending("id")]
      )
    )
    #expect(plan.scans[0].index == 1)
    #expect(plan.scans[0].isReversed)
    #expect(plan.isOrdered)
    let mixed = try self.plan(
      Query("city", where: .equal("people", 5), sort: [.descending("area")])
    )
    #expect(!mixed.isOrdered, "ties run by ascending key, which the index does not give backwards")
  }

  @Test("A field with one value in all matches plays no part in an order, wherever it is walked")
  func fixedFields() throws {
    let byOther = try plan(
      Query(
        "city",
        where: .equal("seal", .blob([1])) && .greater("people", 5),
        sort: [.ascending("people"), .descending("seal"), .ascending("area"), .ascending("id")]
      )
    )
    #expect(byOther.index == 1)
    #expect(byOther.isOrdered)
    let behindRange = try plan(
      Query(
        "city",
        where: .greater("people", 5) && .equal("area", 2),
        sort: [.descending("people"), .descending("id")]
      )
    )
    #expect(behindRange.index == 1)
    #expect(behindRange.isOrdered && behindRange.scans[0].isReversed)
    guard case .compare(2, .equal, _) = behindRange.residual else {
      Issue.record("residual is \(behindRange.residual)")
      return
    }
  }

  @Test("What a range or a list covers is not checked again, and everything else is")
  func residual() throws {
    func residual(_ filter: Filter) throws -> BoundFilter {
      try plan(Query("city", where: filter)).residual
    }
    let covered: [Filter] = [
      .greater("people", 1) && .lessOrEqual("people", 9) && .notEqual("people", .null),
      .isIn("people", [1, .null, 2]) && .greater("area", 0.5),
      .startsWith("name", "O"),
      .equal("people", 1) && .equal("area", .null),
    ]
    for filter in covered {
      guard case .all = try residual(filter) else {
        Issue.record("\(filter) leaves \(try residual(filter))")
        continue
      }
    }
    let kept: [Filter] = [
      .equal("people", 1) && .equal("people", 2), .greater("people", 1) && .notEqual("people", 3),
      .equal("people", 1) && .isIn("people", [1, 2]), .contains("name", "O"),
      .startsWith("name", "O") && .contains("name", "slo"),
    ]
    for filter in kept {
      if case .all = try residual(filter) { Issue.record("\(filter) is not checked") }
    }
  }

  @Test("An IN on the key becomes one range an element")
  func membership() throws {
    let plan = try plan(Query("city", where: .isIn("id", [7, 3, 7])))
    #expect(plan.scans.map { $0.lower?.values } == [[3], [7]])
    #expect(plan.isOrdered)
  }

  @Test("A range leaves out null, which sorts first")
  func rangeWithoutNull() throws {
    let plan = try plan(Query("city", where: .less("people", 5)))
    #expect(plan.scans[0].index == 1)
    #expect(plan.scans[0].lower?.values == [.null])
    #expect(plan.scans[0].lower?.isInclusive == false)
  }
}

@Suite("Paging tokens")
struct PageTokenTests {
  @Test("A token gives its values back to its own query only")
  func belonging() throws {
    let city = try sampleCollection()
    let query = Query("city", where: .greater("people", 1), sort: [.descending("area")])
    let values: [Value] = [.null, .text("é\u{0}"), .blob([]), .real(-0.5), .integer(.min)]
    let token = PageToken(values: values, query: query, collection: city)
    #expect(try token.values(for: query, city, count: 5) == values)
    var other = query
    other.filter = .greater("people", 2)
    #expect(throws: StorageError.self) { try token.values(for: other, city, count: 5) }
  }

  @Test("A forged token is refused, whatever it holds")
  func forged() throws {
    let city = try sampleCollection()
    let query = Query("city")
    let token = PageToken(values: [.integer(5)], query: query, collection: city)
    for index in token.text.indices {
      var text = token.text
      text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      let error = #expect(throws: StorageError.self) {
        try PageToken(text).values(for: query, city, count: 1)
      }
      #expect(error?.code == .invalidCursor)
    }
    for text in ["", "x", "é", String(repeating: "A", count: 1000)] {
      #expect(throws: StorageError.self) {
        try PageToken(text).values(for: query, city, count: 1)
      }
    }
  }

  @Test("Negative limits and offsets are errors")
  func negative() throws {
    let city = try sampleCollection()
    #expect(throws: StorageError.self) { try BoundQuery(Query("city", limit: -1), city) }
    #expect(throws: StorageError.self) { try BoundQuery(Query("city", offset: -1), city) }
  }
}
