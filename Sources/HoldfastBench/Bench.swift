public import Foundation
public import Holdfast

/// The bench: Holdfast against the same work written straight against each engine's C API, in the
/// same process run, alternating, the median round of several after a warm-up.
public struct Bench {
  /// The number of records in the store; nil for 100,000, or 15,000 if quick.
  ///
  /// With ``measuresScale`` it is the largest one; nil for 1,000,000, or 100,000 if quick.
  public var records: Int?
  /// Fewer records and rounds: the whole bench in under 40 seconds.
  public var isQuick = false
  /// Only workloads whose `backend/workload` contains this.
  public var filter: String?
  /// The backends to measure.
  public var backends = ["sqlite", "lmdb", "json", "plist"]
  /// Whether to measure how times grow with the number of records, instead of everything else.
  public var measuresScale = false
  /// How files are imported; nil to leave `import` out.
  public var importer: Importer?

  /// Creates a bench with the default settings.
  public init() {}

  /// How the owner of the bench imports files of JSON lines.
  public struct Importer: Sendable {
    /// Adds the records of the file at `path` to a collection of a store.
    public var load: @Sendable (_ path: String, _ collection: String, _ store: Store) throws -> Void
    /// Reads them as `load` does, and adds none.
    public var parse:
      @Sendable (_ path: String, _ collection: String, _ store: Store) throws -> Void

    /// Creates an importer.
    public init(
      load: @escaping @Sendable (String, String, Store) throws -> Void,
      parse: @escaping @Sendable (String, String, Store) throws -> Void
    ) {
      self.load = load
      self.parse = parse
    }
  }

  /// What runs, as `backend/workload`.
  public var titles: [String] {
    backends.flatMap { backend in
      parts(of: backend).flatMap(\.titles).map { "\(backend)/\($0)" }.filter(isChosen)
    }
  }

  /// Runs the workloads.
  ///
  /// - Parameters:
  ///   - folder: an existing folder for the stores; what the bench makes there it removes.
  ///   - report: called with each measurement as it is made.
  /// - Returns: all measurements, in order.
  /// - Throws: what a store or a floor reports.
  @available(*, noasync)
  public func run(in folder: URL, report: (Measurement) throws -> Void = { _ in }) throws
    -> [Measurement]
  {
    var measurements: [Measurement] = []
    for backend in backends {
      for part in parts(of: backend) {
        guard part.titles.contains(where: { isChosen("\(backend)/\($0)") }) else { continue }
        try part.measure(folder) { measurement in
          guard isChosen("\(backend)/\(measurement.workload)") else { return }
          try report(measurement)
          measurements.append(measurement)
        }
      }
    }
    return measurements
  }

  private func isChosen(_ title: String) -> Bool { filter.map(title.contains) ?? true }

  /// Something that the bench measures in one go.
  struct Part {
    /// The workloads of the measurements that it gives.
    var titles: [String]
    /// Measures in a folder.
    var measure: (_ folder: URL, _ report: (Measurement) throws -> Void) throws -> Void
  }

  private func parts(of backend: String) -> [Part] {
    if measuresScale { return [scalePart(backend)] }
    return Workload.all.map { part($0, backend) }
      + [threadsPart(backend), openPart(backend)]
      + [importer.map { importPart($0, backend) }].compactMap { $0 }
      + [copyPart(backend), queryFormsPart(backend)]
  }

  /// How many rounds count.
  var rounds: Int { isQuick ? 3 : 5 }

  /// How much work a run does.
  var size: WorkloadSize {
    WorkloadSize(
      records: records ?? (isQuick ? 15_000 : 100_000),
      lookups: isQuick ? 10_000 : 40_000,
      commits: isQuick ? 80 : 2_000,
      operations: isQuick ? 200 : 4_000
    )
  }
}
