import Foundation

/// What a workload drives: Holdfast on a backend, or the floor beneath it.
///
/// Both do the same work on the same records, so that a workload is written once.
protocol BenchSubject: AnyObject {
  /// Adds records in one transaction.
  func insert(_ records: [BenchStatus]) throws
  /// Adds records before anything is measured; once or several times.
  func prepare(_ records: [BenchStatus]) throws
  /// What another thread uses at the same time, to read the same store; closed before this.
  func twin() throws -> any BenchSubject
  /// Gets records by key, inside one snapshot; returns how many were found.
  func get(_ keys: [Int64]) throws -> Int
  /// Gets records by key, each in a snapshot of its own.
  func getEach(_ keys: [Int64]) throws -> Int
  /// Reads all records into structs; returns a checksum.
  func scan() throws -> Int64
  /// Reads all records into structs one by one and keeps none; returns a checksum.
  func stream() throws -> Int64
  /// The 20 newest records of each user, by the index; returns how many came.
  func newest(ofUsers users: [Int64]) throws -> Int
  /// Replaces records, each in a transaction of its own.
  func commitEach(_ records: [BenchStatus]) throws
  /// Runs `operations` in one transaction each of reads and updates, as YCSB mixes them.
  func ycsb(_ operations: [YCSBOperation]) throws -> Int
  /// Closes it.
  func close() throws
}

extension BenchSubject {
  func prepare(_ records: [BenchStatus]) throws { try insert(records) }
}

/// The engine beneath, used straight.
protocol BenchFloor: BenchSubject {
  /// Adds records in the order of their keys to the empty store, as the engine is loaded in bulk.
  func load(_ records: [BenchStatus]) throws
}

/// One operation of a YCSB workload.
enum YCSBOperation {
  case read(Int64)
  case update(BenchStatus)
  case insert(BenchStatus)
  case scan(from: Int64, count: Int)
  case readModifyWrite(Int64)
}

/// A floor's engine refused a call.
struct FloorError: Error, CustomStringConvertible {
  var description: String
}
