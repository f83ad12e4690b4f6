/// What one snapshot holds, on its way into another store: collections, records, indexes, references,
/// automatic counters and the names of the applied migrations.
///
/// Create the collections, copy rows until none is left, finish: in one transaction of the
/// destination, or in several where nobody else sees it.
final class StoreCopy {
  private let source: ReadTransaction
  private let collections: [Collection]
  private let migrations: [String]
  /// The collection whose rows are being copied.
  private var position = 0
  private var cursor: (any StorageCursor)?
  /// How many records were copied.
  private(set) var count = 0

  /// Prepares the copy of a snapshot, which must stay open until the end.
  init(_ source: ReadTransaction) throws(StorageError) {
    self.source = source
    let catalog = try source.catalog
    collections = catalog.collections
    migrations = catalog.migrations
  }

  deinit { cursor?.close() }

  /// Makes the whole copy in one transaction.
  ///
  /// - Returns: the number of records.
  func run(
    in transaction: WriteTransaction,
    progress: (Int) -> Void
  ) throws(StorageError) -> Int {
    try createCollections(in: transaction)
    _ = try copyRows(into: transaction, limit: .max, progress: progress)
    try finish(in: transaction)
    return count
  }

  /// Creates the collections, without records.
  func createCollections(in transaction: WriteTransaction) throws(StorageError) {
    for collection in collections {
      var definition = collection.definition
      if hasIndexesLast(collection, transaction) { definition.indexes = [] }
      try transaction.createCollection(definition)
    }
  }

  /// Whether a collection gets its indexes when its records are there; one with references needs them
  /// from the beginning.
  private func hasIndexesLast(_ collection: Collection, _ transaction: WriteTransaction) -> Bool {
    transaction.writer.makesIndexesFasterLast && collection.references.isEmpty
      && !collection.indexes.isEmpty
  }

  /// Copies the next records, without looking at their references.
  ///
  /// - Parameters:
  ///   - transaction: of the destination.
  ///   - limit: after how many bytes to stop.
  ///   - progress: called with the number of records copied so far, now and then.
  /// - Returns: whether there are more.
  /// - Throws: what either engine reports, and what the destination has against a record.
  func copyRows(
    into transaction: WriteTransaction,
    limit: Int,
    progress: (Int) -> Void
  ) throws(StorageError) -> Bool {
    var left = limit
    while position < collections.count {
      let target = try transaction.collection(collections[position].name)
      try copyRows(of: collections[position], to: target, transaction, &left, progress)
      if left <= 0 { return true }
      cursor?.close()
      cursor = nil
      position += 1
    }
    return false
  }

  private func copyRows(
    of collection: Collection,
    to target: Collection,
    _ transaction: WriteTransaction,
    _ left: inout Int,
    _ progress: (Int) -> Void
  ) throws(StorageError) {
    let cursor = try self.cursor(over: collection)
    try transaction.prepareToWrite()
    var isTouched = false
    while left > 0, let row = try cursor.next() {
      try FieldCheck.check(row, target)
      try transaction.perform { () throws(StorageError) in
        _ = try transaction.writer.insert(row, into: target)
      }
      if !isTouched {
        transaction.changes.touch(target)
        isTouched = true
      }
      left -= Self.size(of: row)
      count += 1
      if count % 4096 == 0 { progress(count) }
    }
  }

  /// About how many bytes a row takes.
  private static func size(of row: RowView) -> Int {
    var size = 0
    for index in 0..<row.count {
      let slot = row.slots[index]
      size += slot.kind == .text || slot.kind == .blob ? Int(slot.bits) + 4 : 8
    }
    return size
  }

  /// The cursor that goes on where the last transaction stopped.
  private func cursor(over collection: Collection) throws(StorageError) -> any StorageCursor {
    if let cursor { return cursor }
    let opened: any StorageCursor = try source.reader.scan(Scan(collection))
    cursor = opened
    return opened
  }

  /// Adds the indexes that are still to come, sets counters and migrations, and checks that every
  /// reference leads to a record.
  ///
  /// - Throws: ``StorageError/Code/uniqueViolation`` naming the index; what the engine throws.
  func finish(in transaction: WriteTransaction) throws(StorageError) {
    for collection in collections where hasIndexesLast(collection, transaction) {
      try transaction.alterCollection(
        collection.name,
        collection.definition.indexes.map { .addIndex($0) }
      )
    }
    for collection in collections {
      let target = try transaction.collection(collection.name)
      if collection.automaticKeyPosition != nil {
        let last = try source.reader.lastAutomaticKey(of: collection)
        try transaction.raiseLastAutomaticKey(to: last, of: target)
      }
      for reference in target.references {
        try transaction.checkReference(reference, of: target)
      }
    }
    if try transaction.catalog.migrations != migrations {
      try transaction.setMigrations(migrations)
    }
  }
}

extension WriteTransaction {
  /// Throws if the store holds anything.
  func checkEmpty() throws(StorageError) {
    let catalog = try catalog
    guard catalog.collections.isEmpty, catalog.migrations.isEmpty else {
      throw StorageError(
        .alreadyExists,
        "the destination already has collections; copy into an empty store"
      )
    }
  }
}
