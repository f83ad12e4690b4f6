import Holdfast
import HoldfastBackends
import HoldfastServices
import Testing

@Suite struct DemoTests {
  /// What a demo prints, run twice on a store of a scheme.
  private func output(_ demo: Demo, on scheme: StorageURL.Scheme) throws -> [String] {
    let folder = try TemporaryFolder()
    let output = Lines()
    for _ in 1...2 {
      let store = try folder.open(scheme)
      try demo.run(on: store, template: { try folder.open(scheme, "template") }) {
        output.lines.append($0)
      }
      try store.close()
    }
    return output.lines
  }

  private final class Lines {
    var lines: [String] = []
  }

  @Test(arguments: Demo.allCases)
  func `The same program prints the same while only the configuration file changes`(
    demo: Demo
  ) throws {
    let expected = try output(demo, on: .memory)
    #expect(expected.count > 10)
    #expect(expected.contains { $0.contains("existed") })
    for scheme in StorageURL.Scheme.allCases where scheme != .memory {
      #expect(try output(demo, on: scheme) == expected, "\(scheme)")
    }
  }

  @Test func `The microblog demo shows created, then existed`() throws {
    let lines = try output(.microblog, on: .memory)
    #expect(lines.first == "microblog: created")
    #expect(lines.contains("microblog: existed"))
    #expect(lines.filter { $0.hasPrefix("added") } == ["added 5 users and 7 statuses"])
  }
}
