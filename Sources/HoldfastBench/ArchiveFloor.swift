import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Foundation's own archive: the whole array of models through `JSONEncoder` (or the property-list
/// pair) and `Data.write(.atomic)`; one commit is the appending and syncing of the record's bytes.
///
/// Foundation has no gets, scans or indexes over a file: for those the floor is LMDB's.
final class ArchiveFloor: BenchFloor {
  private let path: String
  private let isPropertyList: Bool
  private let durability: StorageOptions.Durability
  private let lookups: LMDBFloor
  private var records: [BenchStatus] = []
  private let journal: Int32

  init(path: String, isPropertyList: Bool, durability: StorageOptions.Durability) throws {
    self.path = path
    self.isPropertyList = isPropertyList
    self.durability = durability
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    lookups = try LMDBFloor(path: path + "/lookups", durability: .none)
    journal = open(path + "/journal", O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard journal >= 0 else { throw FloorError(description: "cannot open the journal") }
  }

  private var file: URL { URL(fileURLWithPath: path + "/records") }

  func insert(_ records: [BenchStatus]) throws {
    self.records += records
    if isPropertyList {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .xml
      try encoder.encode(self.records).write(to: file, options: .atomic)
    } else {
      try JSONEncoder().encode(self.records).write(to: file, options: .atomic)
    }
  }

  func load(_ records: [BenchStatus]) throws { try insert(records) }

  /// Fills the index that answers what Foundation cannot.
  func prepare(_ records: [BenchStatus]) throws { try lookups.insert(records) }

  func twin() throws -> any BenchSubject { try lookups.twin() }

  /// Reads the file back, as opening does.
  func load() throws -> Int {
    let data = try Data(contentsOf: file)
    let records =
      isPropertyList
      ? try PropertyListDecoder().decode([BenchStatus].self, from: data)
      : try JSONDecoder().decode([BenchStatus].self, from: data)
    return records.count
  }

  func get(_ keys: [Int64]) throws -> Int { try lookups.get(keys) }
  func getEach(_ keys: [Int64]) throws -> Int { try lookups.getEach(keys) }
  func scan() throws -> Int64 { try lookups.scan() }
  func stream() throws -> Int64 { try lookups.stream() }
  func newest(ofUsers users: [Int64]) throws -> Int { try lookups.newest(ofUsers: users) }

  private func append(_ record: BenchStatus) throws {
    let bytes = try JSONEncoder().encode(record)
    let written = bytes.withUnsafeBytes { write(journal, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw FloorError(description: "short write") }
    if durability == .full, fsync(journal) != 0 { throw FloorError(description: "fsync failed") }
  }

  func commitEach(_ records: [BenchStatus]) throws {
    for record in records { try append(record) }
  }

  func ycsb(_ operations: [YCSBOperation]) throws -> Int {
    var count = 0
    for operation in operations {
      switch operation {
      case .read, .scan: count += try lookups.ycsb([operation])
      case .update(let record), .insert(let record): try append(record)
      case .readModifyWrite(let key):
        count += try lookups.getEach([key])
        try append(BenchStatus.sample(key))
      }
    }
    return count
  }

  func close() throws {
    try lookups.close()
    guard closeDescriptor(journal) == 0 else { throw FloorError(description: "close failed") }
  }
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
  Darwin.close(descriptor)
  #else
  Glibc.close(descriptor)
  #endif
}
