import Holdfast

/// Holdfast itself: typed records through ``Repository`` on a store chosen at run time.
final class HoldfastSubject: BenchSubject {
  private let store: Store
  private let repository: Repository<BenchStatus>

  init(_ store: Store) {
    self.store = store
    repository = Repository(store)
  }

  func insert(_ records: [BenchStatus]) throws {
    try store.write { transaction in
      for record in records { try repository.insert(record, in: transaction) }
    }
  }

  /// Itself: a store is for all threads.
  func twin() -> any BenchSubject { self }

  func get(_ keys: [Int64]) throws -> Int {
    try store.read { transaction in
      var found = 0
      for key in keys where try repository.get(key, in: transaction)?.id == key { found += 1 }
      return found
    }
  }

  func getEach(_ keys: [Int64]) throws -> Int {
    var found = 0
    for key in keys where try repository.get(key)?.id == key { found += 1 }
    return found
  }

  func scan() throws -> Int64 {
    let records = try repository.fetch()
    return records.reduce(0) { $0 &+ $1.id &+ Int64($1.text.utf8.count) }
  }

  func stream() throws -> Int64 {
    try store.read { transaction in
      var sum: Int64 = 0
      try repository.forEach(in: transaction) { sum &+= $0.id &+ Int64($0.text.utf8.count) }
      return sum
    }
  }

  func newest(ofUsers users: [Int64]) throws -> Int {
    var count = 0
    for user in users {
      count += try repository.fetch(
        where: .equal("user", .integer(user)),
        sort: [.descending(\.id)],
        limit: 20
      ).count
    }
    return count
  }

  func commitEach(_ records: [BenchStatus]) throws {
    for record in records { try repository.update(record) }
  }

  func ycsb(_ operations: [YCSBOperation]) throws -> Int {
    var count = 0
    for operation in operations {
      switch operation {
      case .read(let key): count += try repository.get(key) == nil ? 0 : 1
      case .update(let record): try repository.update(record)
      case .insert(let record): try repository.insert(record)
      case .scan(let start, let limit):
        count += try repository.fetch(
          where: .greaterOrEqual("id", .integer(start)),
          limit: limit
        ).count
      case .readModifyWrite(let key):
        try store.write { transaction in
          guard var record = try repository.get(key, in: transaction) else { return }
          record.user += 1
          try repository.update(record, in: transaction)
        }
      }
    }
    return count
  }

  func close() throws { try store.close() }
}
