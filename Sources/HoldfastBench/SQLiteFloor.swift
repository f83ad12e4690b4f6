import CSQLite
import Foundation
import Holdfast

/// The same work written straight against SQLite's C API, with cached statements.
///
/// The table is the one that Holdfast makes: same columns, same index, dates as the same text.
final class SQLiteFloor: BenchFloor {
  private let database: OpaquePointer
  private let path: String
  private let durability: StorageOptions.Durability
  private let insertStatement: OpaquePointer
  private let updateStatement: OpaquePointer
  private let getStatement: OpaquePointer
  private let scanStatement: OpaquePointer
  private let newestStatement: OpaquePointer
  private let rangeStatement: OpaquePointer
  private let begin: OpaquePointer
  private let beginWriting: OpaquePointer
  private let commit: OpaquePointer

  init(path: String, durability: StorageOptions.Durability) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let database = handle else {
      throw FloorError(description: "cannot open \(path)")
    }
    self.database = database
    self.path = path
    self.durability = durability
    func run(_ sql: String) throws {
      guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
        throw FloorError(description: String(cString: sqlite3_errmsg(database)))
      }
    }
    func prepare(_ sql: String) throws -> OpaquePointer {
      var statement: OpaquePointer?
      guard
        sqlite3_prepare_v3(
          database,
          sql,
          -1,
          UInt32(SQLITE_PREPARE_PERSISTENT),
          &statement,
          nil
        ) == SQLITE_OK,
        let statement
      else { throw FloorError(description: String(cString: sqlite3_errmsg(database))) }
      return statement
    }
    let level = ["full": "FULL", "normal": "NORMAL", "none": "OFF"][durability.rawValue] ?? "FULL"
    try run("PRAGMA journal_mode=WAL; PRAGMA synchronous=\(level)")
    try run(
      """
      CREATE TABLE IF NOT EXISTS status(id INTEGER PRIMARY KEY NOT NULL, user INTEGER NOT NULL,
        source TEXT NOT NULL, createdAt TEXT NOT NULL, text TEXT NOT NULL) STRICT;
      CREATE INDEX IF NOT EXISTS status_user_id ON status(user, id)
      """
    )
    insertStatement = try prepare("INSERT INTO status VALUES(?,?,?,?,?)")
    updateStatement = try prepare(
      "UPDATE status SET user=?2, source=?3, createdAt=?4, text=?5 WHERE id=?1"
    )
    getStatement = try prepare("SELECT id,user,source,createdAt,text FROM status WHERE id=?")
    scanStatement = try prepare("SELECT id,user,source,createdAt,text FROM status ORDER BY id")
    newestStatement = try prepare(
      "SELECT id,user,source,createdAt,text FROM status WHERE user=? ORDER BY id DESC LIMIT 20"
    )
    rangeStatement = try prepare(
      "SELECT id,user,source,createdAt,text FROM status WHERE id>=? ORDER BY id LIMIT ?"
    )
    begin = try prepare("BEGIN")
    beginWriting = try prepare("BEGIN IMMEDIATE")
    commit = try prepare("COMMIT")
  }

  private func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw FloorError(description: String(cString: sqlite3_errmsg(database)))
    }
  }

  private func run(_ statement: OpaquePointer) throws {
    defer { sqlite3_reset(statement) }
    while try step(statement) {}
  }

  /// Binds a record without copying its texts, and runs the statement while they stay put.
  private func run(_ statement: OpaquePointer, with record: BenchStatus) throws {
    var source = record.source
    var text = record.text
    try source.withUTF8 { source in
      try text.withUTF8 { text in
        try withUnsafeTemporaryAllocation(byteCount: DateCoding.length, alignment: 1) { date in
          guard DateCoding.encode(record.createdAt, into: date) else {
            throw FloorError(description: "a date that has no text")
          }
          sqlite3_bind_int64(statement, 1, record.id)
          sqlite3_bind_int64(statement, 2, record.user)
          bind(UnsafeRawBufferPointer(source), statement, 3)
          bind(UnsafeRawBufferPointer(date), statement, 4)
          bind(UnsafeRawBufferPointer(text), statement, 5)
          try run(statement)
        }
      }
    }
  }

  private func bind(_ text: UnsafeRawBufferPointer, _ statement: OpaquePointer, _ index: Int32) {
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text(statement, index, start, Int32(text.count), nil)
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
    let pointer = sqlite3_column_text(statement, column)
    return UnsafeRawBufferPointer(
      start: pointer,
      count: Int(sqlite3_column_bytes(statement, column))
    )
  }

  private func row(_ statement: OpaquePointer) -> BenchStatus {
    BenchStatus(
      id: sqlite3_column_int64(statement, 0),
      user: sqlite3_column_int64(statement, 1),
      source: String(decoding: text(statement, 2), as: UTF8.self),
      createdAt: DateCoding.decode(utf8: text(statement, 3)) ?? .distantPast,
      text: String(decoding: text(statement, 4), as: UTF8.self)
    )
  }

  func insert(_ records: [BenchStatus]) throws {
    try run(beginWriting)
    for record in records {
      try run(insertStatement, with: record)
    }
    try run(commit)
  }

  func load(_ records: [BenchStatus]) throws { try insert(records) }

  /// A connection of its own.
  func twin() throws -> any BenchSubject { try SQLiteFloor(path: path, durability: durability) }

  private func find(_ key: Int64) throws -> BenchStatus? {
    sqlite3_bind_int64(getStatement, 1, key)
    defer { sqlite3_reset(getStatement) }
    return try step(getStatement) ? row(getStatement) : nil
  }

  func get(_ keys: [Int64]) throws -> Int {
    try run(begin)
    var found = 0
    for key in keys where try find(key)?.id == key { found += 1 }
    try run(commit)
    return found
  }

  func getEach(_ keys: [Int64]) throws -> Int {
    var found = 0
    for key in keys where try find(key)?.id == key { found += 1 }
    return found
  }

  func scan() throws -> Int64 {
    defer { sqlite3_reset(scanStatement) }
    var records: [BenchStatus] = []
    while try step(scanStatement) { records.append(row(scanStatement)) }
    return records.reduce(0) { $0 &+ $1.id &+ Int64($1.text.utf8.count) }
  }

  func stream() throws -> Int64 {
    defer { sqlite3_reset(scanStatement) }
    var sum: Int64 = 0
    while try step(scanStatement) {
      let record = row(scanStatement)
      sum &+= record.id &+ Int64(record.text.utf8.count)
    }
    return sum
  }

  private func collect(_ statement: OpaquePointer) throws -> Int {
    defer { sqlite3_reset(statement) }
    var records: [BenchStatus] = []
    while try step(statement) { records.append(row(statement)) }
    return records.count
  }

  func newest(ofUsers users: [Int64]) throws -> Int {
    var count = 0
    for user in users {
      sqlite3_bind_int64(newestStatement, 1, user)
      count += try collect(newestStatement)
    }
    return count
  }

  private func update(_ record: BenchStatus) throws {
    try run(beginWriting)
    try run(updateStatement, with: record)
    try run(commit)
  }

  func commitEach(_ records: [BenchStatus]) throws {
    for record in records { try update(record) }
  }

  func ycsb(_ operations: [YCSBOperation]) throws -> Int {
    var count = 0
    for operation in operations {
      switch operation {
      case .read(let key): count += try find(key) == nil ? 0 : 1
      case .update(let record): try update(record)
      case .insert(let record): try insert([record])
      case .scan(let start, let limit):
        sqlite3_bind_int64(rangeStatement, 1, start)
        sqlite3_bind_int64(rangeStatement, 2, Int64(limit))
        count += try collect(rangeStatement)
      case .readModifyWrite(let key):
        try run(beginWriting)
        if var record = try find(key) {
          record.user += 1
          try run(updateStatement, with: record)
        }
        try run(commit)
      }
    }
    return count
  }

  func close() throws {
    for statement in [
      insertStatement, updateStatement, getStatement, scanStatement, newestStatement,
      rangeStatement, begin, beginWriting, commit,
    ] { sqlite3_finalize(statement) }
    guard sqlite3_close(database) == SQLITE_OK else {
      throw FloorError(description: String(cString: sqlite3_errmsg(database)))
    }
  }
}
