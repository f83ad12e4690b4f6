import CSQLite
import Foundation
import Holdfast
import HoldfastSQLite
import Testing

/// A folder of its own for one test, removed at the end.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-sqlite-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String = "test.db") -> String { url.appending(path: name).path }

  /// The files in the folder with their contents.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder)
      if !isFolder.boolValue { contents[name] = try Data(contentsOf: URL(filePath: path(name))) }
    }
    return contents
  }

  func open(
    _ name: String = "test.db",
    _ options: StorageOptions = StorageOptions(),
    log: StatementLog? = nil
  ) throws -> Store {
    Store(
      try SQLiteStorage.open(path: path(name), options: options, log: log),
      options: options
    )
  }
}

/// Runs SQL against a database file the way any other program would.
func runSQL(_ path: String, _ sql: String) throws -> [[String]] {
  var handle: OpaquePointer?
  try #require(sqlite3_open(path, &handle) == SQLITE_OK)
  defer { sqlite3_close(handle) }
  var rows: [[String]] = []
  var statement: OpaquePointer?
  var rest: [CChar] = Array(sql.utf8CString)
  while rest.count > 1 {
    var used = 0
    let status = rest.withUnsafeBufferPointer { bytes in
      var tail: UnsafePointer<CChar>?
      let status = sqlite3_prepare_v2(handle, bytes.baseAddress, -1, &statement, &tail)
      if let tail, let base = bytes.baseAddress { used = tail - base }
      return status
    }
    try #require(status == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    rest.removeFirst(used)
    guard statement != nil else { continue }
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        }
      )
    }
    try #require(
      sqlite3_finalize(statement) == SQLITE_OK,
      "\(String(cString: sqlite3_errmsg(handle)))"
    )
    statement = nil
  }
  return rows
}

/// Expects a storage error of one code and gives it back for a closer look.
@discardableResult
func expect<T>(
  _ code: StorageError.Code,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> T
) throws -> StorageError {
  let error = try #require(throws: StorageError.self, sourceLocation: sourceLocation) {
    _ = try body()
  }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  return error
}

extension CollectionDefinition {
  static let user = CollectionDefinition(
    "user",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text),
      FieldDefinition("email", .text, optional: true),
      FieldDefinition("age", .integer, optional: true),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [
      IndexDefinition(["email"], unique: true), IndexDefinition(["name"], unique: true),
      IndexDefinition(["age"]),
    ]
  )
}
