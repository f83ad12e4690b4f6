import Foundation
import Holdfast
import HoldfastConformance
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct ReportTests {
  private static let hostile =
    "]]></pre></td><script>alert(\"it's\")</script>\u{0}\u{1}\u{1B}[31m\r\n&amp;\u{7F}\u{202E}\u{FFFE}"

  /// A failure that tries to break out of every form.
  private static func hostileMatrix() async -> ConformanceMatrix {
    let entry = ConformanceCase("hostile.text", "1 < 2 & \"so on\"") { context in
      context.note(hostile)
      context.expect(true, true, "fine")
      context.fail(
        hostile,
        expected: hostile,
        got: "<img src=x onerror=alert(1)>",
        history: [hostile]
      )
    }
    let reports = await [HalfHarness(base: makeHarness(.memory)).backend, "memory"]
      .asyncMap { backend in
        let result = await Conformance.run(entry, on: makeHarness(.memory))
        return ConformanceReport(backend: backend, seed: 1, results: [result], isWhole: false)
      }
    return ConformanceMatrix(reports)
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
    let missing = Conformance.expectedCount - 1
    #expect(!dropped.isComplete && !dropped.isSuccess && dropped.skippedCount == missing)
    let matrix = ConformanceMatrix([dropped])
    #expect(matrix.text.contains("INCOMPLETE"))
    #expect(matrix.text.hasSuffix("\n1 passed, 0 failed, \(missing) skipped\n"))
    #expect(matrix.html.contains("Incomplete"))
    #expect(try XMLReading(matrix.junit).attributes("error").count == 1)
  }

  @Test func `the text has a line of figures a backend and closes with the counts`() async {
    let reports = await [StorageURL.Scheme.memory, .sqlite].asyncMap { scheme in
      await Conformance.run(filter: "lifecycle.*") { makeHarness(scheme) }
    }
    let matrix = ConformanceMatrix(reports)
    let lines = matrix.text.split(separator: "\n")
    let cases = matrix.rows.count
    #expect(cases > 3 && reports[0].unsupportedCount > 0 && reports[1].unsupportedCount == 0)
    #expect(lines.last == "\(2 * cases) passed, 0 failed, 0 skipped")
    #expect(lines.contains { $0.hasPrefix("sqlite ") && $0.contains("SQLite 3") })
    #expect(lines.contains { $0.hasPrefix("unsupported, verified, on memory: lifecycle.") })
    #expect(lines.contains { $0.contains("\(cases) cases and ") && $0.contains("2 backends") })
    #expect(matrix.checkCount > matrix.passedCount)
    #expect(matrix.html.contains("unsupported, verified"))
  }

  @Test func `a failed check says what was done, expected and got, the rule, and how to repeat it`()
    async
  {
    let entry = ConformanceCase("records.example", "One and one is two.") { context in
      let store = try await context.open(creating: keyedByID)
      _ = try await store.write { try $0.insert(["id": 1], into: "thing") }
      context.expect(try await store.read { try $0.count("thing") }, 1, "records")
      context.expect(1 + 1, 3, "the sum")
      context.expect(that: true, "never printed")
    }
    let result = await Conformance.run(entry, on: makeHarness(.memory), seed: 7)
    let line = result.failures.first?.place ?? ""
    #expect(line.hasPrefix("ReportTests.swift:"))
    #expect(result.checkCount == 3 && result.failureCount == 1)
    let text = result.text(on: "memory")
    let expected = """
      FAILED records.example on memory
        rule       One and one is two.
                   docs/Semantics.md#writes
        check      the sum (\(line))
        expected   3
        got        2
        steps      open main
      """
    #expect(text.hasPrefix(expected), "\(text)")
    #expect(text.contains("create thing: id integer; key (id)"), "\(text)")
    #expect(text.contains("FAILED at \(line)"))
    #expect(
      text.hasSuffix(
        "again      holdfast conformance --backend memory --filter records.example --seed 7"
      )
    )
  }

  @Test func `every report of a failed case tells all that was done`() async throws {
    let definition = CollectionDefinition(
      "thing",
      fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text, optional: true)],
      key: ["id"],
      indexes: [IndexDefinition(["name"], unique: true)]
    )
    let entry = ConformanceCase("unique.example", "Of ten records two are beyond twelve.") {
      context in
      let store = try await context.open(creating: definition)
      try await store.write { transaction in
        try transaction.insert(["id": 1, "name": "a\u{0}b"], into: "thing")
        context.expectError(.uniqueViolation, line: 1) {
          try transaction.insert(["id": 2, "name": "a\u{0}b"], into: "thing")
        }
        try? transaction.savepoint {
          try transaction.delete(1, from: "thing")
          throw CancellationError()
        }
        for id in 10...19 { try transaction.insert(["id": .integer(Int64(id))], into: "thing") }
      }
      let found = try await store.read {
        try $0.fetch(Query("thing", where: .greater("id", 12), limit: 3)).count
      }
      context.expect(found, 2, "beyond twelve", line: 2)
    }
    let result = await Conformance.run(entry, on: makeHarness(.memory), seed: 7)
    let expected = """
      FAILED unique.example on memory
        rule       Of ten records two are beyond twelve.
                   docs/Semantics.md#writes
        check      beyond twelve (ReportTests.swift:2)
        expected   2
        got        3
        steps      open main
                   write 1: begin
                   write 1: begin savepoint
                   write 1: create thing: id integer, name text; key (id); unique (name)
                   write 1: release savepoint
                   write 1: commit
                   write 2: begin
                   write 2: insert into thing {id: 1, name: "a\\u{0}b"}
                   write 2: insert into thing {id: 2, name: "a\\u{0}b"} → uniqueViolation
                   the check passed at ReportTests.swift:1
                   write 2: begin savepoint
                   write 2: delete from thing [1]
                   write 2: roll back savepoint
                   write 2: insert into thing {id: 10, name: null}
                   write 2: insert into thing {id: 11, name: null}
                   write 2: insert into thing {id: 12, name: null}
                   write 2: insert into thing … 7 times, last [19]
                   write 2: commit
                   read 3: begin
                   read 3: query thing where id > 12 by id limit 3 → left to the core
                   read 3: scan thing after [12]
                   read 3: end
                   FAILED at ReportTests.swift:2
        seed       \(result.seed)
        again      holdfast conformance --backend memory --filter unique.example --seed \(result.seed)
      """
    #expect(result.text(on: "memory") == expected)
    let report = ConformanceReport(backend: "memory", seed: 7, results: [result], isWhole: false)
    let matrix = ConformanceMatrix([report])
    #expect(matrix.text.hasPrefix(expected))
    #expect(try XMLReading(matrix.junit).texts["failure"] == expected)
    let json = try JSONSerialization.jsonObject(with: Data(matrix.json.utf8)) as? [String: Any]
    let on = (json?["results"] as? [[String: Any]])?.first?["on"] as? [[String: Any]]
    #expect(on?.first?["steps"] as? [String] == result.trace)
    #expect(matrix.html.contains("<li>write 2: insert into thing … 7 times, last [19]</li>"))
    #expect(
      matrix.html.contains("<a href=\"docs/Semantics.md#writes\">docs/Semantics.md#writes</a>")
    )
  }

  @Test func `only the last steps of many are kept`() async throws {
    let entry = ConformanceCase("records.many", "Many.") { context in
      let store = try await context.open(creating: keyedByID)
      for _ in 1...200 { _ = try await store.read { try $0.get(1, in: "thing") } }
      context.fail("wrong")
    }
    let trace = await Conformance.run(entry, on: makeHarness(.memory)).trace
    #expect(trace.count == 41, "\(trace)")
    #expect(trace.first?.hasSuffix("steps before") == true)
    #expect(trace.dropLast().last == "read 201: end", "\(trace.suffix(3))")
    #expect(trace.contains("read 201: get from thing [1] → nothing"))
  }

  @Test func `long texts are cut around their first difference`() async throws {
    let entry = ConformanceCase("records.long", "Long.") { context in
      let numbers = (0..<5000).map { $0 }
      var other = numbers
      other[3000] = -1
      context.expect(other, numbers, "numbers")
    }
    let result = await Conformance.run(entry, on: makeHarness(.memory))
    let failure = try #require(result.failures.first)
    #expect(failure.expected?.contains(" 2999, 3000, 3001,") == true)
    #expect(failure.got?.contains(" 2999, -1, 3001,") == true)
    #expect((failure.got?.count ?? 0) < 400)
  }

  @Test func `JUnit reports are XML, whatever a failure says`() async throws {
    let junit = await Self.hostileMatrix().junit
    let reading = try XMLReading(junit)
    #expect(
      reading.attributes("testsuite").map { $0["name"] } == [
        "holdfast.<half>", "holdfast.memory",
      ]
    )
    #expect(reading.attributes("testsuite").map { $0["tests"] } == ["1", "1"])
    #expect(reading.attributes("testsuites").first?["failures"] == "2")
    #expect(reading.attributes("testcase").first?["name"] == "hostile.text")
    let text = try #require(reading.texts["failure"])
    #expect(text.contains("]]></pre></td><script>alert(\"it's\")</script>\\u{0}\\u{1}\\u{1b}[31m"))
    #expect(text.contains("1 < 2 & \"so on\""))
  }

  @Test func `JSON reports are JSON, whatever a failure says`() async throws {
    let json = await Self.hostileMatrix().json
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let results = try #require(object?["results"] as? [[String: Any]])
    let on = try #require(results.first?["on"] as? [[String: Any]])
    #expect(results.count == 1 && on.count == 2)
    #expect(object?["failed"] as? Int == 2)
    let failures = try #require(on[0]["failures"] as? [[String: Any]])
    #expect(failures.first?["expected"] as? String == Self.hostile)
    #expect((on[0]["steps"] as? [String])?.first == Self.hostile)
  }

  @Test func `pages stand alone and show hostile texts as text`() async {
    let html = await Self.hostileMatrix().html
    #expect(html.components(separatedBy: "<script").count == 2)
    #expect(html.components(separatedBy: "</pre></td>").count == 1)
    #expect(!html.contains("<img") && !html.contains("<half>"))
    #expect(html.contains("&lt;half&gt;") && html.contains("&lt;img src=x onerror=alert(1)&gt;"))
    for part in ["http:", "https:", " src=\"", "<link", "@import", "url("] {
      #expect(!html.contains(part), "\(part)")
    }
    #expect(html.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202E}" })
  }
}

private let keyedByID = CollectionDefinition(
  "thing",
  fields: [FieldDefinition("id", .integer)],
  key: ["id"]
)

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async -> T) async -> [T] {
    var result: [T] = []
    for element in self { result.append(await transform(element)) }
    return result
  }
}

/// What a parser finds in a document.
private final class XMLReading: NSObject, XMLParserDelegate {
  private var elements: [(name: String, attributes: [String: String])] = []
  private(set) var texts: [String: String] = [:]
  private var path: [String] = []

  /// Parses a document.
  ///
  /// - Throws: the parser's error if it is not well-formed.
  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
  }

  func attributes(_ name: String) -> [[String: String]] {
    elements.filter { $0.name == name }.map(\.attributes)
  }

  func parser(
    _ parser: XMLParser,
    didStartElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    elements.append((elementName, attributes))
    path.append(elementName)
  }

  func parser(
    _ parser: XMLParser,
    didEndElement elementName: String,
    namespaceURI: String?,
    qualifiedName: String?
  ) {
    path.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    texts[path.last ?? "", default: ""] += text
  }
}
