import Holdfast
import HoldfastConformanceMutants
import Synchronization

extension Command {
  /// Runs the suite on stores that are wrong on purpose, and prints which cases caught each.
  static func selfTest(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    if let other = ["--backend", "--filter", "--seed", "--list"].first(where: arguments.has) {
      throw UsageError("--self-test runs on stores of its own and takes no \(other)")
    }
    let format = arguments["--format"] ?? "text"
    guard let rowFormat = ["text": RowFormat.table, "json": .json][format] else {
      throw UsageError("--self-test prints text or json, not \(format)")
    }
    let progress = ProgressLine("mutants")
    let finished = Atomic(0)
    let test = await SelfTest.run {
      let count = finished.add(1, ordering: .relaxed).newValue
      progress.report(count, Double(count) / Double(Mutation.allCases.count + 1))
    }
    progress.finish()
    try OutputFile.with(arguments["--output"], else: invocation.output) { output in
      try write(test, rowFormat, to: output)
    }
    if !test.isSuccess { throw CheckFailed() }
  }

  private static func write(
    _ test: SelfTest,
    _ format: RowFormat,
    to output: Output
  ) throws {
    var writer = try RowWriter(
      format,
      columns: [
        FieldDefinition("mutant", .text), FieldDefinition("area", .text),
        FieldDefinition("cases", .integer), FieldDefinition("failed", .integer),
        FieldDefinition("caughtBy", .text), FieldDefinition("difference", .text),
      ],
      source: "the self-test",
      to: output
    )
    for line in test.lines {
      try writer.add([
        .text(line.mutation?.rawValue ?? "unchanged"), .text(line.mutation?.area ?? "all"),
        .integer(Int64(line.caseCount)), .integer(Int64(line.failed.count)),
        .text(names(line, all: format == .json)),
        .text(line.mutation?.summary ?? "none; every case must pass"),
      ])
    }
    try writer.finish()
    let mutants = test.lines.filter { $0.mutation != nil }
    let caught = mutants.filter(\.isExpected).count
    if format == .table {
      try output.line("\(caught) of \(mutants.count) mutants caught")
    }
  }

  /// The cases that failed without their area, the first few unless `all` are asked for.
  private static func names(_ line: SelfTest.Line, all: Bool) -> String {
    if all || line.mutation == nil { return line.failed.joined(separator: " ") }
    if line.failed.isEmpty { return "SURVIVED" }
    let names = line.failed.map { $0.drop { $0 != "." }.dropFirst() }
    let shown = names.prefix(2).joined(separator: " ")
    return names.count > 2 ? "\(shown) …" : shown
  }
}
