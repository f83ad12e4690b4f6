import Testing

@Suite struct ExplainCommandTests {
  @Test(arguments: SampleStore.backends)
  func `a plan names what is read, checked and sorted, alike on every backend`(backend: String)
    async throws
  {
    let store = try await SampleStore(backend)
    #expect(
      try await store.succeed(
        "explain",
        "city",
        "--where",
        "country = 'NL' AND area > 100 AND name CONTAINS 'a'",
        "--sort",
        "-name"
      ) == """
        part        plan
        ----------  --------------------------------
        collection  city
        read        index by_country (country, area)
        range       country = 'NL' AND area > 100.0
        records     1
        check       name CONTAINS 'a'
        sort        in memory

        """
    )
    #expect(
      try await store.succeed("explain", "city", "--where", "founded IS NULL") == """
        part        plan
        ----------  -----------------------
        collection  city
        read        key (id)
        range       all
        records     4
        check       founded IS NULL
        would help  an index over (founded)

        """
    )
    #expect(
      try await store.succeed("explain", "city", "--where", "id IN (1, 3)", "--format", "json")
        == #"{"collection":"city","read":"key","fields":["id"],"range":"id IN (1, 3)","#
        + #""ranges":2,"records":2,"check":null,"sorts":false,"fullScan":false,"helpfulIndex":null}"#
        + "\n"
    )
    #expect(
      try await store.succeed("explain", "city", "--where", "id IN ()", "--format", "json")
        .contains(#""read":"nothing""#)
    )
  }

  @Test func `the engine's own plan is shown where there is one`() async throws {
    let sqlite = try await SampleStore("sqlite")
    let plan = try await sqlite.succeed("explain", "city", "--where", "name = 'x'", "--native")
    #expect(plan.contains("engine") && plan.contains("USING INDEX"))
    let lmdb = try await SampleStore("lmdb")
    let refusal = try await lmdb.tool.run("explain", "city", "--native", "--storage", lmdb.url)
    #expect(refusal.status == 1 && refusal.errors.contains("no plan of its own"))
  }
}
