import Foundation
import HoldfastTool
import Testing

@Suite struct UsageTests {
  @Test(
    arguments: [
      ([], "no command given"), (["qurey"], "did you mean query?"),
      (["query"], "query needs more arguments"), (["count", "a", "b"], "takes no argument 'b'"),
      (["query", "c", "--wher", "x"], "did you mean --where?"), (["get", "c"], "needs more"),
      (["completions", "bsh"], "did you mean bash?"),
      (["completions", "bash", "--storage", "sqlite:x"], "unknown option '--storage'"),
      (["query", "c", "--format", "xml"], "table, json, jsonl, csv"),
      (["help", "qurey"], "did you mean query?"), (["--verison"], "did you mean --version?"),
    ] as [([String], String)]
  )
  func `wrong usage ends with 2 and says what was meant`(arguments: [String], message: String)
    async throws
  {
    let result = try await ToolRunner().run(arguments: arguments)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("holdfast: ") && result.errors.contains(message), "\(result)")
    #expect(result.errors.filter(\.isNewline).count == 1)
  }

  @Test func `help and version go to standard output`() async throws {
    let tool = try ToolRunner()
    let version = try await tool.run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("holdfast "))
    let help = try await tool.run("--help")
    #expect(help.status == 0)
    for command in CommandTable.all {
      #expect(help.output.contains("  \(command.name) "))
      let own = try await tool.run(command.name, "--help")
      #expect(own.status == 0 && own.output.hasPrefix("Usage: holdfast \(command.name)"))
      #expect(own.errors == "")
      for option in command.options { #expect(own.output.contains(option.name)) }
    }
  }

  @Test(arguments: CompletionScript.shells)
  func `completion scripts are valid and know every command`(shell: String) async throws {
    let result = try await ToolRunner().run("completions", shell)
    #expect(result.status == 0)
    for command in CommandTable.all { #expect(result.output.contains(command.name)) }
    for path in ["/bin/\(shell)", "/usr/bin/\(shell)"]
    where FileManager.default.isExecutableFile(atPath: path) {
      let script = FileManager.default.temporaryDirectory
        .appendingPathComponent("holdfast-\(UUID().uuidString).\(shell)")
      try Data(result.output.utf8).write(to: script)
      defer { _ = Result { try FileManager.default.removeItem(at: script) } }
      let child = ChildProcess(
        path: path,
        arguments: ["-n", script.path],
        environment: [:],
        folder: "/",
        input: "/dev/null",
        output: "/dev/null",
        errors: "/dev/null"
      )
      #expect(try await child.run() == 0)
      break
    }
  }

  @Test func `a closed pipe ends the tool quietly`() async throws {
    let tool = try ToolRunner()
    // A shell's own reader that ends at once; its status is that of the tool.
    let script = "(\"$TOOL\" --help; echo \"status $?\" >status) 2>errors | :"
    let child = ChildProcess(
      path: "/bin/sh",
      arguments: ["-c", script],
      environment: ["TOOL": try ToolRunner.executable().path],
      folder: tool.folder.path,
      input: "/dev/null",
      output: "/dev/null",
      errors: "/dev/null"
    )
    #expect(try await child.run() == 0)
    #expect(try tool.read("status") == "status 0\n")
    #expect(try tool.read("errors") == "")
  }
}
