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
      try load(PropertyListRecordReader(bytes, collection), name, collection, writer)
    }
  }

  private static func load<Reader: RecordReading>(
    _ open: @autoclosure () throws(StorageError) -> Reader,
    _ name: String,
    _ collection: Collection,
    _ writer: some StorageWriter
  ) throws(StorageError) {
    let row = RowBuffer(count: collection.fields.count)
    var record = 1
    do throws(StorageError) {
      let reader = try open()
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
    case .json: try write(JSONRecordWriter(collection), collection, reader, file)
    case .xml: try write(PropertyListRecordWriter(collection, .xml), collection, reader, file)
    case .binary: try write(PropertyListRecordWriter(collection, .binary), collection, reader, file)
    }
  }

  private static func write(
    _ form: some RecordWriting,
    _ collection: Collection,
    _ reader: some StorageReader,
    _ file: FileWriter
  ) throws(StorageError) {
    var form = form
    let cursor = try reader.scan(Scan(collection))
    defer { cursor.close() }
    while let row = try cursor.next() { try form.append(row, to: file) }
    try form.end(file)
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
