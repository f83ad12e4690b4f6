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

  /// Runs the cases one after the other, each on a fresh harness.
  ///
  /// - Parameters:
  ///   - filter: which cases; see ``matches(_:_:)``.
  ///   - seed: the seed of random cases; the same seed gives the same run.
  ///   - progress: called after each case.
  ///   - harness: makes a fresh harness.
  /// - Returns: what came of each case.
  public static func run(
    filter: String? = nil,
    seed: UInt64 = defaultSeed,
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
        result = await run(entry, on: harness, seed: seed)
      } catch {
        result = ConformanceResult(
          entry,
          .failed(["making the harness threw \(error)"]),
          seed: seed,
          trace: [],
          seconds: 0
        )
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
  public static func run(
    _ entry: ConformanceCase,
    on harness: any Harness,
    seed: UInt64 = defaultSeed
  ) async -> ConformanceResult {
    // Each case has numbers of its own, the same whether it runs alone or with all.
    var mixed = seed
    for byte in entry.id.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let context = ConformanceContext(harness, seed: mixed)
    let start = ContinuousClock.now
    var isUnsupported = false
    do {
      if try lacks(entry.needs, context) {
        isUnsupported = true
        try await entry.otherwise(context)
      } else {
        try await entry.body(context)
      }
    } catch {
      context.fail("the case threw \(type(of: error)): \(error)")
    }
    context.closeAll()
    harness.cleanUp()
    let elapsed = ContinuousClock.now - start
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let failures = context.failures
    let status: ConformanceResult.Status =
      failures.isEmpty ? (isUnsupported ? .unsupportedVerified : .passed) : .failed(failures)
    return ConformanceResult(
      entry,
      status,
      seed: seed,
      trace: failures.isEmpty ? [] : context.notes,
      seconds: seconds
    )
  }

  private static func lacks(
    _ needs: Set<ConformanceCase.Capability>,
    _ context: ConformanceContext
  ) throws -> Bool {
    if needs.isEmpty { return false }
    let probe = try context.harness.open(.second, options: ConformanceContext.quick)
    let declared = probe.capabilities
    try probe.close()
    try context.harness.destroy(.second)
    return !needs.allSatisfy { context.offers($0, declared) }
  }
}
