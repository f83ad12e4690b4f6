public import HoldfastConformance
public import Testing

/// Runs conformance cases as Swift Testing tests.
///
/// ```swift
/// @Test(arguments: Conformance.cases)
/// func conforms(_ entry: ConformanceCase) async throws {
///   try await ConformanceTesting.run(entry, on: MyHarness())
/// }
/// ```
public enum ConformanceTesting {
  /// Runs one case on a fresh harness and records each failed expectation as an issue.
  ///
  /// - Throws: what making the harness throws.
  public static func run(
    _ entry: ConformanceCase,
    on harness: @autoclosure () throws -> any Harness,
    seed: UInt64 = Conformance.defaultSeed,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let harness = try harness()
    let result = await Conformance.run(entry, on: harness, seed: seed)
    guard result.isFailure else { return }
    let text = result.text(on: harness.backend)
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
  }
}
