import Holdfast

/// The file of records of one collection, in any encoding.
enum RecordFile {
  /// Puts all records of a file into a collection that is empty.
  ///
  /// `name` is the file's, for errors. Which form a property list has is told from its bytes.
  ///
  /// - Throws: `StorageError.Code.corrupt` naming file, record and field.
  static func load(
    _ bytes: UnsafeRawBufferPointer,
    name: String,
    _ collection: Collection,
    _ encoding: ArchiveEncoding,
    into writer: some StorageWriter
  ) throws(StorageError) {
    switch encoding {
    case .json: try load(JSONRecordReader(bytes, collection), name, collection, writer)
    case .xml, .binary:
      // Whoever edits a file may save it in the other form of property lists.
      if bytes.starts(with: "bplist".utf8) {
        try load(BinaryRecordReader(bytes, collection), name, collection, writer)
      } else {
        try load(XMLRecordReader(bytes, collection), name, collection, writer)
      }
    }
  }

  private static func load(
    _ reader: some RecordReading,
    _ name: String,
    _ collection: Collection,
    _ writer: some StorageWriter
  ) throws(StorageError) {
    let row = RowBuffer(count: collection.fields.count)
    var record = 1
    do throws(StorageError) {
      while try reader.next(into: row) {
        try RecordCheck.check(row.view, collection)
        _ = try writer.insert(row.view, into: collection)
        record += 1
      }
    } catch {
      if error.code == .storageFull || error.code == .ioError { throw error }
      throw StorageError(
        .corrupt,
        "\(name), record \(record): \(error.message); mend the file, then open the store again",
        backend: encodingName(name),
        underlying: error
      )
    }
  }

  private static func encodingName(_ name: String) -> String {
    name.hasSuffix(".json") ? ArchiveFormat.json.backend : ArchiveFormat.propertyList.backend
  }

  /// Writes all records of a collection in key order.
  static func write(
    _ collection: Collection,
    _ encoding: ArchiveEncoding,
    from reader: some StorageReader,
    to file: FileWriter
  ) throws(StorageError) {
    switch encoding {
    case .json:
      var writer = JSONRecordWriter(collection)
      try each(collection, reader) { (row) throws(StorageError) in
        try writer.append(row, to: file)
      }
      try writer.end(file)
    case .xml:
      let writer = XMLRecordWriter(collection)
      writer.begin(file.output)
      try each(collection, reader) { (row) throws(StorageError) in
        writer.append(row, to: file.output)
        try file.flushIfLarge()
      }
      writer.end(file.output)
    case .binary:
      var count = 0
      try each(collection, reader) { (row) throws(StorageError) in
        count += BinaryRecordWriter.objectCount(row, collection)
      }
      var writer = BinaryRecordWriter(collection, objectCount: count)
      writer.begin(file)
      try each(collection, reader) { (row) throws(StorageError) in
        try writer.append(row, to: file)
      }
      try writer.end(file)
    }
  }

  private static func each(
    _ collection: Collection,
    _ reader: some StorageReader,
    _ body: (RowView) throws(StorageError) -> Void
  ) throws(StorageError) {
    let cursor = try reader.scan(Scan(collection))
    defer { cursor.close() }
    while let row = try cursor.next() { try body(row) }
  }
}

/// What the types of single fields do not say: required fields, and keys that every backend takes.
enum RecordCheck {
  static func check(_ row: RowView, _ collection: Collection) throws(StorageError) {
    for position in 0..<row.count where row.isNull(position) {
      let field = collection.fields[position]
      if field.isOptional, !collection.keyPositions.contains(position) { continue }
      throw StorageError(.invalidValue, "field \(field.name) is required")
    }
    var length = 0
    for position in collection.keyPositions {
      length += KeyCoding.encodedLength(row, position)
    }
    guard length <= KeyCoding.maximumKeyLength else {
      throw StorageError(
        .keyTooLong,
        "the key takes \(length) bytes, and at most \(KeyCoding.maximumKeyLength) fit"
      )
    }
  }
}
