import Testing

@Suite struct QueryCommandTests {
  @Test(arguments: SampleStore.backends)
  func `rows come in every format`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let select = "id,name,country,area"
    #expect(
      try await store.succeed("query", "city", "--select", select) == """
        id  name       country     area
        --  ---------  -------  -------
         1  Amsterdam  NL         219.3
         2  北京       CN       16410.5
         3  Bern       CH          NULL
         4  Atlantis   NULL        NULL

        """
    )
    #expect(
      try await store.succeed("query", "city", "--select", select, "--format", "json") == """
        [
        {"id":1,"name":"Amsterdam","country":"NL","area":219.3},
        {"id":2,"name":"北京","country":"CN","area":16410.5},
        {"id":3,"name":"Bern","country":"CH","area":null},
        {"id":4,"name":"Atlantis","country":null,"area":null}
        ]

        """
    )
    #expect(
      try await store.succeed("query", "city", "--select=area,id", "--format=jsonl", "--limit=1")
        == #"{"area":219.3,"id":1}"# + "\n"
    )
    try await store.succeed("update", "city", "4", #"{"country": "", "name": "a,\"b\"\nc"}"#)
    #expect(
      try await store.succeed(
        "query",
        "city",
        "--select",
        "id,name,country,area,seal,capital",
        "--format",
        "csv",
        "--sort",
        "-id",
        "--limit",
        "2"
      ) == """
        id,name,country,area,seal,capital
        4,"a,""b""
        c","",,,false
        3,Bern,CH,,AP8=,false

        """
    )
    #expect(try await store.succeed("query", "word", "--format", "json") == "[]\n")
    #expect(try await store.succeed("query", "word") == "word  n\n----  -\n")
    #expect(try await store.succeed("query", "word", "--format", "csv") == "word,n\n")
    #expect(try await store.succeed("query", "word", "--format", "jsonl") == "")
  }

  @Test(
    arguments: [
      ("capital = true", "1 2"), ("country IS NULL", "4"), ("country = null", "4"),
      ("country != 'NL'", "2 3 4"), ("NOT country = 'NL'", "2 3 4"), ("area > 219", "1 2"),
      ("area BETWEEN 219.3 AND 300", "1"), ("id IN (1, 3, 99)", "1 3"), ("id NOT IN (1, 3)", "2 4"),
      ("name STARTS WITH 'A'", "1 4"), ("name CONTAINS 'er'", "1 3"), ("name CONTAINS '京'", "2"),
      ("name NOT CONTAINS 'a'", "2 3"), ("founded < DATE '1200-01-01'", "3"),
      ("seal = x'00ff'", "3"), ("code = UUID '01234567-89AB-CDEF-0123-456789ABCDEF'", "4"),
      ("price = '1.50'", "3"), ("(id = 1 OR id = 2) AND country <> 'NL'", "2"),
      ("\"name\" >= 'B'", "2 3"), ("id IN ()", ""),
    ])
  func `a condition finds the same records on every backend`(condition: String, ids: String)
    async throws
  {
    for backend in SampleStore.backends {
      let store = try await SampleStore(backend)
      let found = try await store.succeed(
        "query",
        "city",
        "--where",
        condition,
        "--select",
        "id",
        "--format",
        "csv"
      )
      let lines = found.split(separator: "\n").dropFirst().joined(separator: " ")
      #expect(lines == ids, "\(backend)")
      let count = ids.isEmpty ? 0 : ids.split(separator: " ").count
      #expect(try await store.succeed("count", "city", "--where", condition) == "\(count)\n")
    }
  }

  @Test(arguments: SampleStore.backends)
  func `pages go on where the last one ended`(backend: String) async throws {
    let store = try await SampleStore(backend)
    var names: [String] = []
    var token: String?
    repeat {
      var arguments = [
        "query", "city", "--storage", store.url, "--sort", "-name", "--limit", "2", "--select",
        "name", "--format", "csv",
      ]
      if let token { arguments += ["--after", token] }
      let page = try await store.tool.run(arguments: arguments)
      #expect(page.status == 0)
      names += page.lines.dropFirst()
      let next = page.errors.split(separator: "\n").first { $0.hasPrefix("next: ") }
      token = next.map { String($0.dropFirst("next: ".count)) }
      try #require(names.count <= 4)
    } while token != nil
    #expect(names == ["北京", "Bern", "Atlantis", "Amsterdam"])
    try await store.fail("query", "city", "--after", "forged")
  }

  @Test(arguments: SampleStore.backends)
  func `order, limit and offset`(backend: String) async throws {
    let store = try await SampleStore(backend)
    func ids(_ arguments: String...) async throws -> String {
      let result = try await store.tool.run(
        arguments: ["query", "city", "--storage", store.url, "--select", "id", "--format", "csv"]
          + arguments
      )
      return result.lines.dropFirst().joined(separator: " ")
    }
    #expect(try await ids("--sort", "area,-id") == "4 3 1 2")
    #expect(try await ids("--sort", "-area") == "2 1 3 4")
    #expect(try await ids("--limit", "0") == "")
    #expect(try await ids("--offset", "3") == "4")
    #expect(try await ids("--offset", "9") == "")
    #expect(try await ids("--sort", "-id", "--offset", "1", "--limit", "2") == "3 2")
  }

  @Test(arguments: SampleStore.backends)
  func `figures, also by group`(backend: String) async throws {
    let store = try await SampleStore(backend)
    #expect(
      try await store.succeed(
        "aggregate",
        "city",
        "--sum",
        "area",
        "--avg",
        "id",
        "--min",
        "name",
        "--max",
        "founded",
        "--count",
        "--format",
        "jsonl"
      )
        == #"{"sum(area)":16629.8,"avg(id)":2.5,"min(name)":"Amsterdam","#
        + #""max(founded)":"1191-01-01T00:00:00.000000000Z","count":4}"# + "\n"
    )
    #expect(
      try await store.succeed(
        "aggregate",
        "city",
        "--count",
        "--group-by",
        "capital,country",
        "--format",
        "csv",
        "--where",
        "id < 4"
      ) == """
        capital,country,count
        false,CH,1
        true,CN,1
        true,NL,1

        """
    )
    #expect(
      try await store.succeed("aggregate", "word", "--sum", "n", "--count", "--format", "csv")
        == "sum(n),count\n,0\n"
    )
    try await store.fail("aggregate", "city", "--sum", "name")
    try await store.fail("aggregate", "city", "--sum", "nope")
  }

  @Test(arguments: SampleStore.backends)
  func `mistakes in a condition point at their column`(backend: String) async throws {
    let store = try await SampleStore(backend)
    #expect(
      try await store.fail("query", "city", "--where", "id = )", status: 2)
        == "--where, column 6: expected a value, found ')'"
    )
    #expect(
      try await store.fail("count", "city", "--where", "id = 1 AND nmae = 'x'")
        == "--where, column 12: city has no field nmae; did you mean name?"
    )
    try await store.fail("query", "city", "--where", "id = 'x'")
    try await store.fail("query", "city", "--where", "tags < 'x'")
    try await store.fail("query", "city", "--sort", "nope")
    try await store.fail("query", "city", "--select", "id,nope")
    try await store.fail("query", "city", "--limit", "-1", status: 2)
    try await store.fail("query", "city", "--select", "id,", status: 2)
  }

  @Test(
    arguments: [
      (["count", "citty"], "the store has no collection citty; did you mean city?"),
      (["export", "elsewhere"], "the store has no collection elsewhere; create it first"),
      (["query", "city", "--sort", "-aera"], "--sort: city has no field aera; did you mean area?"),
      (["query", "word", "--select", "x"], "--select: word has no field x; it has word, n"),
      (["aggregate", "visit", "--max", "dya"], "--max: visit has no field dya; did you mean day?"),
      (
        ["aggregate", "word", "--group-by", "nope"],
        "--group-by: word has no field nope; it has word, n"
      ),
    ]
  )
  func `an unknown collection or field comes with the nearest one`(
    arguments: [String],
    message: String
  ) async throws {
    let store = try await SampleStore("json")
    let result = try await store.tool.run(arguments: arguments + ["--storage", store.url])
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors == "holdfast: \(message)\n")
  }
}
