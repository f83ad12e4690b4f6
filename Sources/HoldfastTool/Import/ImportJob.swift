package import Holdfast

/// One import of a file's records into a collection, in one transaction: it happens in full or not
/// at all.
///
/// Records are streamed; with ``createsCollection`` the file is read twice, first to infer the
/// types of its fields.
package struct ImportJob: Sendable {
  /// What happens to a record whose key, or whose value in a unique index, exists.
  package enum Conflict: String, CaseIterable, Sendable {
    /// The import fails, and nothing is changed.
    case fail
    /// The record is left out.
    case skip
    /// The record with the same key is replaced; a conflict in another unique index fails.
    case replace
  }

  /// The path of the file; `-` is standard input.
  package var path: String
  /// The format; nil for the one of the file name's extension, else by how the file begins.
  package var format: FileFormat?
  /// The name of the collection.
  package var collection: String
  /// Whether the collection is made, with inferred types.
  package var createsCollection = false
  /// The key of a collection that is made: field names; nil for `id`.
  package var key: [String]?
  /// What happens to records that exist.
  package var onConflict = Conflict.fail
  /// Where the records are in the document; nil to look for them.
  package var records: JSONPointer?
  /// After how many records to commit; 0 for one transaction; nil for one transaction too, but for
  /// a large file into an engine that keeps what is not committed in memory.
  ///
  /// An import in batches that fails leaves the batches before.
  package var batch: Int?
  /// From how many bytes on a file is large.
  package var largeSize = 64 << 20
  /// Called when the job chooses to commit in batches, with a line that says so.
  package var notice: (@Sendable (String) -> Void)?
  /// Called now and then with the number of records read, and the part of the file from 0 to 1.
  package var progress: (@Sendable (Int, Double) -> Void)?

  /// Creates a job for a file.
  package init(path: String, into collection: String, format: FileFormat? = nil) {
    self.path = path
    self.collection = collection
    self.format = format
  }

  /// Imports the file.
  ///
  /// - Returns: what became of the records.
  /// - Throws: `StorageError` naming the record and its place: what reading the file throws, and
  ///   what inserting throws. The store is as it was then.
  @available(*, noasync)
  package func run(on store: Store) throws -> ImportResult {
    let input = try ImportInput(path)
    let format = try format ?? FileFormat(extensionOf: path) ?? FileFormat.sniff(input)
    if records != nil, format == .jsonl || format == .csv {
      throw UsageError("--records goes with json and plist, not with \(format.rawValue)")
    }
    let exists = try store.read { try $0.catalog.collection(named: collection) != nil }
    if exists == createsCollection {
      throw exists
        ? StorageError(
          .nameConflict,
          "the store has a collection \(collection); leave out --create to add to it"
        )
        : StorageError(
          .unknownCollection,
          "the store has no collection \(collection); add --create to make it"
        )
    }
    let limit = limit(for: store, size: input.size)
    let definition = createsCollection ? try infer(input, format) : nil
    let source = try source(input, format)
    var load = ImportLoad(source: source, onConflict: onConflict) { [progress] count in
      progress?(count, input.size > 0 ? Double(input.position) / Double(input.size) : 1)
    }
    try store.write { transaction in
      if let definition { try transaction.createCollection(definition) }
      try load.run(into: try transaction.collection(collection), transaction, limit: limit)
    }
    while !load.isDone {
      try store.write { transaction in
        try load.run(into: try transaction.collection(collection), transaction, limit: limit)
      }
    }
    return load.result
  }

  /// After how many records to commit; nil for one transaction.
  private func limit(for store: Store, size: Int) -> Int? {
    if let batch { return batch == 0 ? nil : batch }
    guard size >= largeSize, store.capabilities.backend == "lmdb" else { return nil }
    let limit = 20_000
    notice?(
      "committing every \(limit) records, since LMDB keeps a transaction in memory; "
        + "--batch 0 imports all or nothing"
    )
    return limit
  }

  private func source(
    _ input: ImportInput,
    _ format: FileFormat
  ) throws(StorageError) -> any RecordSource {
    switch format {
    case .json: try JSONRecords(array: input, at: records)
    case .jsonl: try JSONRecords(lines: input)
    case .csv: try CSVRecords(input)
    case .plist: try PropertyListRecords(input, at: records)
    }
  }

  // MARK: Types

  private func infer(
    _ input: ImportInput,
    _ format: FileFormat
  ) throws(StorageError) -> CollectionDefinition {
    let source = try source(input, format)
    var inference = FieldInference()
    if let csv = source as? CSVRecords { try csv.observeHeader(&inference) }
    while try source.next() {
      inference.beginRecord()
      do throws(StorageError) {
        try source.observe(&inference)
      } catch {
        throw error.of(record: inference.recordCount)
      }
    }
    guard !inference.fields.isEmpty else {
      throw StorageError(
        .malformedInput,
        "\(input.name) has no records to infer the fields of \(collection) from"
      )
    }
    return try inference.definition(collection, key: key) { kinds in
      switch format {
      case .json, .jsonl: FieldInference.jsonType(kinds)
      case .csv: CSVRecords.type(kinds)
      case .plist: PropertyListRecords.type(kinds)
      }
    }
  }
}

/// What became of the records of an import.
package struct ImportResult: Sendable, Equatable {
  /// How many were added.
  package var inserted = 0
  /// How many were left out, since they exist.
  package var skipped = 0
  /// How many took the place of others.
  package var replaced = 0

  /// Creates the result of no records.
  package init() {}
}
