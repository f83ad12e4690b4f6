import Foundation
import Holdfast

/// One thing that the bench measures, written once for ours and the floor.
struct Workload: Sendable {
  /// The name in the table and in JSON.
  var name: String
  /// The name in results: with the durability where that is what matters.
  var title: String { name == "commit" ? "commit-\(durability)" : name }
  /// What durability it runs at.
  var durability: StorageOptions.Durability
  /// Makes what the work takes, which may be other in each round, so that the work alone is timed.
  var prepare: @Sendable (_ size: WorkloadSize, _ round: Int) -> Work
  /// Whether it starts on an empty store.
  var startsEmpty = false
}

/// Does the work on one side, and returns how many operations it did.
typealias Work = (_ subject: any BenchSubject) throws -> Int

/// How much work a run does.
struct WorkloadSize: Sendable {
  /// Records in the store.
  var records: Int
  /// Single gets, lookups and YCSB operations.
  var lookups: Int
  /// Commits at `normal`; a quarter of them at `full`.
  var commits: Int
  /// Operations of a YCSB workload.
  var operations: Int
}

extension Workload {
  /// All workloads, in the order of the table.
  static let all: [Workload] =
    [
      Workload(
        name: "bulk-insert",
        durability: .normal,
        prepare: { size, _ in
          let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
          return { subject in
            try subject.insert(records)
            return records.count
          }
        },
        startsEmpty: true
      ),
      Workload(
        name: "get",
        durability: .normal,
        prepare: { size, round in
          let keys = keys(size, round)
          return { try check($0.get(keys), keys.count) }
        }
      ),
      Workload(
        name: "get-each",
        durability: .normal,
        prepare: { size, round in
          let keys = keys(size, round)
          return { try check($0.getEach(keys), keys.count) }
        }
      ),
      Workload(
        name: "scan",
        durability: .normal,
        prepare: { size, _ in
          return { subject in
            guard try subject.scan() != 0 else { throw FloorError(description: "empty scan") }
            return size.records
          }
        }
      ),
      Workload(
        name: "index-top20",
        durability: .normal,
        prepare: { size, round in
          var random = BenchRandom(UInt64(round))
          let users = (0..<size.lookups / 20).map { _ in
            Int64.random(in: 0..<BenchStatus.userCount, using: &random)
          }
          return { subject in
            guard try subject.newest(ofUsers: users) > 0 else {
              throw FloorError(description: "no rows by index")
            }
            return users.count
          }
        }
      ),
      commit(.normal), commit(.full),
    ] + YCSB.allCases.map { $0.workload }

  private static func commit(_ durability: StorageOptions.Durability) -> Workload {
    Workload(
      name: "commit",
      durability: durability,
      prepare: { size, round in
        let count = durability == .full ? size.commits / 4 : size.commits
        let records = (0..<count).map { index in
          var record = BenchStatus.sample(Int64((round * 7919 + index * 31) % size.records + 1))
          // Never what an earlier size or round left there, which would be nothing to write.
          record.text += " edited \(size.records) \(round)"
          return record
        }
        return { subject in
          try subject.commitEach(records)
          return count
        }
      }
    )
  }

  /// Reads all records one after the other and keeps none.
  static let stream = Workload(
    name: "scan",
    durability: .normal,
    prepare: { size, _ in
      return { subject in
        guard try subject.stream() != 0 else { throw FloorError(description: "empty scan") }
        return size.records
      }
    }
  )

  /// Adds records with the next keys, in one transaction.
  static func insertBehind(_ count: Int) -> Workload {
    Workload(
      name: "insert",
      durability: .normal,
      prepare: { size, round in
        let start = size.records + round * count
        let records = (1...count).map { BenchStatus.sample(Int64(start + $0)) }
        return { subject in
          try subject.insert(records)
          return count
        }
      }
    )
  }

  private static func keys(_ size: WorkloadSize, _ round: Int) -> [Int64] {
    var random = BenchRandom(UInt64(round))
    return (0..<size.lookups).map { _ in
      Int64.random(in: 1...Int64(size.records), using: &random)
    }
  }

  static func check(_ found: Int, _ expected: Int) throws -> Int {
    guard found == expected else {
      throw FloorError(description: "found \(found) of \(expected) records")
    }
    return expected
  }
}

/// The core workloads of the Yahoo! Cloud Serving Benchmark (Cooper et al., 2010), each operation in
/// a transaction of its own, keys uniformly drawn.
enum YCSB: String, CaseIterable {
  /// Half reads, half updates.
  case a
  /// 95 % reads, 5 % updates.
  case b
  /// Reads only.
  case c
  /// 95 % reads of recent records, 5 % inserts.
  case d
  /// 95 % short scans, 5 % inserts.
  case e
  /// Half reads, half read-modify-writes.
  case f

  var workload: Workload {
    Workload(
      name: "ycsb-\(rawValue)",
      durability: .normal,
      prepare: { size, round in
        let operations = operations(size, round)
        return { subject in
          _ = try subject.ycsb(operations)
          return operations.count
        }
      }
    )
  }

  private func operations(_ size: WorkloadSize, _ round: Int) -> [YCSBOperation] {
    var random = BenchRandom(UInt64(round) &+ 77)
    let count = size.operations
    var newest = Int64(size.records + round * count * 2)
    return (0..<count).map { _ in
      let key = Int64.random(in: 1...Int64(size.records), using: &random)
      let share = Int.random(in: 0..<100, using: &random)
      func edited() -> BenchStatus {
        var record = BenchStatus.sample(key)
        record.text += " edited \(round)"
        return record
      }
      func fresh() -> BenchStatus {
        newest += 1
        return BenchStatus.sample(newest)
      }
      switch self {
      case .a: return share < 50 ? .read(key) : .update(edited())
      case .b: return share < 95 ? .read(key) : .update(edited())
      case .c: return .read(key)
      case .d: return share < 95 ? .read(max(1, newest - key % 100)) : .insert(fresh())
      case .e: return share < 95 ? .scan(from: key, count: 1 + share % 100) : .insert(fresh())
      case .f: return share < 50 ? .read(key) : .readModifyWrite(key)
      }
    }
  }
}
