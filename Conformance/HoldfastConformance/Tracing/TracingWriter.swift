import Holdfast

/// A writer that writes down its calls.
final class TracingWriter<Base: StorageWriter>: TracingReader<Base>, StorageWriter {
  func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    var automatic: Int64?
    return try traced(
      "insert into",
      collection.name,
      subject: { TraceText.row(row, collection, automatic: automatic, isFull: $0) }
    ) { () throws(StorageError) in
      automatic = try base.insert(row, into: collection)
      return automatic
    }
  }

  func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    try traced(
      "update in",
      collection.name,
      outcome: { $0 ? "" : "nothing there" },
      subject: { TraceText.row(row, collection, isFull: $0) }
    ) { () throws(StorageError) in
      try base.update(row, in: collection)
    }
  }

  func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    var automatic: Int64?
    return try traced(
      "put in",
      collection.name,
      subject: { TraceText.row(row, collection, automatic: automatic, isFull: $0) }
    ) { () throws(StorageError) in
      automatic = try base.put(row, in: collection)
      return automatic
    }
  }

  func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    try traced(
      "delete from",
      collection.name,
      outcome: { $0 ? "" : "nothing there" },
      subject: { _ in TraceText.key(key) }
    ) { () throws(StorageError) in
      try base.delete(key, from: collection)
    }
  }

  func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    try traced(
      "clear",
      collection.name,
      outcome: { ReportText.count($0, "record") }
    ) { () throws(StorageError) in
      try base.deleteAll(in: collection)
    }
  }

  // MARK: Schema

  func createCollection(_ definition: CollectionDefinition) throws(StorageError) -> Collection {
    try traced("create", subject: { _ in TraceText.definition(definition) }) {
      () throws(StorageError) in
      try base.createCollection(definition)
    }
  }

  func dropCollection(_ collection: Collection) throws(StorageError) {
    try traced("drop", collection.name) { () throws(StorageError) in
      try base.dropCollection(collection)
    }
  }

  func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    try traced(
      "redefine",
      collection.name,
      subject: { _ in
        "as \(TraceText.definition(definition))\(change == nil ? "" : "; rows change")"
      }
    ) { () throws(StorageError) in
      try base.redefine(collection, as: definition, rows: change)
    }
  }

  func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError) {
    try traced("set the last automatic key of", collection.name, subject: { _ in "to \(key)" }) {
      () throws(StorageError) in
      try base.setLastAutomaticKey(key, of: collection)
    }
  }

  func setMigrations(_ names: [String]) throws(StorageError) {
    try traced("set migrations", subject: { _ in names.joined(separator: ", ") }) {
      () throws(StorageError) in
      try base.setMigrations(names)
    }
  }

  // MARK: Scope

  func beginSavepoint() throws(StorageError) {
    try traced("begin savepoint") { () throws(StorageError) in try base.beginSavepoint() }
  }
  func releaseSavepoint() throws(StorageError) {
    try traced("release savepoint") { () throws(StorageError) in try base.releaseSavepoint() }
  }
  func rollbackSavepoint() throws(StorageError) {
    try traced("roll back savepoint") { () throws(StorageError) in try base.rollbackSavepoint() }
  }

  func commit() throws(StorageError) {
    do throws(StorageError) {
      try base.commit()
    } catch {
      noteEnd("commit → \(error.code)")
      throw error
    }
    noteEnd("commit")
  }

  override func end() {
    base.end()
    noteEnd("roll back")
  }
}
