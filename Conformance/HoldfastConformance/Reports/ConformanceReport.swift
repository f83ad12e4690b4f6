/// What came of one case on one backend.
public struct ConformanceResult: Sendable {
  /// What came of a case.
  ///
  /// There is no “skipped”.
  public enum Status: Sendable, Hashable {
    /// The backend keeps the rule.
    case passed
    /// It does not.
    case failed([ConformanceFailure])
    /// The backend does not declare what the case needs, and what applies instead was checked.
    case unsupportedVerified

    /// The status in one word, as reports for programs have it.
    public var name: String {
      switch self {
      case .passed: "passed"
      case .failed: "failed"
      case .unsupportedVerified: "unsupported-verified"
      }
    }
  }

  /// The case.
  public let entry: ConformanceCase
  /// What came of it.
  public let status: Status
  /// How many checks failed; of very many `failures` has the first ones.
  public let failureCount: Int
  /// How many checks the case made; one that only has to end without an error makes one.
  public let checkCount: Int
  /// The seed with which to run it again.
  public let seed: UInt64
  /// What was done up to the first failure, a step each.
  public let trace: [String]
  /// The engine and its version, if a store was opened.
  public let engine: String
  /// How long it took.
  public let seconds: Double

  /// Whether the case failed.
  public var isFailure: Bool { !failures.isEmpty }

  /// The failed checks, if any.
  public var failures: [ConformanceFailure] {
    if case .failed(let failures) = status { return failures }
    return []
  }

  init(
    _ entry: ConformanceCase,
    _ status: Status,
    failureCount: Int = 1,
    checkCount: Int = 1,
    seed: UInt64,
    trace: [String] = [],
    engine: String = "",
    seconds: Double = 0
  ) {
    self.entry = entry
    self.status = status
    self.failureCount = failureCount
    self.checkCount = checkCount
    self.seed = seed
    self.trace = trace
    self.engine = engine
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

  /// The engine and its version, if a store was opened.
  public var engine: String { results.lazy.map(\.engine).first { !$0.isEmpty } ?? "" }

  /// How many cases passed, those whose lack of an extra was verified among them.
  public var passedCount: Int { results.count - failedCount }
  /// How many cases failed.
  public var failedCount: Int { results.count(where: \.isFailure) }
  /// How many of the passed cases were checked to be unsupported.
  public var unsupportedCount: Int {
    results.count { $0.status == .unsupportedVerified }
  }
  /// How many cases were to run and have no result; any is a fault of the suite.
  public var skippedCount: Int {
    isWhole ? max(0, Conformance.expectedCount - results.count) : 0
  }
  /// How many checks the cases made.
  public var checkCount: Int { results.reduce(0) { $0 + $1.checkCount } }
  /// How long the cases took together.
  public var seconds: Double { results.reduce(0) { $0 + $1.seconds } }

  /// Whether every case of the catalogue has a result, where all were to run.
  public var isComplete: Bool {
    isWhole ? results.count == Conformance.expectedCount : !results.isEmpty
  }
  /// Whether the run is complete and nothing failed.
  public var isSuccess: Bool { isComplete && failedCount == 0 }

  /// The report for people; see ``ConformanceMatrix/text``.
  public var text: String { ConformanceMatrix([self]).text }
}
