import Holdfast
import HoldfastConformance
import HoldfastConformanceTesting
import Testing

/// Every case on every built-in backend.
///
/// One after the other: each open LMDB environment reserves up to a tebibyte of addresses.
@Suite(.serialized) struct BackendConformanceTests {
  @Test(arguments: Conformance.cases)
  func `memory conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.memory))
  }

  @Test(arguments: Conformance.cases)
  func `sqlite conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.sqlite))
  }

  @Test(arguments: Conformance.cases)
  func `lmdb conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.lmdb))
  }

  @Test(arguments: Conformance.cases)
  func `json conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.json))
  }

  @Test(arguments: Conformance.cases)
  func `plist conforms`(_ entry: ConformanceCase) async throws {
    try await ConformanceTesting.run(entry, on: makeHarness(.plist))
  }
}
