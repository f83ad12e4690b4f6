/// What came of one case on one backend.
public struct ConformanceResult: Sendable {
  /// What came of a case.
  ///
  /// There is no “skipped”.
  public enum Status: Sendable, Hashable {
    /// The backend keeps the rule.
    case passed
    /// It does not: what was expected and what came, a line each.
    case failed([String])
    /// The backend does not declare what the case needs, and what applies instead was checked.
    case unsupportedVerified
  }

  /// The case.
  public let entry: ConformanceCase
  /// What came of it.
  public let status: Status
  /// The seed with which to run it again.
  public let seed: UInt64
  /// What led to a failure, a line each.
  public let trace: [String]
  /// How long it took.
  public let seconds: Double

  /// Whether the case failed.
  public var isFailure: Bool {
    if case .failed = status { return true }
    return false
  }

  /// The failed expectations, if any.
  public var failures: [String] {
    if case .failed(let failures) = status { return failures }
    return []
  }

  init(
    _ entry: ConformanceCase,
    _ status: Status,
    seed: UInt64,
    trace: [String],
    seconds: Double
  ) {
    self.entry = entry
    self.status = status
    self.seed = seed
    self.trace = trace
    self.seconds = seconds
  }
}

/// What came of a run of the suite on one backend.
public struct ConformanceReport: Sendable {
  /// The backend.
  public let backend: String
  /// The seed of the run.
  public let seed: UInt64
  /// What came of each case, in the catalogue's order.
  public let results: [ConformanceResult]
  /// Whether all cases were to run, rather than some of them.
  public let isWhole: Bool

  /// Creates a report.
  public init(backend: String, seed: UInt64, results: [ConformanceResult], isWhole: Bool) {
    self.backend = backend
    self.seed = seed
    self.results = results
    self.isWhole = isWhole
  }

  /// How many cases passed.
  public var passedCount: Int { results.filter { $0.status == .passed }.count }
  /// How many cases failed.
  public var failedCount: Int { results.filter(\.isFailure).count }
  /// How many cases were checked to be unsupported.
  public var unsupportedCount: Int {
    results.filter { $0.status == .unsupportedVerified }.count
  }
  /// Whether every case of the catalogue has a result, where all were to run.
  public var isComplete: Bool {
    isWhole ? results.count == Conformance.expectedCount : !results.isEmpty
  }
  /// Whether the run is complete and nothing failed.
  public var isSuccess: Bool { isComplete && failedCount == 0 }
}
