import Holdfast
import HoldfastSQLite

/// A SQLite store that answers scans only, so that the core's planner, evaluator and sort run.
struct ScanOnlyStorage: Storage {
  let base: SQLiteStorage

  var capabilities: Capabilities { base.capabilities }
  var wasCreated: Bool { base.wasCreated }

  func beginReading(timeout: Duration) throws(StorageError) -> ScanOnlyReader {
    ScanOnlyReader(try base.beginReading(timeout: timeout))
  }

  func beginWriting(timeout: Duration) throws(StorageError) -> SQLiteWriter {
    try base.beginWriting(timeout: timeout)
  }

  func close() throws(StorageError) { try base.close() }
}

final class ScanOnlyReader: StorageReader {
  private let base: SQLiteReader

  init(_ base: SQLiteReader) { self.base = base }

  var catalog: Catalog { base.catalog }

  func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    try base.get(key, in: collection)
  }

  func scan(_ scan: Scan) throws(StorageError) -> SQLiteCursor { try base.scan(scan) }

  func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    try base.lastAutomaticKey(of: collection)
  }

  func end() { base.end() }
}
