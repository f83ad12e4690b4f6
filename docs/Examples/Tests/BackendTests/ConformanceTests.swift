import HoldfastConformance
import HoldfastConformanceTesting
import ListStore
import SlowStore
import Testing

@Suite struct ConformanceTests {
  @Test(arguments: Conformance.cases)
  func slow(_ testCase: ConformanceCase) async throws {
    let harness = StoreHarness("slow", usesFiles: false) { path, options in
      try SlowStore.open(path, options: options)
    } destroy: { path in
      SlowStore.destroy(path)
    }
    try await ConformanceTesting.run(testCase, on: harness)
  }

  @Test(arguments: Conformance.cases)
  func list(_ testCase: ConformanceCase) async throws {
    let harness = StoreHarness("list", usesFiles: false) { path, options in
      try ListStore.open(path, options: options)
    } destroy: { path in
      ListStore.destroy(path)
    }
    try await ConformanceTesting.run(testCase, on: harness)
  }
}
