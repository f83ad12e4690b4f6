import Foundation
import Holdfast
import HoldfastBench

extension Command {
  /// Measures the backends against their engines.
  static let bench = Command(
    "bench",
    "compare each backend with the same work in its engine's C API",
    options: [
      Option("--records", .number("N"), "records in the store (100000; 15000 with --quick)"),
      Option("--filter", .text("TEXT"), "only workloads whose backend/workload contains TEXT"),
      Option("--quick", "fewer records and rounds: everything in under 40 seconds"),
      Option("--scale", "how times grow from 10000 records to N (1000000), instead"),
      Option("--format", .oneOf(["text", "json"]), "how the figures are printed (text)"),
      Option("--svg", .path("FILE"), "draw a chart of the ratios, too"),
    ],
    takesStore: false,
    details: """
      Each figure is the median of several rounds in this run, ours and the floor in turn, in
      microseconds per operation. Stores are made in the temporary folder. For archives,
      lookups and scans are compared with LMDB's, since Foundation has none.

      After the ratio stand its target, where there is one, what the work took of anonymous
      memory at its peak and the store of disk space (ours / the floor's), how many times as
      much two threads did as one, and with --scale by how much more than the floor's our time
      has grown since 10000 records.
      """
  ) { invocation in
    let arguments = invocation.arguments
    var bench = Bench()
    bench.records = arguments.number("--records")
    if bench.records == 0 { throw UsageError("--records takes a number from 1 up") }
    bench.isQuick = arguments.has("--quick")
    bench.measuresScale = arguments.has("--scale")
    bench.importer = .tool
    bench.filter = arguments["--filter"]
    if let filter = bench.filter, bench.titles.isEmpty {
      bench.filter = nil
      let words = bench.titles.flatMap { [$0] + $0.split(separator: "/").map(String.init) }
      throw UsageError.unknown("workload for --filter:", filter, among: words, showAll: false)
    }
    guard let path = arguments["--svg"] else {
      _ = try runBench(bench, invocation)
      return
    }
    // A file that cannot be written is known before the work, and not after it.
    try OutputFile.with(path, else: invocation.output) { file in
      try file.write(Chart(try runBench(bench, invocation)).svg)
    }
  }

  private static func runBench(_ bench: Bench, _ invocation: Invocation) throws
    -> [Bench.Measurement]
  {
    let output = invocation.output
    let isJSON = invocation.arguments["--format"] == "json"
    if !isJSON { try output.line(BenchText.head) }
    let folder = FileManager.default.temporaryDirectory
    let measurements = try bench.run(in: folder) { measurement in
      if isJSON { return }
      try output.line(BenchText.line(measurement))
      try output.flush()
    }
    guard isJSON else { return measurements }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try output.write(try encoder.encode(measurements))
    try output.line("")
    return measurements
  }
}

extension Bench.Importer {
  /// What `import` does with a file of JSON lines.
  fileprivate static let tool = Bench.Importer { path, collection, store in
    _ = try ImportJob(path: path, into: collection, format: .jsonl).run(on: store)
  } parse: { path, collection, store in
    let source = try JSONRecords(lines: ImportInput(path))
    let row = RowBuffer()
    try store.read { source.prepare(try $0.collection(collection)) }
    while try source.next() { try source.read(into: row) }
  }
}
