import Holdfast
import HoldfastConformance
import Testing

/// The model test on every built-in backend, with a fresh seed each time.
@Suite(.serialized) struct ModelTestTests {
  @Test(arguments: StorageURL.Scheme.allCases)
  func `random histories are as the model says`(_ scheme: StorageURL.Scheme) async {
    let report = await ModelTest.run(
      seed: .random(in: .min ... .max),
      limit: .time(.seconds(2)),
      on: [{ makeHarness(scheme) }]
    )
    print("\(scheme.rawValue) \(report.text)", terminator: "")
    #expect(report.fault == nil, "\(report.text)")
    #expect(report.operations > 0)
  }

  @Test func `the same histories leave equal content on all backends`() async {
    let report = await ModelTest.run(
      seed: .random(in: .min ... .max),
      limit: .time(.seconds(2)),
      on: StorageURL.Scheme.allCases.map { scheme in { makeHarness(scheme) } }
    )
    #expect(report.fault == nil, "\(report.text)")
    #expect(report.otherKeys == 0)
  }

  @Test func `the same seed gives the same run`() async {
    let runs = await [
      ModelTest.run(seed: 7, limit: .histories(5), on: [{ makeHarness(.memory) }]),
      ModelTest.run(seed: 7, limit: .histories(5), on: [{ makeHarness(.memory) }]),
    ]
    #expect(runs[0].text == runs[1].text)
    let other = await ModelTest.run(
      seed: 8,
      limit: .histories(5),
      on: [{ makeHarness(.memory) }]
    )
    #expect(other.text != runs[0].text)
  }
}
