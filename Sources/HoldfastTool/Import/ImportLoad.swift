import Holdfast

/// The loading of records into a collection, in one transaction or several.
struct ImportLoad {
  private let source: any RecordSource
  private let onConflict: ImportJob.Conflict
  private let progress: (Int) -> Void
  private let row = RowBuffer()
  private var record = 0
  private var committed = 0

  /// What has become of the records so far.
  private(set) var result = ImportResult()
  /// Whether all records have been loaded.
  private(set) var isDone = false

  /// Prepares to load the records of a source.
  ///
  /// - Parameters:
  ///   - source: the records, of which none has been read.
  ///   - onConflict: what happens to records that exist.
  ///   - progress: called now and then with the number of records.
  init(
    source: any RecordSource,
    onConflict: ImportJob.Conflict,
    progress: @escaping (Int) -> Void
  ) {
    self.source = source
    self.onConflict = onConflict
    self.progress = progress
  }

  /// Loads records, at most `limit` of them.
  ///
  /// - Throws: `StorageError` naming the record.
  mutating func run(
    into collection: Collection,
    _ transaction: WriteTransaction,
    limit: Int?
  ) throws(StorageError) {
    committed = record
    do throws(StorageError) {
      try load(into: collection, transaction, limit: limit)
    } catch {
      guard committed > 0 else { throw error }
      var error = error
      error.message += "; the first \(committed) records of the file have been imported"
      throw error
    }
  }

  private mutating func load(
    into collection: Collection,
    _ transaction: WriteTransaction,
    limit: Int?
  ) throws(StorageError) {
    try source.prepare(collection)
    while limit.map({ record - committed < $0 }) ?? true {
      guard try source.next() else {
        isDone = true
        return
      }
      record += 1
      do throws(StorageError) {
        try source.read(into: row)
        try add(row.view, to: collection, transaction)
      } catch {
        throw error.of(record: record)
      }
      if record % 1024 == 0 { progress(record) }
    }
  }

  private mutating func add(
    _ row: RowView,
    to collection: Collection,
    _ transaction: WriteTransaction
  ) throws(StorageError) {
    do throws(StorageError) {
      try transaction.insert(row, into: collection)
      result.inserted += 1
    } catch {
      switch (onConflict, error.code) {
      case (.skip, .duplicateKey), (.skip, .uniqueViolation):
        result.skipped += 1
      case (.replace, .duplicateKey):
        try transaction.update(row, in: collection)
        result.replaced += 1
      default:
        throw error
      }
    }
  }
}

extension StorageError {
  /// The error as one about a record of a file, counted from 1.
  func of(record: Int) -> StorageError {
    var error = self
    error.message = "record \(record): \(message)"
    return error
  }
}
