import HoldfastConformance
import HoldfastConformanceMutants
import Testing

/// The suite sees: wrong stores are caught, by a case of their own area.
@Suite struct MutantTests {
  @Test(arguments: Mutation.allCases)
  func `a mutant is caught in its area`(_ mutation: Mutation) async {
    let line = await SelfTest.run(mutation)
    #expect(line.isExpected, "no case of \(mutation.area) fails on \(mutation)")
  }

  @Test func `the wrapper without a mutation passes every case`() async {
    let line = await SelfTest.run(nil)
    #expect(line.failed == [])
    #expect(line.caseCount == Conformance.expectedCount)
  }

  @Test func `a survivor, a right store that fails and a run of nothing are no success`() {
    for line in [
      SelfTest.Line(mutation: .commitLost, caseCount: 9, failed: []),
      SelfTest.Line(mutation: nil, caseCount: 9, failed: ["values.reals"]),
      SelfTest.Line(mutation: nil, caseCount: 0, failed: []),
    ] {
      #expect(!line.isExpected && !SelfTest(lines: [line]).isSuccess)
    }
  }

  @Test func `every area has a mutant`() {
    let areas = Set(Conformance.cases.map(\.area))
    #expect(areas.subtracting(Mutation.allCases.map(\.area)) == [])
  }
}
