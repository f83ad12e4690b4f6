import Holdfast
import HoldfastBackends
import HoldfastServices

extension Command {
  private static let allDemos = "all"
  private static let demoNames = Demo.allCases.map(\.rawValue) + [allDemos]

  /// Runs the services.
  static let demo = Command(
    "demo",
    "run a service on the chosen store and print what it did",
    arguments: [Argument("[\(demoNames.joined(separator: "|"))]", words: demoNames)],
    argumentCount: 0...1,
    details: """
      Without a name: all. It is safe to run twice; the second time it finds what the
      first made.
      """
  ) { invocation in
    let name = invocation.arguments.positionals.first ?? allDemos
    guard demoNames.contains(name) else {
      throw UsageError.unknown("demo", name, among: demoNames)
    }
    let demos = Demo(rawValue: name).map { [$0] } ?? Demo.allCases
    try invocation.withStore(creates: true) { store in
      for (index, demo) in demos.enumerated() {
        if index > 0 { try invocation.output.line("") }
        try run(demo, on: store, printing: invocation.output)
      }
    }
  }

  private static func run(_ demo: Demo, on store: Store, printing output: Output) throws {
    var failure: (any Error)?
    // The store that an app would ship with: in memory, so that nothing is left behind.
    try demo.run(
      on: store,
      template: { try Backends.open("memory:holdfast-demo-template") },
      print: { line in
        if failure != nil { return }
        do { try output.line(line) } catch { failure = error }
      }
    )
    if let failure { throw failure }
  }
}
