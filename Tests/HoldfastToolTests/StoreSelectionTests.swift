import Foundation
import Testing

@Suite struct StoreSelectionTests {
  private func names(
    _ tool: ToolRunner,
    _ arguments: String...,
    environment: [String: String] = [:]
  ) async throws -> String {
    let result = try await tool.run(
      arguments: ["collections", "--format", "csv"] + arguments,
      environment: environment
    )
    #expect(result.status == 0, "\(result.errors)")
    return result.lines.dropFirst().map { String($0.prefix { $0 != "," }) }.joined(separator: " ")
  }

  private func make(_ tool: ToolRunner, _ url: String, _ name: String) async throws {
    let schema =
      #"{"collections": [{"name": "\#(name)", "key": ["k"], "fields": [{"name": "k", "type": "text"}]}]}"#
    let result = try await tool.run("schema", "apply", "-", "--storage", url, input: schema)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `a flag beats the environment, that a file, that the default`() async throws {
    let tool = try ToolRunner()
    try FileManager.default.createDirectory(
      at: tool.folder.appendingPathComponent("sub"),
      withIntermediateDirectories: true
    )
    try await make(tool, "sqlite:holdfast.db", "default")
    try await make(tool, "sqlite:flag.db", "flag")
    try await make(tool, "json:environment", "environment")
    try await make(tool, "sqlite:file.db", "file")
    try await make(tool, "sqlite:sub/named.db", "named")
    let environment = ["HOLDFAST_STORAGE": "json:environment"]

    #expect(try await names(tool) == "default")
    try tool.write("sub/my.json", #"{"storage": "sqlite:named.db", "other": 1}"#)
    #expect(try await names(tool, "--config", "sub/my.json") == "named")
    try tool.write("holdfast.json", #"{"storage": "sqlite:file.db"}"#)
    #expect(try await names(tool) == "file")
    #expect(try await names(tool, "--config", "sub/my.json") == "named")
    #expect(try await names(tool, environment: environment) == "environment")
    #expect(
      try await names(tool, "--config", "sub/my.json", environment: environment) == "environment"
    )
    #expect(
      try await names(tool, "--storage", "sqlite:flag.db", environment: environment) == "flag"
    )
    #expect(
      try await names(tool, "--backend", "sqlite", "--path", "flag.db", environment: environment)
        == "flag"
    )
    try tool.write("holdfast.json", "{}")
    #expect(try await names(tool) == "default")
    let leading = try await tool.run("--storage", "sqlite:flag.db", "collections")
    #expect(leading.output.contains("flag"))
  }

  @Test(
    arguments: [
      (["count", "c", "--storage", "oracle:x"], 2, "unknown backend oracle"),
      (["count", "c", "--storage", "x"], 2, "is no storage URL"),
      (["count", "c", "--storage", "sqlite:"], 2, "names no path"),
      (["count", "c", "--storage", "sqlite:x?durabilty=full"], 2, "unknown storage option"),
      (["count", "c", "--storage", "sqlite:x?durability=most"], 2, "full, normal, none"),
      (["count", "c", "--backend", "sqlit", "--path", "x"], 2, "did you mean sqlite?"),
      (["count", "c", "--backend", "sqlite"], 2, "needs --path"),
      (["count", "c", "--path", "x"], 2, "needs --backend"),
      (
        ["count", "c", "--storage", "sqlite:x", "--backend", "sqlite", "--path", "x"], 2,
        "not both"
      ),
      (["count", "c", "--config", "none.json"], 1, "none.json"),
      (["count", "c", "--storage", "sqlite:none.db"], 1, "none.db"),
      (["count", "c", "--storage", "lmdb:none"], 1, "none"),
      (["count", "c", "--storage", "json:none"], 1, "none"),
      (["count", "c", "--storage", "plist:none"], 1, "none"),
      (["count", "c", "--storage", "sqlite:."], 1, "folder"),
      (["count", "c", "--storage", "sqlite:notes.txt"], 1, "notes.txt"),
      (["count", "c", "--storage", "lmdb:notes.txt"], 1, "notes.txt"),
      (["count", "c", "--storage", "json:notes.txt"], 1, "notes.txt"),
      (["schema", "apply", "empty.json", "--storage", "sqlite:no/such/x.db"], 1, "no/such"),
    ] as [([String], Int32, String)]
  )
  func `a store that cannot be had is told in one line`(
    arguments: [String],
    status: Int32,
    message: String
  ) async throws {
    let tool = try ToolRunner()
    try tool.write("notes.txt", "this is a letter, not a store\n")
    try tool.write("empty.json", #"{"collections": []}"#)
    let before = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).sorted()
    let result = try await tool.run(arguments: arguments)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("holdfast: "))
    #expect(result.errors.filter(\.isNewline).count == 1)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(try tool.read("notes.txt") == "this is a letter, not a store\n")
    let after = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).sorted()
    #expect(after == before)
  }

  @Test(arguments: SampleStore.backends)
  func `a process with little address space works with what it gets`(backend: String) async throws {
    let tool = try ToolRunner()
    let status = try await tool.shell(
      "ulimit -v 1000000; \"$TOOL\" demo --storage \(backend):store"
    )
    #expect(status == 0)
  }
}
