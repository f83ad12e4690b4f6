import Foundation
import Holdfast
import HoldfastSQLite

extension SQLiteStorage {
  /// Runs `body` in a write transaction of the backend itself, and commits.
  @discardableResult
  func write<T>(_ body: (SQLiteWriter) throws -> T) throws -> T {
    let writer = try beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    let result = try body(writer)
    try writer.commit()
    return result
  }

  /// Runs `body` on a snapshot of the backend itself.
  func read<T>(_ body: (SQLiteReader) throws -> T) throws -> T {
    let reader = try beginReading(timeout: .seconds(5))
    defer { reader.end() }
    return try body(reader)
  }
}

extension SQLiteReader {
  /// The collection of that name.
  func named(_ name: String) throws -> Collection {
    guard let collection = catalog.collection(named: name) else {
      throw StorageError(.unknownCollection, "there is no \(name)")
    }
    return collection
  }

  /// All rows of a collection, in key order or that of an index.
  func rows(_ name: String, index: Int? = nil) throws -> [[Value]] {
    let cursor = try scan(Scan(try named(name), index: index))
    defer { cursor.close() }
    var rows: [[Value]] = []
    while let row = try cursor.next() { rows.append(try row.values()) }
    return rows
  }
}

extension SQLiteWriter {
  /// Adds a row.
  @discardableResult
  func add(_ values: [Value], to name: String) throws -> Int64? {
    let buffer = RowBuffer(count: values.count)
    for (position, value) in values.enumerated() { buffer.set(position, value) }
    return try insert(buffer.view, into: try named(name))
  }

  /// Redefines a collection in a savepoint, as the core does.
  @discardableResult
  func change(
    _ name: String,
    rows sources: [RowChange.Source]? = nil,
    _ change: (inout CollectionDefinition) -> Void
  ) throws -> Collection {
    let collection = try named(name)
    var definition = collection.definition
    change(&definition)
    try beginSavepoint()
    do {
      let changed = try redefine(
        collection,
        as: definition,
        rows: sources.map { RowChange($0, to: definition) }
      )
      try releaseSavepoint()
      return changed
    } catch {
      try rollbackSavepoint()
      throw error
    }
  }
}

/// Runs the `sqlite3` command on a database, as a person would.
func shell(_ path: String, _ commands: String...) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["sqlite3", path] + commands
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return text
}
