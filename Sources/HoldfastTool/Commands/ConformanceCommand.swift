import Holdfast
import HoldfastBackends
import HoldfastConformance
import Synchronization

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
      Option(
        "--format",
        .oneOf(ConformanceText.reportFormats + ["markdown"]),
        "the report's format (text); with --list text, json or markdown"
      ),
      Option("--output", short: "o", .path("FILE"), "write the report to a file"),
      Option("--list", "list the cases with area and rule instead of running them"),
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
      "N passed, N failed, N skipped"; the status is 1 if a case failed or did not run. A case for
      an extra that a backend does not declare passes as "unsupported, verified".
      --format html is a page with all backends side by side.
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
    let format = arguments["--format"] ?? "text"
    let cases = Conformance.cases.filter { Conformance.matches($0, filter) }
    guard !cases.isEmpty else {
      throw UsageError("no case matches --filter; see holdfast conformance --list")
    }
    let formats =
      arguments.has("--list") ? ConformanceText.listFormats : ConformanceText.reportFormats
    guard formats.contains(format) else {
      throw UsageError(
        "--format \(format) does not go \(arguments.has("--list") ? "with" : "without") --list; "
          + "use one of \(formats.joined(separator: ", "))"
      )
    }
    if arguments.has("--list") {
      return try OutputFile.with(arguments["--output"], else: invocation.output) { output in
        try output.write(ConformanceText.text(cases, format))
      }
    }
    let schemes = schemes(arguments)
    let seed = arguments.number("--seed").map { UInt64($0) } ?? Conformance.defaultSeed
    let matrix = await run(schemes, cases.count, filter: filter, seed: seed)
    do {
      try OutputFile.with(arguments["--output"], else: invocation.output) { output in
        try output.write(ConformanceText.text(matrix, format))
      }
      if arguments["--output"] != nil { try invocation.output.line(matrix.closingLine) }
      try invocation.output.flush()
    } catch is ClosedPipe where !matrix.isSuccess {
      throw CheckFailed()
    }
    if !matrix.isSuccess { throw CheckFailed() }
  }

  /// The backends that `--backend` chooses.
  static func schemes(_ arguments: ParsedArguments) -> [StorageURL.Scheme] {
    StorageURL.Scheme(rawValue: arguments["--backend"] ?? allBackends).map { [$0] }
      ?? StorageURL.Scheme.allCases
  }

  /// A fresh harness of a backend.
  static func harness(_ scheme: StorageURL.Scheme) -> StoreHarness {
    StoreHarness(
      scheme.rawValue,
      usesFiles: scheme != .memory,
      peer: scheme == .memory ? nil : ConformancePeerCommand.peer(of: scheme)
    ) { path, options in
      try Backends.open(StorageURL(scheme, path: path, options: options))
    } destroy: { path in
      try Backends.destroy(StorageURL(scheme, path: path))
    } raiseFormat: { path in
      try Backends.raiseFormat(StorageURL(scheme, path: path))
    }
  }

  private static func run(
    _ schemes: [StorageURL.Scheme],
    _ caseCount: Int,
    filter: String?,
    seed: UInt64
  ) async -> ConformanceMatrix {
    let progress = ProgressLine("cases")
    defer { progress.finish() }
    let finished = Atomic(0)
    let total = caseCount * schemes.count
    let report: @Sendable (StorageURL.Scheme) async -> ConformanceReport = { scheme in
      await Conformance.run(
        filter: filter,
        seed: seed,
        progress: { result in
          let count = finished.add(1, ordering: .relaxed).newValue
          let last = "\(scheme.rawValue) \(result.entry.id)"
          progress.report(count, Double(count) / Double(total), last)
        }
      ) { harness(scheme) }
    }
    // The suite itself lets no more cases run at once than there are processors.
    let reports = await withTaskGroup(of: (Int, ConformanceReport).self) { group in
      for (number, scheme) in schemes.enumerated() {
        group.addTask { (number, await report(scheme)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return ConformanceMatrix(schemes.indices.compactMap { reports[$0] })
  }
}
