import Holdfast
import HoldfastConformance
import Synchronization
import Testing

/// Scripts of the model test: what is printed is read back, and what is wrong names its line.
@Suite struct ModelScriptTests {
  @Test func `every operation of random histories is read back from its line`() async throws {
    let scripts = Mutex<[String]>([])
    let report = await ModelTest.run(
      seed: .random(in: .min ... .max),
      limit: .histories(6),
      on: [{ makeHarness(.memory) }],
      before: { script in scripts.withLock { $0.append(script()) } }
    )
    #expect(report.fault == nil, "\(report.text)")
    for script in scripts.withLock({ $0 }) {
      let replay = try await ModelTest.replay(script, on: [{ makeHarness(.memory) }])
      #expect(replay.isEqual, "\(replay.lines.joined(separator: "\n"))")
      let echoed = replay.lines.compactMap { line in
        line.first?.isNumber == true
          ? String(line.split(separator: ": ", maxSplits: 1)[1].prefix { $0 != "\n" }) : nil
      }
      let given = script.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
      #expect(echoed.allSatisfy(given.contains), "a line is printed otherwise than it was read")
    }
  }

  @Test func `a script says what each step gave, and where it differs`() async throws {
    let script = """
      # a comment

      create item (id integer, name text?) key (id) unique by_name (name)
      insert item {id: 1, name: "a\\u{0}"+"b"*20}
      insert item {id: 2, name: "a\\u{0}"+"b"*20}
      begin
        put item {id: 3}
        savepoint
          delete item [1]
        undo
      commit
      create "a b" (id integer, item integer?) key (id) automatic refers (item) to item cascade
      insert "a b" {item: 3}
      alter item add n real? = 0.5, call name title, optional title, unindex by_name
      rename item to thing
      delete thing [3]
      count "a b"
      alter "a b" unrefer (item), type item text, default item = "x", remove item
      drop "a b"
      rename thing to item
      alter item call title name, remove n
      query item where starts(name, "a") sort (-id) limit 5
      watch
      migrate (one {create note (id integer, text json?, of integer?) key (id) refers (of) to item restrict; insert note {id: 1, text: "{\\u{22}a\\u{22}:1,\\u{22}b\\u{22}:[true,null]}"}}, two {})
      rehearse (one {}, two {}, three {drop note})
      migrate (two {})
      deferring {insert note {id: 2, of: 50}; insert item {id: 50}}
      deferring {insert note {id: 3, of: 60}}
      query note where or(json(text, (b), element(eq(1))), json(text, (), in([null, "x"])))
      count note where not(json(text, (a, b), count(ge, 2)))
      unwatch
      """
    let replay = try await ModelTest.replay(
      script,
      on: [{ makeHarness(.memory) }, { makeHarness(.sqlite) }]
    )
    #expect(replay.isEqual, "\(replay.lines.joined(separator: "\n"))")
    #expect(replay.lines.contains("17: count \"a b\"\n  0"))
    #expect(replay.lines.contains { $0.hasPrefix("5: ") && $0.contains("uniqueViolation") })
    #expect(replay.lines.contains { $0.hasSuffix("[[1, \"a\\u{0}\"+\"b\"*20]]") })
    #expect(replay.lines.contains { $0.hasPrefix("24: ") && $0.hasSuffix("\n  [one, two]") })
    #expect(replay.lines.contains { $0.hasPrefix("25: ") && $0.hasSuffix("\n  [three]") })
    #expect(replay.lines.contains { $0.hasPrefix("26: ") && $0.contains("migrationMismatch") })
    #expect(replay.lines.contains { $0.hasPrefix("28: ") && $0.contains("referenceViolation") })
    #expect(replay.lines.contains { $0.hasPrefix("29: ") && $0.hasSuffix("null, 50]]") })
    #expect(replay.lines.contains("# sqlite"))
  }

  @Test(arguments: [
    "explode", "insert", "insert item", "insert item {id 1}", "insert item {id: }",
    "insert item {id: 1} x", "get item [1", "get item [12x]", "put item {a: \"x}",
    "put item {a: \"\\q\"}", "put item {a: \"\\u{110000}\"}", "put item {a: x'0'}",
    "put item {a: x'0g'}", "put item {a: \"x\"*99999999999}", "put item {a: \"x\"*-1}",
    "query item where", "query item where eq(a)", "query item where like(a, 1)",
    "query item limit x", "create item (a number) key (a)", "create item (a integer)",
    "fill item from 0 count 9999999", "alter item", "alter item grow a", "alter item type a number",
    "alter item add a text,", "rename item thing",
    "create item (a integer) key (a) refers (a) to b",
    "create item (a integer) key (a) refers (a) to b gently", "at 1 commit", "at x get item [1]",
    "snapshot",
    "aggregate item (median a)", "next 1", "deferring", "deferring {begin}",
    "deferring {deferring {}}", "deferring {drop item}", "deferring {delete item [1], }",
    "migrate one {}", "migrate (one)", "migrate (one {migrate ()})", "rehearse (one {commit})",
    "query item where json(a)", "query item where json(a, b, eq(1))",
    "query item where json(a, (), like(1))", "query item where json(a, (), same(1))",
    "query item where json(a, (), count(1))",
    "query item where json(a, (), \(String(repeating: "element(", count: 5000))",
    "query item where \(String(repeating: "not(", count: 5000))",
  ])
  func `a wrong line is an error in one line that names it`(_ line: String) async throws {
    let error = await #expect(throws: StorageError.self) {
      try await ModelTest.replay("open\n# comment\n\(line)\n", on: [])
    }
    #expect(error?.code == .malformedInput)
    #expect(error?.message.hasPrefix("line 3: ") ?? false, "\(error?.message ?? "")")
    #expect(!(error?.message.contains("\n") ?? true))
  }
}
