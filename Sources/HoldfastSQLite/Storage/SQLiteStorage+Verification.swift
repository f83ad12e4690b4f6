import CSQLite
public import Holdfast

extension SQLiteStorage {
  private static let mostFindings = 100
  /// The first version without a rare fault: two connections that reset the log at the same moment can
  /// lose a commit.
  private static let soundVersion: Int32 = 3_051_003

  /// Looks through pages, rows and indexes, as `PRAGMA integrity_check` does, and for indexes that are
  /// not as the catalog says.
  ///
  /// - Throws: `StorageError.Code.busy`; what keeps SQLite from reading the catalog.
  /// - Complexity: O(n log n).
  public func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    let reader = try beginReading(timeout: timeout)
    defer { reader.end() }
    var findings: [Finding] = []
    if sqlite3_libversion_number() < Self.soundVersion {
      findings.append(
        .note(
          "SQLite \(String(cString: sqlite3_libversion())) has a rare fault in resetting its log that "
            + "3.51.3 mends; update SQLite"
        )
      )
    }
    for collection in reader.catalog.collections {
      findings += try reader.connection.wrongIndexes(of: collection).map {
        .fault("index \($0) of \(collection.name) is missing or holds other fields; make it again")
      }
    }
    return try findings + reader.connection.checkIntegrity(most: Self.mostFindings)
  }
}

extension SQLiteConnection {
  /// What SQLite itself finds, a line each.
  fileprivate func checkIntegrity(most: Int) throws(StorageError) -> [Finding] {
    var findings: [Finding] = []
    do throws(StorageError) {
      let statement = try prepare(SQLText("PRAGMA integrity_check(\(most))"), "check")
      while try statement.step() {
        let text = try statement.row().value(0).name
        for line in text.split(separator: "\n") where line != "ok" && !line.hasPrefix("*** in ") {
          findings.append(.fault("\(path): \(line)"))
        }
      }
    } catch {
      guard error.code == .corrupt else { throw error }
      findings.append(.fault(error.message))
    }
    guard findings.count >= most else { return findings }
    return findings.prefix(most) + [.fault("\(path): there is more than these \(most) faults")]
  }

  /// The names of a collection's indexes that its table does not have as the catalog says.
  fileprivate func wrongIndexes(of collection: Collection) throws(StorageError) -> [String] {
    var wrong: [String] = []
    for index in collection.indexes {
      let columns = try rows(
        "SELECT \"info\".\"name\", \"list\".\"unique\" FROM pragma_index_list(?1) AS \"list\", "
          + "pragma_index_info(\"list\".\"name\") AS \"info\" WHERE \"list\".\"name\" = ?2 "
          + "ORDER BY \"info\".\"seqno\"",
        "read the schema",
        [.text(collection.physicalName), .text(index.physicalName)]
      )
      let isUnique = Value.integer(index.definition.isUnique ? 1 : 0)
      let expected = TableDefinition.columns(of: index, collection).map {
        [Value.text(collection.fields[$0].name), isUnique]
      }
      if columns != expected { wrong.append(index.definition.name) }
    }
    return wrong
  }
}
