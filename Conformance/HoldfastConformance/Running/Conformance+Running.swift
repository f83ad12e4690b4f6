import Holdfast

extension Conformance {
  /// The seed where none is given.
  public static let defaultSeed: UInt64 = 20_010_101

  /// Whether a case belongs to a filter: part of its id, or a pattern with `*`; nil takes all.
  public static func matches(_ entry: ConformanceCase, _ filter: String?) -> Bool {
    guard let filter, !filter.isEmpty else { return true }
    if !filter.contains("*") { return entry.id.contains(filter) }
    var rest = entry.id[...]
    let parts = filter.split(separator: "*", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if index == parts.count - 1 {
        return rest.hasSuffix(part)
      } else {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
    }
    return rest.isEmpty
  }

  /// How long a case may take before it counts as hanging.
  public static let defaultTimeLimit: Duration = .seconds(120)

  /// Runs the cases one after the other, each on a fresh harness.
  ///
  /// - Parameters:
  ///   - filter: which cases; see ``matches(_:_:)``.
  ///   - seed: the seed of random cases; the same seed gives the same run.
  ///   - timeLimit: how long a case may take; one that takes longer fails, and the run goes on.
  ///   - progress: called after each case.
  ///   - harness: makes a fresh harness.
  /// - Returns: what came of each case.
  public static func run(
    filter: String? = nil,
    seed: UInt64 = defaultSeed,
    timeLimit: Duration = defaultTimeLimit,
    progress: @Sendable (ConformanceResult) -> Void = { _ in },
    on harness: @Sendable () throws -> any Harness
  ) async -> ConformanceReport {
    var results: [ConformanceResult] = []
    var backend = ""
    for entry in cases where matches(entry, filter) {
      let result: ConformanceResult
      do {
        let harness = try harness()
        backend = harness.backend
        result = await run(entry, on: harness, seed: seed, timeLimit: timeLimit)
      } catch {
        let failure = ConformanceFailure(
          "making the harness",
          expected: "no error",
          got: "\(type(of: error)): \(error)",
          place: ConformanceFailure.place(#fileID, #line)
        )
        result = ConformanceResult(entry, .failed([failure]), seed: seed)
      }
      results.append(result)
      progress(result)
    }
    return ConformanceReport(
      backend: backend,
      seed: seed,
      results: results,
      isWhole: filter?.isEmpty ?? true
    )
  }

  /// Runs one case on a fresh harness, and cleans up after it.
  ///
  /// Parameter `timeLimit`: how long it may take; see ``run(filter:seed:timeLimit:progress:on:)``.
  public static func run(
    _ entry: ConformanceCase,
    on harness: any Harness,
    seed: UInt64 = defaultSeed,
    timeLimit: Duration = defaultTimeLimit
  ) async -> ConformanceResult {
    let context = ConformanceContext(harness, seed: Self.seed(of: entry.id, seed))
    return await CaseRun(entry, context).result(seed: seed, timeLimit: timeLimit)
  }

  /// The seed of a case: each has numbers of its own, the same whether it runs alone or with all.
  static func seed(of id: String, _ seed: UInt64) -> UInt64 {
    id.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
