import Foundation
import Holdfast
import Synchronization

/// What a second reading thread gains.
extension Bench {
  /// Measures gets by key, in one snapshot each, by two threads at once and by one.
  func threadsPart(_ backend: String) -> Part {
    Part(titles: ["get-2"]) { folder, report in
      let place = try BenchPlace(folder, backend, .normal)
      defer { place.remove() }
      let subjects = try filled(place)
      var twins: [Side: any BenchSubject] = [:]
      for (side, subject) in subjects { twins[side] = try subject.twin() }
      let count = size.lookups
      var gains: [Side: [Double]] = [:]
      let times = try Comparison(rounds: rounds) { side, round in
        guard let first = subjects[side], let second = twins[side] else { return .nan }
        var random = BenchRandom(UInt64(round))
        let keys = (0..<count).map { _ in
          Int64.random(in: 1...Int64(size.records), using: &random)
        }
        let alone = try timed {
          try Workload.check(first.get(keys), count)
        }
        let both = try timed {
          try Self.together([first, second]) { try Workload.check($0.get(keys), count) }
        }
        if round > 0 { gains[side, default: []].append(alone / both) }
        return both
      }
      for (side, twin) in twins where side == .floor { try twin.close() }
      for subject in subjects.values { try subject.close() }
      var measurement = measurement(backend, "get-2", times)
      measurement.ourGain = Self.median(gains[.ours])
      measurement.floorGain = Self.median(gains[.floor])
      try report(measurement)
    }
  }

  /// One subject, to be used by one thread at a time.
  private struct Loan: @unchecked Sendable {
    // Unchecked: one thread has it until all are waited for.
    let subject: any BenchSubject
  }

  /// Lets each subject work in a thread of its own.
  ///
  /// - Returns: the sum of what the threads did.
  private static func together(
    _ subjects: [any BenchSubject],
    _ body: @escaping @Sendable (any BenchSubject) throws -> Int
  ) throws -> Int {
    let loans = subjects.map(Loan.init)
    let results = Mutex<[Result<Int, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: loans.count) { index in
      let result = Result { try body(loans[index].subject) }
      results.withLock { $0.append(result) }
    }
    return try results.withLock { try $0.reduce(0) { try $0 + $1.get() } }
  }
}
