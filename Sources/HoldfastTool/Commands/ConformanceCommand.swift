import Holdfast
import HoldfastBackends
import HoldfastConformance

extension Command {
  private static let allBackends = "all"

  /// Runs the conformance suite.
  static let conformance = Command(
    "conformance",
    "check that backends behave as documented, case by case",
    options: [
      Option(
        "--backend",
        .oneOf(StoreSelection.backends + [allBackends]),
        "the backend to check (all)"
      ),
      Option("--filter", .text("PATTERN"), "only cases whose id holds this, or matches with *"),
      Option("--seed", .number("N"), "the seed of random cases (\(Conformance.defaultSeed))"),
      Option("--format", .oneOf(["text", "json", "junit", "html"]), "the report's format (text)"),
      Option("--output", short: "o", .path("FILE"), "write the report to a file"),
      Option("--list", "list the cases instead of running them"),
      Option("--self-test", "run the cases on stores that are wrong on purpose, instead"),
      Option(
        "--model-minutes",
        .text("N"),
        "compare random histories with a model for so long instead; 0.1 is six seconds"
      ),
      Option("--replay", .path("FILE"), "run a script that the model test printed instead"),
    ],
    takesStore: false,
    details: """
      Stores are made in the temporary folder. The report ends with the line
      \"N passed, N failed, N skipped\"; the status is 1 if a case failed or did not run.
      JSON is one object for one backend, an array of them for all.
      --self-test prints for each wrong store the cases that caught it; the status is 1 if none did.

      --model-minutes runs random histories of operations on every chosen backend and on a model of
      them, until one gives something else. That one is made small and printed as a script, which
      --output names a file for; --replay runs it again, step by step. Without --seed each run has
      another seed.
      """
  ) { invocation in
    let arguments = invocation.arguments
    if arguments.has("--model-minutes") || arguments.has("--replay") {
      return try await ModelTestRun.run(invocation)
    }
    if arguments.has("--self-test") { return try await selfTest(invocation) }
    let filter = arguments["--filter"]
    let cases = Conformance.cases.filter { Conformance.matches($0, filter) }
    guard !cases.isEmpty else {
      throw UsageError("no case matches --filter; see holdfast conformance --list")
    }
    if arguments.has("--list") {
      return try OutputFile.with(arguments["--output"], else: invocation.output) { output in
        for entry in cases { try output.line("\(entry.id)\t\(entry.statement)") }
      }
    }
    let schemes = schemes(arguments)
    let format = arguments["--format"] ?? "text"
    guard format != "html" || schemes.count == 1 else {
      throw UsageError("--format html takes one backend; add --backend NAME")
    }
    let seed = arguments.number("--seed").map { UInt64($0) } ?? Conformance.defaultSeed
    let reports = await run(schemes, filter: filter, seed: seed)
    let isSuccess = reports.allSatisfy(\.isSuccess)
    do {
      try OutputFile.with(arguments["--output"], else: invocation.output) { output in
        try output.write(ConformanceText.text(reports, format))
      }
      if arguments["--output"] != nil { try invocation.output.line(ConformanceText.total(reports)) }
      try invocation.output.flush()
    } catch is ClosedPipe where !isSuccess {
      throw CheckFailed()
    }
    if !isSuccess { throw CheckFailed() }
  }

  /// The backends that `--backend` chooses.
  static func schemes(_ arguments: ParsedArguments) -> [StorageURL.Scheme] {
    StorageURL.Scheme(rawValue: arguments["--backend"] ?? allBackends).map { [$0] }
      ?? StorageURL.Scheme.allCases
  }

  /// A fresh harness of a backend.
  static func harness(_ scheme: StorageURL.Scheme) -> StoreHarness {
    StoreHarness(scheme.rawValue, usesFiles: scheme != .memory) { path, options in
      try Backends.open(StorageURL(scheme, path: path, options: options))
    } destroy: { path in
      try Backends.destroy(StorageURL(scheme, path: path))
    } raiseFormat: { path in
      try Backends.raiseFormat(StorageURL(scheme, path: path))
    }
  }

  private static func run(_ schemes: [StorageURL.Scheme], filter: String?, seed: UInt64) async
    -> [ConformanceReport]
  {
    let progress = ProgressLine("cases")
    let counter = ConformanceCounter()
    defer { progress.finish() }
    var reports: [ConformanceReport] = []
    for scheme in schemes {
      let report = await Conformance.run(
        filter: filter,
        seed: seed,
        progress: { _ in progress.report(counter.next(), nil) }
      ) { harness(scheme) }
      reports.append(report)
    }
    return reports
  }
}
