import Foundation
import Holdfast
import HoldfastConformance
import Testing

@Suite struct CatalogueTests {
  @Test func `the catalogue holds as many cases as it declares`() {
    #expect(Conformance.cases.count == Conformance.expectedCount)
  }

  @Test func `ids are unique and in the form area dot rule`() {
    let ids = Conformance.cases.map(\.id)
    #expect(Set(ids).count == ids.count)
    for entry in Conformance.cases {
      #expect(entry.id.split(separator: ".").count >= 2, "\(entry.id)")
      #expect(!entry.statement.isEmpty && !entry.statement.contains("\n"), "\(entry.id)")
    }
  }

  @Test func `filters take parts of ids and patterns`() throws {
    let entry = try #require(Conformance.cases.first { $0.id == "records.insertGet" })
    for filter in ["records.insertGet", "records.*", "*Get", "*insert*", "insert", "*", nil, ""] {
      #expect(Conformance.matches(entry, filter), "\(filter ?? "none")")
    }
    for filter in ["records.*Got", "values.*", "x", "*insert", "r*d"] {
      #expect(!Conformance.matches(entry, filter), "\(filter)")
    }
  }

  @Test func `a run that drops cases is incomplete`() async throws {
    let report = await Conformance.run(filter: "records.insertGet") { makeHarness(.memory) }
    #expect(report.isSuccess)
    let dropped = ConformanceReport(
      backend: "memory",
      seed: 1,
      results: report.results,
      isWhole: true
    )
    #expect(!dropped.isComplete && !dropped.isSuccess)
    #expect(dropped.text.contains("INCOMPLETE"))
  }

  @Test func `reports render as text, JSON, JUnit and HTML`() async throws {
    let report = await Conformance.run(filter: "records.*") {
      HalfHarness(base: makeHarness(.memory))
    }
    #expect(report.failedCount == report.results.count)
    #expect(report.text.contains("FAILED records.insertGet"))
    #expect(report.text.hasSuffix("0 passed, \(report.failedCount) failed, 0 skipped\n"))
    let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    #expect((json?["cases"] as? [Any])?.count == report.results.count)
    #expect(report.junit.contains("failures=\"\(report.failedCount)\""))
    #expect(report.html.contains("&lt;half&gt;"))
  }
}
