import Testing

@Suite struct ImportExportCommandTests {
  @Test(arguments: SampleStore.backends)
  func `an export imports to the same records, in every format`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let before = try await store.succeed("query", "city", "--format", "jsonl")
    for format in ["json", "jsonl", "csv", "plist"] {
      try await store.succeed("export", "city", "-o", "city.\(format)")
      let standard = try await store.succeed("export", "city", "--format", format)
      #expect(try store.tool.read("city.\(format)") == standard)
      try await store.succeed("delete", "city", "1", "2", "3", "4")
      try await store.succeed("import", "city.\(format)", "--into", "city")
      #expect(try await store.succeed("query", "city", "--format", "jsonl") == before, "\(format)")
      try await store.succeed("delete", "city", "1", "2", "3", "4")
      try await store.succeed("import", "-", "--into", "city", "--format", format, input: standard)
      #expect(try await store.succeed("query", "city", "--format", "jsonl") == before, "\(format)")
    }
  }

  @Test(arguments: SampleStore.backends)
  func `conflicts fail, are skipped or replace`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let words = #"{"word":"a","n":1}"# + "\n" + #"{"word":"b","n":2}"# + "\n"
    try store.tool.write("words.jsonl", words)
    try await store.succeed("import", "words.jsonl", "--into", "word")
    try store.tool.write(
      "more.jsonl",
      #"{"word":"c","n":3}"# + "\n" + #"{"word":"a","n":9}"# + "\n"
    )
    try await store.fail("import", "more.jsonl", "--into", "word")
    #expect(try await store.succeed("query", "word", "--format", "jsonl") == words)
    try await store.succeed("import", "more.jsonl", "--into", "word", "--on-conflict", "skip")
    #expect(try await store.succeed("get", "word", "a") == #"{"word":"a","n":1}"# + "\n")
    try await store.succeed("import", "more.jsonl", "--into", "word", "--on-conflict", "replace")
    #expect(try await store.succeed("get", "word", "a") == #"{"word":"a","n":9}"# + "\n")
    #expect(try await store.succeed("count", "word") == "3\n")
  }

  @Test(arguments: SampleStore.backends)
  func `a collection is created with inferred types`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try store.tool.write("codes.csv", "code,n,note\n004,1,\n005,2,\"\"\n")
    try await store.succeed("import", "codes.csv", "--into", "code", "--create", "--key", "code")
    #expect(
      try await store.succeed("query", "code", "--format", "jsonl")
        == #"{"code":"004","n":1,"note":null}"# + "\n" + #"{"code":"005","n":2,"note":""}"# + "\n"
    )
  }

  @Test(arguments: SampleStore.backends)
  func `bad input changes nothing`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let before = try await store.succeed("collections")
    for (name, text) in [
      ("cut.json", #"[{"word":"a","n":1},{"word""#), ("twice.json", #"[{"word":"a","word":"b"}]"#),
      ("short.csv", "word,n\na,1\nb\n"), ("nan.json", #"[{"word":"a","n":NaN}]"#),
      ("type.json", #"[{"word":"a","n":1},{"word":"b","n":"x"}]"#),
      ("field.json", #"[{"word":"a","m":1}]"#), ("empty.plist", ""),
    ] {
      try store.tool.write(name, text)
      let error = try await store.fail("import", name, "--into", "word")
      #expect(!error.isEmpty)
    }
    try await store.fail("import", "missing.json", "--into", "word")
    try await store.fail("import", "cut.json", "--into", "none")
    try await store.fail("import", "cut.json", "--into", "none", "--create")
    try await store.fail("import", "cut.json", status: 2)
    try await store.fail("import", "cut.json", "--into", "word", "--key", "word", status: 2)
    #expect(try await store.succeed("collections") == before)
  }

  @Test(arguments: SampleStore.backends)
  func `an export that fails leaves the file as it was`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try store.tool.write("out.json", "mine")
    try await store.fail("export", "none", "-o", "out.json")
    #expect(try store.tool.read("out.json") == "mine")
    try await store.fail("export", "city", "-o", "no/such/out.json")
    try await store.succeed("export", "city", "--where", "id = 3", "-o", "out.json")
    #expect(try store.tool.read("out.json").contains("Bern"))
  }

  @Test func `the demo runs twice, and prints the same while only holdfast.json changes`()
    async throws
  {
    var expected: [String]?
    for url in SampleStore.backends.map({ "\($0):store" }) + ["plist:store?format=binary"] {
      let tool = try ToolRunner()
      try tool.write("holdfast.json", "{\"storage\": \"\(url)\"}")
      let first = try await tool.run("demo")
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output.contains("microblog: created"))
      let second = try await tool.run("demo", "all")
      #expect(second.status == 0, "\(second.errors)")
      #expect(second.output.contains("microblog: existed"))
      let outputs = [first.output, second.output]
      #expect(tool.exists("store"))
      #expect(outputs == expected ?? outputs, "\(url)")
      expected = outputs
    }
    let one = try await ToolRunner().run("demo", "vegetables", "--storage", "memory:")
    #expect(one.status == 0 && one.output.hasPrefix("vegetables: "))
  }

  @Test func `the backends are listed with their engines`() async throws {
    let tool = try ToolRunner()
    let table = try await tool.run("backends")
    let json = try await tool.run("backends", "--format", "json")
    #expect(table.status == 0 && json.status == 0)
    for backend in SampleStore.backends + ["memory"] {
      #expect(table.lines.contains { $0.hasPrefix(backend) })
      #expect(json.output.contains(#"{"backend":"\#(backend)","engine":""#))
    }
  }
}
