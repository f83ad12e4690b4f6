public import Foundation
import Holdfast
import HoldfastBackends

/// The bench: Holdfast against the same work written straight against each engine's C API, in the
/// same process run, alternating, the median of several rounds after a warm-up.
public struct Bench {
  /// One line of the result.
  public struct Measurement: Codable, Sendable {
    /// The backend.
    public var backend: String
    /// The workload, with its durability where that matters.
    public var workload: String
    /// Records in the store.
    public var records: Int
    /// Our time, in microseconds per operation.
    public var ours: Double
    /// The floor's time, in microseconds per operation.
    public var floor: Double
    /// Ours divided by the floor's.
    public var ratio: Double

    private enum CodingKeys: String, CodingKey {
      case backend, workload, records
      case ours = "ours_us"
      case floor = "floor_us"
      case ratio
    }
  }

  /// Records in the store; nil for 100,000, or 20,000 if quick.
  public var records: Int?
  /// Fewer records and rounds: the whole bench in under 40 seconds.
  public var isQuick = false
  /// Only workloads whose `backend/workload` contains this.
  public var filter: String?
  /// The backends to measure.
  public var backends = ["sqlite", "lmdb", "json", "plist"]

  /// Creates a bench with the default settings.
  public init() {}

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
    let count = records ?? (isQuick ? 20_000 : 100_000)
    let size = WorkloadSize(
      records: count,
      lookups: isQuick ? 10_000 : 40_000,
      commits: isQuick ? 80 : 2_000,
      operations: isQuick ? 200 : 4_000
    )
    var measurements: [Measurement] = []
    for backend in backends {
      for workload in Workload.all where matches(backend, workload.title) {
        let measurement = try measure(workload, backend, size, folder)
        try report(measurement)
        measurements.append(measurement)
      }
      if matches(backend, "open") {
        let measurement = try measureOpen(backend, size, folder)
        try report(measurement)
        measurements.append(measurement)
      }
      if Self.queryForms.contains(where: { matches(backend, $0) }) {
        for measurement in try measureQueryForms(backend, size, folder, rounds: rounds)
        where matches(backend, measurement.workload) {
          try report(measurement)
          measurements.append(measurement)
        }
      }
    }
    return measurements
  }

  private func matches(_ backend: String, _ workload: String) -> Bool {
    filter.map { "\(backend)/\(workload)".contains($0) } ?? true
  }

  private var rounds: Int { isQuick ? 3 : 5 }

  private func measure(
    _ workload: Workload,
    _ backend: String,
    _ size: WorkloadSize,
    _ folder: URL
  ) throws -> Measurement {
    let place = try Place(folder, backend, workload.durability)
    defer { place.remove() }
    var ours: [Double] = []
    var floors: [Double] = []
    if workload.startsEmpty {
      for round in 0...rounds {
        for isOurs in round % 2 == 0 ? [true, false] : [false, true] {
          let subject = try isOurs ? place.ours() : place.floor()
          let time = try timed { try workload.run(subject, size, round) }
          try subject.close()
          place.clear()
          if round > 0 { isOurs ? ours.append(time) : floors.append(time) }
        }
      }
    } else {
      let subjects: [any BenchSubject] = [try place.ours(), try place.floor()]
      let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
      for subject in subjects { try subject.insert(records) }
      try (subjects[1] as? ArchiveFloor)?.prepareLookups()
      for round in 0...rounds {
        for index in round % 2 == 0 ? [0, 1] : [1, 0] {
          let time = try timed { try workload.run(subjects[index], size, round) }
          if round > 0 { index == 0 ? ours.append(time) : floors.append(time) }
        }
      }
      for subject in subjects { try subject.close() }
    }
    return measurement(backend, workload.title, size.records, ours, floors)
  }

  private func measureOpen(_ backend: String, _ size: WorkloadSize, _ folder: URL) throws
    -> Measurement
  {
    let place = try Place(folder, backend, .normal)
    defer { place.remove() }
    let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
    for subject in [try place.ours(), try place.floor()] as [any BenchSubject] {
      try subject.insert(records)
      try subject.close()
    }
    var ours: [Double] = []
    var floors: [Double] = []
    for round in 0...rounds * 2 {
      let our = try timed {
        let subject = try place.ours()
        _ = try subject.getEach([1])
        try subject.close()
        return 1
      }
      let floor = try timed {
        let subject = try place.floor()
        if let archive = subject as? ArchiveFloor {
          _ = try archive.load()
        } else {
          _ = try subject.getEach([1])
        }
        try subject.close()
        return 1
      }
      if round > 0 {
        ours.append(our)
        floors.append(floor)
      }
    }
    return measurement(backend, "open", size.records, ours, floors)
  }

  private func measurement(
    _ backend: String,
    _ name: String,
    _ records: Int,
    _ ours: [Double],
    _ floors: [Double]
  ) -> Measurement {
    let our = ours.sorted()[ours.count / 2]
    let floor = floors.sorted()[floors.count / 2]
    return Measurement(
      backend: backend,
      workload: name,
      records: records,
      ours: our,
      floor: floor,
      ratio: our / floor
    )
  }

  /// Microseconds per operation.
  private func timed(_ body: () throws -> Int) rethrows -> Double {
    let clock = ContinuousClock()
    var operations = 1
    let elapsed = try clock.measure { operations = try body() }
    return elapsed.seconds * 1e6 / Double(operations)
  }
}

/// A fresh pair of stores on disk.
private struct Place {
  private let folder: URL
  private let backend: String
  private let durability: StorageOptions.Durability

  init(_ parent: URL, _ backend: String, _ durability: StorageOptions.Durability) throws {
    folder = parent.appendingPathComponent("bench-\(backend)-\(UUID().uuidString)")
    self.backend = backend
    self.durability = durability
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func ours() throws -> any BenchSubject {
    try HoldfastSubject(
      Backends.open("\(backend):\(folder.path)/ours?durability=\(durability.rawValue)")
    )
  }

  func floor() throws -> any BenchSubject {
    let path = folder.path + "/floor"
    switch backend {
    case "sqlite": return try SQLiteFloor(path: path, durability: durability)
    case "lmdb": return try LMDBFloor(path: path, durability: durability)
    case "json", "plist":
      return try ArchiveFloor(
        path: path,
        isPropertyList: backend == "plist",
        durability: durability
      )
    default: throw FloorError(description: "no floor for \(backend)")
    }
  }

  /// Removes both stores, for the next round of a workload that starts empty.
  func clear() {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? [] {
      try? files.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }
}
