import Testing

@Suite struct WatchCommandTests {
  @Test(arguments: SampleStore.backends)
  func `changes of other processes come as lines with the keys, until it is interrupted`(
    backend: String
  ) async throws {
    let store = try await SampleStore(backend)
    let script = """
      export HOLDFAST_STORAGE=\(store.url)
      "$TOOL" watch city >out 2>err & pid=$!
      lines() { until [ $(wc -l <out) -ge $1 ]; do kill -0 $pid || exit 9; done; }
      until grep -q watching err; do kill -0 $pid || exit 8; done
      "$TOOL" insert city '{"name": "Paris"}'
      lines 1
      "$TOOL" update city 2 '{"area": 1.5}'
      lines 2
      "$TOOL" insert word '{"word": "x", "n": 1}'
      "$TOOL" delete city 1 5
      lines 3
      kill -INT $pid
      wait $pid
      """
    #expect(try await store.tool.shell(script) == 0)
    #expect(
      try store.tool.read("out") == """
        {"collection":"city","complete":true,"inserted":[5],"updated":[],"deleted":[]}
        {"collection":"city","complete":true,"inserted":[],"updated":[2],"deleted":[]}
        {"collection":"city","complete":true,"inserted":[],"updated":[],"deleted":[1,5]}

        """
    )
    #expect(try store.tool.read("err") == "watching city until interrupted\n")
  }

  @Test func `it ends quietly when nobody reads it any more`() async throws {
    let store = try await SampleStore("sqlite")
    let script = #"{ "$TOOL" watch city --storage sqlite:store; echo $? >status; } 2>err | :"#
    #expect(try await store.tool.shell(script) == 0)
    #expect(try store.tool.read("status") == "0\n")
    #expect(try store.tool.read("err") == "watching city until interrupted\n")
    try await store.fail("watch", "ciyt")
  }
}
