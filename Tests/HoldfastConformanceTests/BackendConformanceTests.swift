import Holdfast
import HoldfastConformance
import HoldfastConformanceTesting
import Testing

/// The suite as a test target runs it.
///
/// `make test` runs it on every backend with the tool.
@Suite struct BackendConformanceTests {
  @Test(arguments: Conformance.cases)
  func `memory conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.memory))
  }
}
