import Foundation
import Holdfast

/// The workloads that ours and the floor do alike.
extension Bench {
  /// Measures a workload; its warm-up tells the memory that it takes.
  func part(_ workload: Workload, _ backend: String) -> Part {
    Part(titles: [workload.title]) { folder, report in
      let place = try BenchPlace(folder, backend, workload.durability)
      defer { place.remove() }
      var peaks: [Side: Int] = [:]
      var sizes: [Side: Int64] = [:]
      func measure(_ subject: any BenchSubject, _ side: Side, _ round: Int) throws -> Double {
        let work = workload.prepare(size, round)
        if round > 0 { return try timed { try work(subject) } }
        peaks[side] = try PeakMemory.during { _ = try work(subject) }
        return 0
      }
      let times: Comparison
      if workload.startsEmpty {
        times = try Comparison(rounds: rounds) { side, round in
          let subject = try place.open(side)
          let time = try measure(subject, side, round)
          try subject.close()
          sizes[side] = place.size(of: side)
          try place.clear()
          return time
        }
      } else {
        let subjects = try filled(place)
        times = try Comparison(rounds: rounds) { side, round in
          try subjects[side].map { try measure($0, side, round) } ?? .nan
        }
        for subject in subjects.values { try subject.close() }
      }
      try report(measurement(backend, workload.title, times, peaks: peaks, sizes: sizes))
    }
  }

  /// Both stores with all records in them.
  func filled(_ place: BenchPlace) throws -> [Side: any BenchSubject] {
    let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
    let subjects = [Side.ours: try place.open(.ours), .floor: try place.open(.floor)]
    for subject in subjects.values { try subject.prepare(records) }
    return subjects
  }

  /// Measures opening, getting one record, and closing.
  func openPart(_ backend: String) -> Part {
    Part(titles: ["open"]) { folder, report in
      let place = try BenchPlace(folder, backend, .normal)
      defer { place.remove() }
      let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
      for side in [Side.ours, .floor] {
        let subject = try place.open(side)
        try subject.insert(records)
        try subject.close()
      }
      let times = try Comparison(rounds: rounds * 2) { side, _ in
        try timed {
          let subject = try place.open(side)
          if let archive = subject as? ArchiveFloor {
            _ = try archive.load()
          } else {
            _ = try subject.getEach([1])
          }
          try subject.close()
          return 1
        }
      }
      try report(measurement(backend, "open", times))
    }
  }

  /// A measurement of the usual number of records, or another, with the memory that each side took
  /// and the room of its store on disk, where they were measured.
  func measurement(
    _ backend: String,
    _ workload: String,
    _ times: Comparison,
    records: Int? = nil,
    peaks: [Side: Int] = [:],
    sizes: [Side: Int64] = [:]
  ) -> Measurement {
    var measurement = Measurement(
      backend: backend,
      workload: workload,
      records: records ?? size.records,
      ours: times[.ours],
      floor: times[.floor]
    )
    measurement.ourPeak = peaks[.ours]
    measurement.floorPeak = peaks[.floor]
    measurement.ourSize = sizes[.ours]
    measurement.floorSize = sizes[.floor]
    return measurement
  }
}
