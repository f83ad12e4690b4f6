package import Holdfast

/// One export of a collection to a file or to standard output, in key order, from one snapshot.
package struct ExportJob {
  /// The name of the collection.
  package var collection: String
  /// The format.
  package var format: FileFormat
  /// Which records.
  package var filter = Filter.all
  /// Called now and then with the number of records written.
  package var progress: ((Int) -> Void)?

  /// Creates a job.
  package init(collection: String, format: FileFormat) {
    self.collection = collection
    self.format = format
  }

  /// Writes the records, a chunk at a time.
  ///
  /// - Parameters:
  ///   - transaction: the snapshot.
  ///   - write: takes the next bytes of the file.
  /// - Returns: the number of records.
  /// - Throws: `StorageError`; what `write` throws.
  package func run(
    in transaction: ReadTransaction,
    to write: ([UInt8]) throws -> Void
  ) throws -> Int {
    let cursor = try transaction.rows(Query(collection, where: filter))
    defer { cursor.close() }
    switch format {
    case .json, .jsonl: return try exportJSON(cursor, write)
    case .csv: return try exportCSV(cursor, write)
    case .plist: return try exportPropertyList(cursor, write)
    }
  }

  /// Writes the records to an output, which it does not flush.
  ///
  /// - Returns: the number of records.
  @available(*, noasync)
  package func run(on store: Store, to output: Output) throws -> Int {
    try store.read { transaction in
      try run(in: transaction) { try output.write($0) }
    }
  }

  private static let chunk = 1 << 16

  private func exportJSON(_ cursor: RowCursor, _ write: ([UInt8]) throws -> Void) throws -> Int {
    let mapping = RowJSON(cursor.collection)
    var writer = JSONWriter()
    var count = 0
    let isArray = format == .json
    if isArray { writer.bytes.append(0x5B) }
    while let row = try cursor.next() {
      if isArray { writer.bytes.append(contentsOf: count == 0 ? [0x0A] : [0x2C, 0x0A]) }
      writer.beginText()
      try mapping.write(row, to: &writer)
      if !isArray { writer.bytes.append(0x0A) }
      count += 1
      if writer.bytes.count >= Self.chunk {
        try write(writer.bytes)
        writer.bytes.removeAll(keepingCapacity: true)
        progress?(count)
      }
    }
    if isArray { writer.bytes.append(contentsOf: count == 0 ? [0x5D, 0x0A] : [0x0A, 0x5D, 0x0A]) }
    try write(writer.bytes)
    return count
  }

  private func exportCSV(_ cursor: RowCursor, _ write: ([UInt8]) throws -> Void) throws -> Int {
    let mapping = RowCSV(cursor.collection)
    var writer = CSVWriter()
    var count = 0
    mapping.writeHeader(to: &writer)
    while let row = try cursor.next() {
      try mapping.write(row, to: &writer)
      count += 1
      if writer.bytes.count >= Self.chunk {
        try write(writer.bytes)
        writer.bytes.removeAll(keepingCapacity: true)
        progress?(count)
      }
    }
    try write(writer.bytes)
    return count
  }

  private func exportPropertyList(
    _ cursor: RowCursor,
    _ write: ([UInt8]) throws -> Void
  ) throws -> Int {
    let mapping = RowPropertyList(cursor.collection)
    var writer = PropertyListWriter(.xml)
    var count = 0
    writer.beginArray()
    while let row = try cursor.next() {
      try mapping.write(row, to: &writer)
      count += 1
      if writer.bytes.count >= Self.chunk {
        try write(writer.bytes)
        writer.bytes.removeAll(keepingCapacity: true)
        progress?(count)
      }
    }
    writer.endArray()
    writer.finish()
    try write(writer.bytes)
    return count
  }
}
