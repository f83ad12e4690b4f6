import CLMDB
import Foundation
import Holdfast

/// The same work written straight against LMDB's C API: big-endian keys, a hand-packed row (user,
/// time, length of source, source, text), and an index of user and id.
final class LMDBFloor: BenchFloor {
  private let environment: OpaquePointer
  private let rows: MDB_dbi
  private let index: MDB_dbi
  private var reader: OpaquePointer
  private let ownsEnvironment: Bool

  init(path: String, durability: StorageOptions.Durability) throws {
    var handle: OpaquePointer?
    try Self.check(mdb_env_create(&handle))
    guard let environment = handle else { throw FloorError(description: "no environment") }
    self.environment = environment
    try Self.check(mdb_env_set_mapsize(environment, 1 << 38))
    try Self.check(mdb_env_set_maxdbs(environment, 16))
    let flags: Int32 =
      durability == .none ? MDB_NOSYNC : durability == .normal ? MDB_NOMETASYNC : 0
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Self.check(mdb_env_open(environment, path, UInt32(flags | MDB_NOTLS), 0o644))
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
    var rows: MDB_dbi = 0
    var index: MDB_dbi = 0
    try Self.check(mdb_dbi_open(transaction, "rows", UInt32(MDB_CREATE), &rows))
    try Self.check(mdb_dbi_open(transaction, "index", UInt32(MDB_CREATE), &index))
    try Self.check(mdb_txn_commit(transaction))
    self.rows = rows
    self.index = index
    reader = try Self.reader(environment)
    ownsEnvironment = true
  }

  /// Another reader of the same environment.
  private init(_ other: LMDBFloor) throws {
    environment = other.environment
    rows = other.rows
    index = other.index
    reader = try Self.reader(environment)
    ownsEnvironment = false
  }

  func twin() throws -> any BenchSubject { try LMDBFloor(self) }

  private static func reader(_ environment: OpaquePointer) throws -> OpaquePointer {
    var reader: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader))
    guard let reader else { throw FloorError(description: "no reader") }
    mdb_txn_reset(reader)
    return reader
  }

  private static func check(_ status: Int32) throws {
    guard status == 0 else { throw FloorError(description: String(cString: mdb_strerror(status))) }
  }

  private func putRow(_ transaction: OpaquePointer?, _ record: BenchStatus, _ flags: Int32) throws {
    var source = record.source
    var text = record.text
    try source.withUTF8 { source in
      try text.withUTF8 { text in
        var id = record.id.bigEndian
        let count = 17 + source.count + text.count
        try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
          guard let base = buffer.baseAddress else { return }
          base.storeBytes(of: record.user, as: Int64.self)
          base.storeBytes(
            of: record.createdAt.timeIntervalSinceReferenceDate,
            toByteOffset: 8,
            as: Double.self
          )
          base.storeBytes(of: UInt8(source.count), toByteOffset: 16, as: UInt8.self)
          if let start = source.baseAddress {
            (base + 17).copyMemory(from: start, byteCount: source.count)
          }
          if let start = text.baseAddress {
            (base + 17 + source.count).copyMemory(from: start, byteCount: text.count)
          }
          var value = MDB_val(mv_size: count, mv_data: base)
          try withUnsafeMutableBytes(of: &id) { id in
            var key = MDB_val(mv_size: 8, mv_data: id.baseAddress)
            try Self.check(mdb_put(transaction, rows, &key, &value, UInt32(flags)))
          }
        }
      }
    }
  }

  private func putEntry(
    _ transaction: OpaquePointer?,
    _ user: Int64,
    _ id: Int64,
    _ flags: Int32
  ) throws {
    var entry = (user.bigEndian, id.bigEndian)
    try withUnsafeMutableBytes(of: &entry) { entry in
      var key = MDB_val(mv_size: 16, mv_data: entry.baseAddress)
      var empty = MDB_val(mv_size: 0, mv_data: nil)
      try Self.check(mdb_put(transaction, index, &key, &empty, UInt32(flags)))
    }
  }

  private func put(
    _ transaction: OpaquePointer?,
    _ record: BenchStatus,
    replacing: Bool
  ) throws {
    try putRow(transaction, record, replacing ? 0 : MDB_NOOVERWRITE)
    try putEntry(transaction, record.user, record.id, 0)
  }

  private func row(_ id: Int64, _ value: MDB_val) -> BenchStatus {
    let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    let sourceCount = Int(bytes[16])
    return BenchStatus(
      id: id,
      user: bytes.loadUnaligned(as: Int64.self),
      source: String(decoding: bytes[17..<17 + sourceCount], as: UTF8.self),
      createdAt: Date(
        timeIntervalSinceReferenceDate: bytes.loadUnaligned(fromByteOffset: 8, as: Double.self)
      ),
      text: String(decoding: bytes[(17 + sourceCount)...], as: UTF8.self)
    )
  }

  private func find(_ transaction: OpaquePointer?, _ id: Int64) throws -> BenchStatus? {
    var bigEndian = id.bigEndian
    return try withUnsafeMutableBytes(of: &bigEndian) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val()
      let status = mdb_get(transaction, rows, &key, &value)
      if status == MDB_NOTFOUND { return nil }
      try Self.check(status)
      return row(id, value)
    }
  }

  private func reading<T>(_ body: () throws -> T) throws -> T {
    try Self.check(mdb_txn_renew(reader))
    defer { mdb_txn_reset(reader) }
    return try body()
  }

  private func writing(_ body: (OpaquePointer?) throws -> Void) throws {
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try Self.check(mdb_txn_commit(transaction))
  }

  func insert(_ records: [BenchStatus]) throws {
    try writing { transaction in
      for record in records { try put(transaction, record, replacing: false) }
    }
  }

  /// Appends the rows, then the entries of the index in their order.
  func load(_ records: [BenchStatus]) throws {
    try writing { transaction in
      for record in records { try putRow(transaction, record, MDB_APPEND | MDB_NOOVERWRITE) }
      let entries = records.map { (user: $0.user, id: $0.id) }.sorted { $0 < $1 }
      for entry in entries { try putEntry(transaction, entry.user, entry.id, MDB_APPEND) }
    }
  }

  func get(_ keys: [Int64]) throws -> Int {
    try reading {
      var found = 0
      for key in keys where try find(reader, key)?.id == key { found += 1 }
      return found
    }
  }

  func getEach(_ keys: [Int64]) throws -> Int {
    var found = 0
    for key in keys where try reading({ try find(reader, key) })?.id == key { found += 1 }
    return found
  }

  /// Visits the rows from a key on, until there is none or `body` says that it was enough.
  private func walk(from start: Int64?, _ body: (BenchStatus) -> Bool) throws {
    try reading {
      var cursor: OpaquePointer?
      try Self.check(mdb_cursor_open(reader, rows, &cursor))
      defer { mdb_cursor_close(cursor) }
      var bigEndian = (start ?? 0).bigEndian
      try withUnsafeMutableBytes(of: &bigEndian) { bytes in
        var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
        var value = MDB_val()
        var status = mdb_cursor_get(
          cursor,
          &key,
          &value,
          start == nil ? MDB_FIRST : MDB_SET_RANGE
        )
        while status == 0 {
          let id = Int64(bigEndian: key.mv_data.loadUnaligned(as: Int64.self))
          if !body(row(id, value)) { return }
          status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if status != MDB_NOTFOUND { try Self.check(status) }
      }
    }
  }

  private func collect(from start: Int64?, limit: Int) throws -> [BenchStatus] {
    var records: [BenchStatus] = []
    try walk(from: start) {
      records.append($0)
      return records.count < limit
    }
    return records
  }

  func scan() throws -> Int64 {
    let records = try collect(from: nil, limit: .max)
    return records.reduce(0) { $0 &+ $1.id &+ Int64($1.text.utf8.count) }
  }

  func stream() throws -> Int64 {
    var sum: Int64 = 0
    try walk(from: nil) {
      sum &+= $0.id &+ Int64($0.text.utf8.count)
      return true
    }
    return sum
  }

  func newest(ofUsers users: [Int64]) throws -> Int {
    var count = 0
    for user in users {
      count += try reading { try newest(of: user).count }
    }
    return count
  }

  private func newest(of user: Int64) throws -> [BenchStatus] {
    var cursor: OpaquePointer?
    try Self.check(mdb_cursor_open(reader, index, &cursor))
    defer { mdb_cursor_close(cursor) }
    var records: [BenchStatus] = []
    var end = ((user + 1).bigEndian, Int64(0))
    try withUnsafeMutableBytes(of: &end) { bytes in
      var key = MDB_val(mv_size: 16, mv_data: bytes.baseAddress)
      var value = MDB_val()
      var status = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
      status = mdb_cursor_get(cursor, &key, &value, status == 0 ? MDB_PREV : MDB_LAST)
      while status == 0, records.count < 20,
        Int64(bigEndian: key.mv_data.loadUnaligned(as: Int64.self)) == user
      {
        let id = Int64(bigEndian: key.mv_data.loadUnaligned(fromByteOffset: 8, as: Int64.self))
        if let record = try find(reader, id) { records.append(record) }
        status = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
      }
      if status != MDB_NOTFOUND { try Self.check(status) }
    }
    return records
  }

  /// Replaces a record, its index entry included where the user changes.
  private func update(_ transaction: OpaquePointer?, _ record: BenchStatus) throws {
    guard let old = try find(transaction, record.id) else {
      throw FloorError(description: "no record")
    }
    if old.user != record.user {
      var entry = (old.user.bigEndian, old.id.bigEndian)
      try withUnsafeMutableBytes(of: &entry) { bytes in
        var key = MDB_val(mv_size: 16, mv_data: bytes.baseAddress)
        try Self.check(mdb_del(transaction, index, &key, nil))
      }
    }
    try put(transaction, record, replacing: true)
  }

  func commitEach(_ records: [BenchStatus]) throws {
    for record in records { try writing { try update($0, record) } }
  }

  func ycsb(_ operations: [YCSBOperation]) throws -> Int {
    var count = 0
    for operation in operations {
      switch operation {
      case .read(let key): count += try reading { try find(reader, key) } == nil ? 0 : 1
      case .update(let record): try writing { try update($0, record) }
      case .insert(let record): try insert([record])
      case .scan(let start, let limit): count += try collect(from: start, limit: limit).count
      case .readModifyWrite(let key):
        try writing { transaction in
          guard var record = try find(transaction, key) else { return }
          record.user += 1
          try update(transaction, record)
        }
      }
    }
    return count
  }

  func close() throws {
    mdb_txn_abort(reader)
    if ownsEnvironment { mdb_env_close(environment) }
  }
}
