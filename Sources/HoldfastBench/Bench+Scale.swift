import Foundation
import Holdfast

/// How times grow with the number of records: tenfold each time, from 10,000 up.
extension Bench {
  /// Measures at each size, in stores that grow.
  func scalePart(_ backend: String) -> Part {
    let workloads = scaleWorkloads(backend)
    return Part(titles: workloads.map(\.title)) { folder, report in
      let place = try BenchPlace(folder, backend, .normal)
      defer { place.remove() }
      let subjects = [Side.ours: try place.open(.ours), .floor: try place.open(.floor)]
      var count = 0
      var first: [String: Double] = [:]
      for goal in scales {
        for start in stride(from: count, to: goal, by: 10_000) {
          let records = (start + 1...min(start + 10_000, goal)).map {
            BenchStatus.sample(Int64($0))
          }
          for subject in subjects.values { try subject.prepare(records) }
        }
        count = max(count, goal)
        for workload in workloads {
          var measurement = try measure(workload, backend, subjects, count)
          measurement.records = goal
          let growth = measurement.ratio / (first[workload.title] ?? measurement.ratio)
          if first[workload.title] == nil { first[workload.title] = measurement.ratio }
          measurement.growth = growth
          try report(measurement)
        }
        // What was inserted to measure that counts from now on.
        if !isArchive(backend) { count += (rounds + 1) * Self.insertCount }
      }
      for subject in subjects.values { try subject.close() }
    }
  }

  /// How many records a round of `scale-insert` adds.
  private static let insertCount = 1_000

  /// The workloads, the one that adds records last; an archive's floor has no inserts that could
  /// grow.
  private func scaleWorkloads(_ backend: String) -> [Workload] {
    (["get", "index-top20", "commit-normal"].compactMap { title in
      Workload.all.first { $0.title == title }
    } + [Workload.stream]
      + (isArchive(backend) ? [] : [Workload.insertBehind(Self.insertCount)]))
      .map { workload in
        var workload = workload
        workload.name = "scale-\(workload.title)"
        return workload
      }
  }

  private func isArchive(_ backend: String) -> Bool { ["json", "plist"].contains(backend) }

  /// The numbers of records.
  private var scales: [Int] {
    let largest = records ?? (isQuick ? 100_000 : 1_000_000)
    var scales = [min(10_000, largest)]
    while let last = scales.last, last < largest { scales.append(min(last * 10, largest)) }
    return scales
  }

  private func measure(
    _ workload: Workload,
    _ backend: String,
    _ subjects: [Side: any BenchSubject],
    _ count: Int
  ) throws -> Measurement {
    var size = size
    size.records = count
    var peaks: [Side: Int] = [:]
    let times = try Comparison(rounds: rounds) { side, round in
      guard let subject = subjects[side] else { return .nan }
      let work = workload.prepare(size, round)
      if round > 0 { return try timed { try work(subject) } }
      peaks[side] = try PeakMemory.during { _ = try work(subject) }
      return 0
    }
    return measurement(backend, workload.title, times, records: count, peaks: peaks)
  }
}
