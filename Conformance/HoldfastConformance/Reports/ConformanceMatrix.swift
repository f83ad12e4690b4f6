/// What came of a run of the suite: cases down, backends across.
public struct ConformanceMatrix: Sendable {
  /// One case on every backend.
  public struct Row: Sendable {
    /// The case.
    public let entry: ConformanceCase
    /// Its result on each backend, in the order of ``ConformanceMatrix/reports``; nil where it did
    /// not run.
    public let results: [ConformanceResult?]

    /// Whether it failed on any backend.
    public var isFailure: Bool { results.contains { $0?.isFailure ?? true } }
    /// Whether it passed where it ran, and was verified to be unsupported on some backend.
    public var isUnsupported: Bool {
      !isFailure && results.contains { $0?.status == .unsupportedVerified }
    }
    /// The most checks that it made on a backend.
    public var checkCount: Int { results.compactMap { $0?.checkCount }.max() ?? 0 }
  }

  /// The backends' reports, a column each.
  public let reports: [ConformanceReport]
  /// The cases, in the catalogue's order.
  public let rows: [Row]

  /// Puts the reports of one run side by side.
  public init(_ reports: [ConformanceReport]) {
    self.reports = reports
    let results = reports.map { report in
      Dictionary(report.results.map { ($0.entry.id, $0) }) { first, _ in first }
    }
    var seen: Set<String> = []
    rows = reports.flatMap(\.results).compactMap { result in
      guard seen.insert(result.entry.id).inserted else { return nil }
      return Row(entry: result.entry, results: results.map { $0[result.entry.id] })
    }
  }

  /// The seed of the run.
  public var seed: UInt64 { reports.first?.seed ?? 0 }
  /// How many cases passed, counted on each backend.
  public var passedCount: Int { reports.reduce(0) { $0 + $1.passedCount } }
  /// How many cases failed, counted on each backend.
  public var failedCount: Int { reports.reduce(0) { $0 + $1.failedCount } }
  /// How many cases were to run and have no result, counted on each backend.
  public var skippedCount: Int { reports.reduce(0) { $0 + $1.skippedCount } }
  /// How many checks the cases made, on all backends.
  public var checkCount: Int { reports.reduce(0) { $0 + $1.checkCount } }
  /// Whether every backend's run is complete.
  public var isComplete: Bool { !reports.isEmpty && reports.allSatisfy(\.isComplete) }
  /// Whether the run is complete and nothing failed.
  public var isSuccess: Bool { isComplete && failedCount == 0 }

  /// The line that closes a run.
  public var closingLine: String {
    "\(passedCount) passed, \(failedCount) failed, \(skippedCount) skipped"
  }

  /// How to run a failed case again.
  static func command(_ result: ConformanceResult, _ backend: String) -> String {
    "holdfast conformance --backend \(backend) --filter \(result.entry.id) --seed \(result.seed)"
  }
}
