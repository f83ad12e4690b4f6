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
    #expect(text.contains("create thing: id integer, key (id)") == false)
    #expect(text.contains("create thing: id integer; key (id)"), "\(text)")
    #expect(text.contains("FAILED at \(line)"))
    #expect(
      text.hasSuffix(
        "again      holdfast conformance --backend memory --filter records.example --seed 7"
      )
    )
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
