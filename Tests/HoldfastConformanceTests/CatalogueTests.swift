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

  @Test func `every area is described, has cases, and names a section of the rules`() throws {
    let rules = try Self.text(of: ConformanceArea.document)
    let headings = rules.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      line.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .replacing(" ", with: "-")
    }
    #expect(!rules.contains("<<<<<<<"), "\(ConformanceArea.document) holds a merge conflict")
    for area in ConformanceArea.all {
      #expect(headings.contains(area.anchor), "\(area.name): no section \(area.section)")
      #expect(Conformance.cases.contains { $0.area == area.name }, "\(area.name) has no case")
    }
    for entry in Conformance.cases {
      #expect(entry.section != nil, "\(entry.id): add its area to ConformanceArea.all")
    }
  }

  @Test func `the catalogue's page is that of the catalogue`() throws {
    let page = try Self.text(of: "docs/Conformance.md")
    #expect(
      page == Conformance.markdown(Conformance.cases),
      "docs/Conformance.md is out of date; run: swift run \(Conformance.documentCommand)"
    )
  }

  @Test func `listings give every case and the same number`() throws {
    let cases = Conformance.cases
    let lines = Conformance.listing(cases).split(separator: "\n")
    #expect(lines.count == cases.count + 1)
    #expect(lines.last == "\(cases.count) cases")
    for (line, entry) in zip(lines, cases) {
      #expect(line == "\(entry.id)\t\(entry.area)\t\(entry.statement)")
    }
    let json = try JSONSerialization.jsonObject(with: Data(Conformance.json(cases).utf8))
    let object = try #require(json as? [String: Any])
    #expect(object["count"] as? Int == cases.count)
    #expect((object["cases"] as? [Any])?.count == cases.count)
    #expect(Conformance.markdown(cases).contains("\(cases.count) cases"))
  }

  @Test func `every code of errors is expected by a case`() throws {
    // No open store gives these: URLs, other texts, an engine that fails, a file edited by hand
    // between two commits, a full disk.
    let elsewhere: Set = [
      "invalidConfiguration", "malformedInput", "transactionFailed", "conflict", "storageFull",
    ]
    let declarations = try Self.text(of: "Sources/Holdfast/Storage/StorageError.swift")
    let codes = Set(declarations.matches(of: /static let (\w+) = Code\(/).map { String($0.1) })
    #expect(codes.count > 30)
    let folder = Self.repository.appendingPathComponent("Conformance/HoldfastConformance/Cases")
    var expected: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      expected.formUnion(text.matches(of: /expectError\(\s*\.(\w+)/).map { String($0.1) })
      expected.formUnion(text.matches(of: /"(\w+)", "the code"/).map { String($0.1) })
    }
    #expect(codes.subtracting(expected).subtracting(elsewhere) == [])
    #expect(elsewhere.intersection(expected) == [], "cases expect these after all")
  }

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
  }
}
