import Holdfast
import HoldfastConformance
import Testing

/// The suite sees: wrong stores are caught, by a case of their own area.
@Suite(.serialized) struct MutantTests {
  private func makeHarness(_ mutation: Mutation?) -> StoreHarness {
    StoreHarness(mutation?.rawValue ?? "right", usesFiles: false) { path, options in
      try StoreRegistry.shared.open(path, isFile: false, kind: "mutant", options: options) {
        () throws(StorageError) in
        try MutantStorage(name: path, options: options, mutation)
      }
    } destroy: { path in
      _ = MemoryEngine.destroy(name: path)
    }
  }

  @Test(arguments: Mutation.allCases)
  func `a mutant is caught in its area`(_ mutation: Mutation) async {
    var caught: String?
    for entry in Conformance.cases where entry.area == mutation.area && caught == nil {
      let result = await Conformance.run(entry, on: makeHarness(mutation))
      if result.isFailure { caught = entry.id }
    }
    #expect(caught != nil, "no case of \(mutation.area) fails on \(mutation)")
  }

  @Test func `the wrapper without a mutation passes every case`() async {
    let report = await Conformance.run { makeHarness(nil) }
    #expect(report.isSuccess, "\(report.text)")
  }
}
