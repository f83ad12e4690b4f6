import Foundation
import Holdfast
import HoldfastBench

extension Command {
  /// Measures the backends against their engines.
  static let bench = Command(
    "bench",
    "compare each backend with the same work in its engine's C API",
    options: [
      Option("--records", .number("N"), "records in the store (100000; 20000 with --quick)"),
      Option("--filter", .text("TEXT"), "only workloads whose backend/workload contains TEXT"),
      Option("--quick", "fewer records and rounds: everything in under 40 seconds"),
      Option("--format", .oneOf(["text", "json"]), "how the figures are printed (text)"),
    ],
    takesStore: false,
    details: """
      Each figure is the median of several rounds in this run, ours and the floor in turn, in
      microseconds per operation. Stores are made in the temporary folder. For archives,
      lookups and scans are compared with LMDB's, since Foundation has none.
      """
  ) { invocation in
    let arguments = invocation.arguments
    var bench = Bench()
    bench.records = arguments.number("--records")
    if bench.records == 0 { throw UsageError("--records takes a number from 1 up") }
    bench.isQuick = arguments.has("--quick")
    bench.filter = arguments["--filter"]
    let isJSON = arguments["--format"] == "json"
    let folder = FileManager.default.temporaryDirectory
    try runBench(bench, in: folder, isJSON: isJSON, to: invocation.output)
  }

  private static func runBench(_ bench: Bench, in folder: URL, isJSON: Bool, to output: Output)
    throws
  {
    if !isJSON { try output.line(row("backend", "workload", "records", "ours", "floor", "ratio")) }
    let measurements = try bench.run(in: folder) { measurement in
      if isJSON { return }
      try output.line(
        row(
          measurement.backend,
          measurement.workload,
          String(measurement.records),
          microseconds(measurement.ours),
          microseconds(measurement.floor),
          String(format: "%.2f", measurement.ratio)
        )
      )
      try output.flush()
    }
    guard isJSON else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try output.write(try encoder.encode(measurements))
    try output.line("")
  }

  private static func row(_ cells: String...) -> String {
    let widths = [8, 14, 9, 11, 11, 7]
    return zip(cells, widths).enumerated().map { index, cell in
      let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return index < 2 ? cell.0 + padding : padding + cell.0
    }.joined(separator: " ")
  }

  private static func microseconds(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value) + " µs"
  }
}
