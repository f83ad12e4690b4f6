import Foundation
import HoldfastBench
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// `bench`: its figures are not looked at, but that they are there, and where.
@Suite struct BenchCommandTests {
  private static let always: Set = [
    "backend", "workload", "records", "ours_us", "floor_us", "ratio",
  ]

  private func figures(_ arguments: String...) async throws -> [[String: Any]] {
    let result = try await ToolRunner().run(
      arguments: ["bench", "--quick", "--format", "json"] + arguments
    )
    #expect(result.status == 0 && result.errors == "", "\(result)")
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(object as? [[String: Any]])
  }

  private func isEngine(_ figure: [String: Any]) -> Bool {
    ["sqlite", "lmdb"].contains(figure["backend"] as? String)
  }

  @Test func `loads have their times, memory and sizes`() async throws {
    let all = try await figures("--records", "300", "--filter", "sqlite/bulk-insert")
    let bulk = try #require(all.first)
    #expect(all.count == 1 && Self.always.isSubset(of: bulk.keys), "\(all)")
    #expect(bulk["records"] as? Int == 300 && bulk["target"] as? Double == 1.2)
    for key in ["ours_disk_bytes", "floor_disk_bytes"] {
      #expect(try #require(bulk[key] as? Int) > 10_000)
    }
    #if os(Linux)
    #expect(bulk["ours_peak_bytes"] is Int && bulk["floor_peak_bytes"] is Int)
    #endif
    for workload in ["import", "copy"] {
      let all = try await figures("--records", "300", "--filter", workload)
      #expect(all.map { $0["backend"] as? String } == ["sqlite", "lmdb", "json", "plist"])
      // Few records take as long to read from the file as to import: the rest may be none.
      #expect(all.allSatisfy { $0["ratio"] is Double && $0["target"] is Double == isEngine($0) })
    }
  }

  @Test(arguments: ["sqlite", "lmdb", "json"])
  func `two threads and growing stores are measured`(backend: String) async throws {
    let threads = try await figures("--records", "100", "--filter", "\(backend)/get-2")
    #expect(threads.count == 1)
    for key in ["ours_gain", "floor_gain"] {
      #expect(try #require(threads[0][key] as? Double) > 0)
    }
    let scales = try await figures(
      "--scale",
      "--records",
      "12000",
      "--filter",
      "\(backend)/scale-scan"
    )
    #expect(scales.map { $0["records"] as? Int } == [10_000, 12_000])
    #expect(scales[0]["growth"] as? Double == 1 && scales[1]["growth"] is Double)
  }

  @Test func `a chart goes to a file, beside the figures`() async throws {
    let tool = try ToolRunner()
    let result = try await tool.run(
      arguments: [
        "bench", "--quick", "--records", "100", "--filter", "/open", "--svg", "chart.svg",
      ]
    )
    #expect(result.status == 0 && result.errors == "", "\(result)")
    #expect(result.lines.count == 5 && result.output.hasPrefix("backend"))
    let elements = try Elements(try tool.read("chart.svg"))
    #expect(elements.names.first == "svg" && elements.texts.filter { $0 == "open" }.count == 4)
  }

  @Test(
    arguments: [
      (["--filter", "sqlite/scann"], 2, "did you mean sqlite/scan?"),
      (["--filter", "no such thing"], 2, "unknown workload for --filter: 'no such thing'"),
      (["--filter", "scale-get"], 2, "unknown workload"), (["--records", "0"], 2, "from 1 up"),
      (["--records", "-1"], 2, "--records"), (["--svg", "no/such/chart.svg"], 1, "no/such/chart"),
      (["--svg", ""], 2, "--svg needs"), (["--format", "xml"], 2, "text, json"),
    ] as [([String], Int32, String)]
  )
  func `what cannot be done is said in one line, before any work`(
    arguments: [String],
    status: Int32,
    message: String
  ) async throws {
    let result = try await ToolRunner().run(arguments: ["bench"] + arguments)
    #expect(result.status == status && result.errors.contains(message), "\(result)")
    #expect(result.errors.filter(\.isNewline).count == 1)
    #expect(!result.output.contains("µs"))
  }

  @Test func `a chart holds any name, all ratios and no other address`() throws {
    var measurements = [
      Bench.Measurement(backend: "sqlite", workload: "get", records: 10, ours: 2, floor: 1),
      Bench.Measurement(backend: "sqlite", workload: "scan", records: 10, ours: 1, floor: 1),
      Bench.Measurement(backend: "a<b>&\"c\"\u{1}", workload: "x", records: 1, ours: 1, floor: 40),
    ]
    let elements = try Elements(Chart(measurements).svg)
    for text in ["sqlite", "get", "2.00 missed", "1.00 met", "a<b>&\"c\"\u{FFFD}", "0.03"] {
      #expect(elements.texts.contains(text), "\(text)")
    }
    let bars = elements.attributes.filter { ["bar", "missed"].contains($0["class"]) }
    #expect(bars.count == 3)
    for bar in bars {
      let x = try #require(bar["x"].flatMap { Double($0) })
      let width = try #require(bar["width"].flatMap { Double($0) })
      #expect(x >= 0 && width > 0 && x + width < 700)
    }
    let svg = Chart(measurements).svg
    #expect(svg.components(separatedBy: "http").count == 2, "only the name of the namespace")
    measurements[0].ratio = .nan
    let rest = try Elements(Chart([measurements[0]]).svg)
    #expect(rest.names.first == "svg" && !rest.texts.contains("get"))
  }

  /// What a document of XML holds; its making fails if it is not well formed.
  private final class Elements: NSObject, XMLParserDelegate {
    private(set) var names: [String] = []
    private(set) var attributes: [[String: String]] = []
    private(set) var texts: [String] = []
    private var text = ""

    init(_ document: String) throws {
      super.init()
      let parser = XMLParser(data: Data(document.utf8))
      parser.delegate = self
      try #require(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "") \(document)")
    }

    func parser(
      _ parser: XMLParser,
      didStartElement name: String,
      namespaceURI: String?,
      qualifiedName: String?,
      attributes: [String: String]
    ) {
      names.append(name)
      self.attributes.append(attributes)
      text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
      _ parser: XMLParser,
      didEndElement name: String,
      namespaceURI: String?,
      qualifiedName: String?
    ) {
      texts.append(text)
      text = ""
    }
  }
}
