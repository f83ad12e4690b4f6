import Foundation
import Testing

/// Copies and restores whose process is killed.
@Suite struct KilledCopyTests {
  /// A store with enough records that copying them takes a while.
  private func largeStore(_ backend: String) async throws -> SampleStore {
    let store = try await SampleStore(backend)
    let lines = (0..<20_000).map { #"{"word":"word \#($0)","n":\#($0)}"# }
    try store.tool.write("words.jsonl", lines.joined(separator: "\n") + "\n")
    try await store.succeed("import", "words.jsonl", "--into", "word")
    return store
  }

  @Test(arguments: SampleStore.backends)
  func `a killed convert leaves no destination, and the next one cleans up`(backend: String)
    async throws
  {
    let store = try await largeStore("sqlite")
    let script = """
      "$TOOL" convert store \(backend):copy & pid=$!
      until [ -n "$(ls copy.*.unfinished/store 2>/dev/null)" ]; do kill -0 $pid || exit 9; done
      kill -9 $pid
      wait $pid
      [ $? -eq 137 ]
      """
    #expect(try await store.tool.shell(script) == 0)
    #expect(!store.tool.exists("copy"))
    #expect(try store.tool.names().contains { $0.hasSuffix(".unfinished") })
    let again = try await store.tool.run("convert", "store", "\(backend):copy")
    #expect(again.status == 0, "\(again.errors)")
    // A reader of SQLite that is killed leaves an empty log beside its store.
    let names = try store.tool.names().filter { !$0.hasPrefix("store-") }
    #expect(names == ["copy", "schema.json", "store", "words.jsonl"])
    #expect(try await store.tool.run("diff", "store", "copy").status == 0)
  }

  @Test(arguments: SampleStore.backends)
  func `a killed restore leaves the old content, or all of the new`(backend: String) async throws {
    let store = try await largeStore(backend)
    try await store.succeed("backup", "saved")
    try await store.succeed("delete", "city", "1")
    try await store.succeed("update", "word", "word 7", #"{"n": -7}"#)
    try await store.succeed("backup", "old")
    for delay in ["0.1", "0.3", "0.5", "0.8", "1.2"] {
      try await store.tool.shell(
        "\"$TOOL\" restore saved --storage \(store.url) & pid=$!; sleep \(delay); kill -9 $pid; wait"
      )
      let isOld = try await store.tool.run("diff", "old", "store").status == 0
      let isNew = try await store.tool.run("diff", "saved", "store").status == 0
      #expect(isOld != isNew, "killed after \(delay) s")
      #expect(try await store.succeed("verify").hasSuffix("no faults\n"))
    }
    try await store.succeed("restore", "saved")
    #expect(try await store.tool.run("diff", "saved", "store").status == 0)
  }

  @Test(arguments: SampleStore.backends)
  func `a restore while others use the store is one commit for them`(backend: String) async throws {
    let store = try await largeStore(backend)
    try await store.succeed("backup", "saved")
    try await store.succeed("delete", "city", "1", "2", "3")
    let script = """
      export HOLDFAST_STORAGE=\(store.url)
      "$TOOL" restore saved & pid=$!
      while kill -0 $pid 2>/dev/null; do "$TOOL" count city; done >counts
      wait $pid && "$TOOL" count city >>counts
      """
    #expect(try await store.tool.shell(script) == 0)
    let counts = try store.tool.read("counts").split(separator: "\n")
    #expect(Set(counts).isSubset(of: ["1", "4"]), "\(counts)")
    #expect(counts.last == "4")
  }
}
