import Foundation
import Testing

@Suite struct ConformanceCommandTests {
  @Test func `a run ends with its counts`() async throws {
    let tool = try ToolRunner()
    let result = try await tool.run(
      "conformance",
      "--backend",
      "memory",
      "--filter",
      "records.*",
      "--seed",
      "7"
    )
    #expect(result.status == 0, "\(result.output)")
    let last = try #require(result.lines.last)
    #expect(last.wholeMatch(of: /\d+ passed, 0 failed, 0 skipped/) != nil, "\(last)")
    #expect(result.output.contains("seed 7"))
  }

  @Test func `cases are listed, and a pattern that matches none is wrong usage`() async throws {
    let tool = try ToolRunner()
    let all = try await tool.run("conformance", "--list")
    let some = try await tool.run("conformance", "--list", "--filter", "records.*")
    #expect(all.status == 0 && some.status == 0)
    #expect(some.lines.count > 3 && some.lines.count < all.lines.count)
    #expect(some.lines.last == "\(some.lines.count - 1) cases")
    #expect(
      some.lines.dropLast().allSatisfy { $0.hasPrefix("records.") && $0.contains("\trecords\t") }
    )
    let page = try await tool.run("conformance", "--list", "--format", "markdown")
    #expect(page.output.hasPrefix("# Conformance\n"))
    #expect(page.output.contains("\(all.lines.count - 1) cases"))
    #expect(try await tool.run("conformance", "--list", "--format", "html").status == 2)
    #expect(try await tool.run("conformance", "--format", "markdown").status == 2)
    #expect(try await tool.run("conformance", "--filter", "no.such").status == 2)
    #expect(try await tool.run("conformance", "--backend", "oracle").status == 2)
  }

  @Test func `reports go to a file in other formats`() async throws {
    let tool = try ToolRunner()
    for (format, start) in [
      ("json", "{\"catalogueVersion\":"), ("junit", "<?xml"), ("html", "<!"),
    ] {
      let result = try await tool.run(
        "conformance",
        "--backend",
        "memory",
        "--filter",
        "records.insertGet",
        "--format",
        format,
        "-o",
        "report"
      )
      #expect(result.status == 0)
      #expect(result.output == "1 passed, 0 failed, 0 skipped\n")
      #expect(try tool.read("report").hasPrefix(start))
    }
  }

  @Test func `a report of all backends is one page`() async throws {
    let tool = try ToolRunner()
    let result = try await tool.run(
      arguments: [
        "conformance", "--backend", "all", "--filter", "records.insertGet", "--format", "html",
        "-o", "report.html",
      ]
    )
    #expect(result.status == 0)
    #expect(result.output == "5 passed, 0 failed, 0 skipped\n")
    let page = try tool.read("report.html")
    for backend in ["sqlite", "lmdb", "json", "plist", "memory"] {
      #expect(page.contains("<th class=\"cell\">\(backend)</th>"))
    }
    #expect(page.components(separatedBy: "<tbody").count == 2)
  }

  @Test func `the self-test takes nothing that chooses a backend or cases`() async throws {
    let tool = try ToolRunner()
    for options in [["--backend", "memory"], ["--filter", "values"], ["--format", "html"]] {
      let result = try await tool.run(arguments: ["conformance", "--self-test"] + options)
      #expect(result.status == 2)
    }
  }

  @Test func `the model test prints its seed and counts, and takes a seed again`() async throws {
    let tool = try ToolRunner()
    let result = try await tool.run(
      "conformance",
      "--model-minutes",
      "0.01",
      "--backend",
      "memory",
      "--seed",
      "5"
    )
    #expect(result.status == 0, "\(result.output)")
    #expect(result.lines.first == "seed 5")
    let last = try #require(result.lines.last)
    #expect(last.hasPrefix("seed 5: ") && last.hasSuffix(" operations, 0 faults"))
    for arguments in [
      ["--model-minutes", "soon"], ["--model-minutes", "-1"], ["--model-minutes", "1", "--list"],
      ["--replay", "script", "--seed", "1"],
    ] {
      #expect(
        try await tool.run(arguments: ["conformance"] + arguments).status == 2,
        "\(arguments)"
      )
    }
  }

  @Test func `a script is replayed step by step, and a wrong line named`() async throws {
    let tool = try ToolRunner()
    try tool.write("script", "create item (id integer) key (id)\nput item {id: 1}\nget item [1]\n")
    let result = try await tool.run("conformance", "--replay", "script", "--backend", "all")
    #expect(result.status == 0, "\(result.output)")
    #expect(result.lines.contains("3: get item [1]") && result.lines.last == "no difference")
    try tool.write("script", "get item [1]\nget item (1)\n")
    let wrong = try await tool.run("conformance", "--replay", "script")
    #expect(wrong.status == 1)
    #expect(wrong.errors == "holdfast: script: line 2: expected '[' at \"(1)\"\n")
    #expect(try await tool.run("conformance", "--replay", "nowhere").status == 1)
  }
}
