import Testing

@Suite struct RecordCommandTests {
  @Test(arguments: SampleStore.backends)
  func `a record is inserted, got, updated, put and deleted`(backend: String) async throws {
    let store = try await SampleStore(backend)
    #expect(
      try await store.succeed("get", "city", "3")
        == #"{"id":3,"name":"Bern","country":"CH","area":null,"capital":false,"#
        + #""founded":"1191-01-01T00:00:00.000000000Z","seal":"AP8=","code":null,"price":"1.5","#
        + #""tags":null}"# + "\n"
    )
    #expect(try await store.succeed("update", "city", "3", #"{"area": 51}"#) == "")
    #expect(try await store.succeed("get", "city", "3").contains(#""area":51.0,"capital":false"#))
    #expect(try await store.succeed("put", "city", #"{"id": 3, "name": "Biel"}"#) == "3\n")
    #expect(try await store.succeed("get", "city", "3").contains(#""name":"Biel","country":"NL""#))
    #expect(try await store.succeed("put", "city", #"{"name": "Basel"}"#) == "5\n")
    #expect(try await store.succeed("delete", "city", "3", "5") == "2\n")
    try await store.fail("get", "city", "3")
    #expect(try await store.succeed("insert", "city", "-", input: #"{"name": "Zug"}"#) == "6\n")
    #expect(try await store.succeed("count", "city") == "4\n")
  }

  @Test(arguments: SampleStore.backends)
  func `text, composite and odd keys go out as they come in`(backend: String) async throws {
    let store = try await SampleStore(backend)
    #expect(try await store.succeed("insert", "word", #"{"word": "7", "n": 1}"#) == "7\n")
    #expect(
      try await store.succeed("put", "word", #"{"word": "it's \"é\"", "n": 2}"#) == "it's \"é\"\n"
    )
    #expect(try await store.succeed("get", "word", "it's \"é\"").contains(#""n":2"#))
    #expect(try await store.succeed("insert", "word", #"{"word": "--n", "n": 3}"#) == "--n\n")
    let result = try await store.tool.run(
      "get",
      "word",
      "--storage",
      store.url,
      "--",
      "--n"
    )
    #expect(result.output == #"{"word":"--n","n":3}"# + "\n")
    let key = try await store.succeed("insert", "visit", #"{"who": "Ada", "day": "2026-01-31"}"#)
    #expect(key == #"["Ada","2026-01-31T00:00:00.000000000Z"]"# + "\n")
    #expect(try await store.succeed("get", "visit", #"["Ada", "2026-01-31"]"#).contains("Ada"))
    #expect(try await store.succeed("delete", "visit", String(key.dropLast())) == "1\n")
  }

  @Test(arguments: SampleStore.backends)
  func `what is missing or does not fit fails with one line and changes nothing`(backend: String)
    async throws
  {
    let store = try await SampleStore(backend)
    let before = try await store.succeed("query", "city", "--format", "jsonl")
    #expect(try await store.fail("get", "city", "9") == "city has no record with that key")
    try await store.fail("update", "city", "9", #"{"name": "x"}"#)
    try await store.fail("delete", "city", "9", output: "0\n")
    #expect(try await store.fail("get", "city", "x").contains("takes an integer"))
    #expect(try await store.fail("get", "town", "1").contains("no collection town"))
    try await store.fail("get", "visit", "Ada")
    try await store.fail("get", "visit", #"["Ada"]"#)
    try await store.fail("insert", "city", #"{"id": 1, "name": "x"}"#)
    #expect(try await store.fail("insert", "city", #"{"name": "Bern"}"#).contains("by_name"))
    try await store.fail("insert", "city", #"{"name": "x""#)
    try await store.fail("insert", "city", #"{"name": "x", "name": "y"}"#)
    try await store.fail("insert", "city", #"{"name": "x", "area": NaN}"#)
    try await store.fail("insert", "city", #"{"name": "x", "area": "wide"}"#)
    try await store.fail("insert", "city", #"{"nom": "x"}"#)
    try await store.fail("insert", "city", #"{"name": null}"#)
    try await store.fail("insert", "city", #"["x"]"#)
    try await store.fail("insert", "city", #"{"name": "x"} {"name": "y"}"#)
    try await store.fail("insert", "city", "")
    try await store.fail("update", "city", "1", #"{"id": 2}"#)
    try await store.fail("update", "city", "1", #"{"name": 7}"#)
    let long = String(repeating: "k", count: 481)
    #expect(
      try await store.fail("insert", "word", #"{"word": "\#(long)", "n": 1}"#).contains("480")
    )
    #expect(try await store.succeed("query", "city", "--format", "jsonl") == before)
    #expect(try await store.succeed("count", "word") == "0\n")
  }
}
