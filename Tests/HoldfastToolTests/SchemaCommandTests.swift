import Testing

@Suite struct SchemaCommandTests {
  @Test(arguments: SampleStore.backends)
  func `applying a schema again changes nothing, applying another is refused`(backend: String)
    async throws
  {
    let store = try await SampleStore(backend)
    #expect(try await store.succeed("schema", "apply", "schema.json") == "")
    let printed = try await store.succeed("schema")
    try store.tool.write("printed.json", printed)
    #expect(try await store.succeed("schema", "apply", "printed.json") == "")
    #expect(try await store.succeed("schema", "city").contains(#""name": "city""#))
    try store.tool.write(
      "other.json",
      printed.replacing(#""name": "n", "type": "integer""#, with: #""name": "n", "type": "real""#)
        .replacing(#"{"name": "city""#, with: #"{"name": "town""#)
    )
    try await store.fail("schema", "apply", "other.json")
    #expect(try await store.succeed("schema") == printed)
  }

  @Test(arguments: SampleStore.backends)
  func `applying a schema with more in it adds what is missing`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try await store.succeed("insert", "visit", #"{"who": "a", "day": "2026-01-01"}"#)
    let grown = try await store.succeed("schema")
      .replacing(
        #"{"name": "note", "type": "text", "optional": true}],"#,
        with: #"""
          {"name": "note", "type": "text", "optional": true, "default": "none"},
          {"name": "city", "type": "integer", "optional": true},
          {"name": "stars", "type": "integer", "default": 3}],
          "references": [{"fields": ["city"], "target": "city", "onDelete": "setNull"}],
          """#
      )
      .replacing(
        #""indexes": []}"#,
        with: #""indexes": [{"name": "by_day", "fields": ["day"], "unique": true}]}"#
      )
      .replacing(
        #"{"name": "n", "type": "integer"}"#,
        with: #"{"name": "n", "type": "integer", "optional": true}"#
      )
      .replacing(
        "\n]}",
        with: #",{"name": "extra", "key": ["k"], "fields": [{"name": "k", "type": "text"}]}]}"#
      )
      .replacing(
        #"["word"], "automaticKey": false,"# + "\n   "
          + #""indexes": [{"name": "by_day", "fields": ["day"], "unique": true}]"#,
        with: #"["word"], "automaticKey": false, "indexes": []"#
      )
    try store.tool.write("grown.json", grown)
    #expect(
      try await store.succeed("schema", "apply", "grown.json") == """
        created extra
        changed visit: set the default of note, add field city integer, optional, \
        add field stars integer, add unique index by_day (day), add index city (city), \
        add reference city to city
        changed word: make field n optional

        """
    )
    #expect(try await store.succeed("schema", "apply", "grown.json") == "")
    #expect(
      try await store.succeed(
        "query",
        "visit",
        "--select",
        "who,note,city,stars",
        "--format",
        "csv"
      )
        == "who,note,city,stars\na,,,3\n"
    )
    let printed = try await store.succeed("schema")
    #expect(printed.contains(#"{"fields": ["city"], "target": "city", "onDelete": "setNull"}"#))
    #expect(try await store.succeed("verify").hasSuffix("no faults\n"))
    let error = try await store.fail("schema", "apply", "schema.json")
    for step in [
      "visit: drop field city, drop field stars, drop index by_day, drop index city, "
        + "drop reference city", "word: make field n required",
    ] { #expect(error.contains(step), "\(error)") }
    #expect(try await store.succeed("schema") == printed)
    try store.tool.write(
      "wrong.json",
      printed.replacing(#""target": "city""#, with: #""target": "none""#)
        .replacing(#""name": "by_day""#, with: #""name": "by_time""#)
    )
    try await store.fail("schema", "apply", "wrong.json")
    #expect(try await store.succeed("schema") == printed)
  }

  @Test func `a printed schema makes an equal store of another backend`() async throws {
    let printed = try await SampleStore("sqlite").succeed("schema")
    for backend in SampleStore.backends {
      let tool = try ToolRunner()
      let applied = try await tool.run(
        "schema",
        "apply",
        "-",
        "--storage",
        "\(backend):copy",
        input: printed
      )
      #expect(applied.output == "created city\ncreated visit\ncreated word\n", "\(applied.errors)")
      #expect(try await tool.run("schema", "--storage", "\(backend):copy").output == printed)
    }
  }

  @Test(
    arguments: [
      ("{", "not JSON"), ("[]", "line 1: a schema file is an object"),
      ("{}", "line 1: a schema file needs a member \"collections\""),
      (#"{"collection": []}"#, "did you mean \"collections\"?"),
      (#"{"collections": {}}"#, "\"collections\" is an array"),
      (#"{"collections": [{"name": "a", "key": ["x"]}]}"#, "needs a member \"fields\""),
      (
        #"{"collections": [{"name": "a", "key": ["x"], "fields": [{"name": "x", "type": "int"}]}]}"#,
        "unknown type \"int\"; did you mean integer?"
      ),
      (
        #"{"collections": [{"name": "a", "key": ["y"], "fields": [{"name": "x", "type": "text"}]}]}"#,
        "names no field"
      ),
      (
        "{\"collections\": [\n{\"name\": \"a\", \"key\": [\"x\"], \"fields\": [\n"
          + "{\"name\": \"x\", \"type\": \"integer\", \"default\": \"one\"}]}]}",
        "line 3: the default of field x does not fit its type integer"
      ),
      (#"{"collections": [], "collections": []}"#, "twice"),
      (
        #"{"collections": [{"name": "a", "key": ["x"], "fields": [{"name": "x", "type": "text"}], "references": [{"fields": ["x"], "target": "a", "onDelete": "drop"}]}]}"#,
        "unknown rule \"drop\""
      ),
    ])
  func `a wrong schema file is refused with its place`(text: String, message: String) async throws {
    let tool = try ToolRunner()
    try tool.write("schema.json", text)
    let result = try await tool.run("schema", "apply", "schema.json")
    #expect(result.status == 1)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(!tool.exists("holdfast.db"))
  }

  @Test(arguments: SampleStore.backends)
  func `info and collections say what is in a store`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let info = try await store.succeed("info")
    #expect(info.contains("backend         \(backend)\n"), "\(info)")
    #expect(info.contains("  city          4 records\n"), "\(info)")
    let json = try await store.succeed("info", "--format", "json")
    #expect(json.contains(#""collections":[{"name":"city","records":4},{"name":"visit","#))
    #expect(
      try await store.succeed("collections", "--format", "csv") == """
        collection,records,fields,key,indexes
        city,4,"id integer, name text, country text?, area real?, capital bool, founded date?, \
        seal blob?, code uuid?, price decimal?, tags json?",id (automatic),\
        "by_name (name) unique, by_country (country, area)"
        visit,0,"who text, day date, note text?","who, day",""
        word,0,"word text, n integer",word,""

        """
    )
  }
}
