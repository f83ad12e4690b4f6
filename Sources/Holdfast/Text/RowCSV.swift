/// The one mapping between stored rows and comma-separated values, for exports and the tool.
///
/// Null is an empty field and empty text `""`; `bool` is true or false, blobs are base64, an
/// infinite real is `Infinity` or `-Infinity`, `json` its canonical text. In a field of type `any` a
/// text stands as it is unless it would read as JSON, and other values as ``RowJSON`` writes them.
/// CSV does not say what types its fields have: with the types of the same collection,
/// ``read(from:into:)`` gives the values back that ``write(_:to:)`` wrote.
///
/// Holds scratch memory: use one for many rows, on one thread.
public final class RowCSV {
  /// The collection whose rows are read and written.
  public let collection: Collection
  /// The position of the field in each column.
  private let columns: [Int]
  private var isColumn: [Bool]
  private var scratch = JSONWriter()

  /// Prepares the mapping of a collection with its fields as columns.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - columns: the position of the field in each column; nil for all fields in their order.
  public init(_ collection: Collection, columns: [Int]? = nil) {
    self.collection = collection
    self.columns = columns ?? Array(collection.fields.indices)
    isColumn = Array(repeating: false, count: collection.fields.count)
    for column in self.columns { isColumn[column] = true }
  }

  /// Prepares the mapping by a header that has just been read.
  ///
  /// - Throws: ``StorageError/Code/unknownField`` for a column that is no field;
  ///   ``StorageError/Code/malformedInput`` for a field that has two columns.
  public convenience init(
    _ collection: Collection,
    header reader: borrowing CSVReader
  ) throws(StorageError) {
    var columns: [Int] = []
    for column in 0..<reader.count {
      let name = reader.text(column)
      let position = collection.fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      guard let position else {
        throw reader.error(
          .unknownField,
          "collection \(collection.name) has no field \(name.debugDescription); it has "
            + collection.fields.map(\.name).joined(separator: ", ") + ";"
        )
      }
      guard !columns.contains(position) else {
        throw reader.error(.malformedInput, "the header names \(name.debugDescription) twice")
      }
      columns.append(position)
    }
    self.init(collection, columns: columns)
  }

  // MARK: Writing

  /// Writes the names of the columns.
  public func writeHeader(to writer: inout CSVWriter) {
    for position in columns { writer.field(collection.fields[position].name) }
    writer.endRecord()
  }

  /// Writes a row as a record.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a value does not fit its field's type or is not
  ///   UTF-8.
  public func write(_ row: RowView, to writer: inout CSVWriter) throws(StorageError) {
    for position in columns {
      let field = collection.fields[position]
      try ValueCSV.write(row, position, field, in: collection.name, &scratch, to: &writer)
    }
    writer.endRecord()
  }

  // MARK: Reading

  /// Reads a record that ``CSVReader/next()`` has found into a row.
  ///
  /// A field without a column, and a null one that is required, takes its default. Checks types,
  /// but not whether required fields are there; the store does that.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` for too few or too many fields,
  ///   ``StorageError/Code/typeMismatch`` and ``StorageError/Code/invalidValue`` naming the field
  ///   and the line.
  public func read(
    from reader: borrowing CSVReader,
    into row: RowBuffer
  ) throws(StorageError) {
    guard reader.count == columns.count else {
      throw reader.error(
        .malformedInput,
        "a record has \(reader.count) fields where the header has \(columns.count)"
      )
    }
    row.reset(count: collection.fields.count)
    for (column, position) in columns.enumerated() {
      let field = collection.fields[position]
      if !reader.isNull(column) {
        try read(reader, column, field, into: row, position)
      } else if !field.isOptional, let value = field.defaultValue {
        row.set(position, value)
      }
    }
    for (position, field) in collection.fields.enumerated() where !isColumn[position] {
      if let value = field.defaultValue { row.set(position, value) }
    }
  }

  private func read(
    _ reader: borrowing CSVReader,
    _ column: Int,
    _ field: FieldDefinition,
    into row: RowBuffer,
    _ index: Int
  ) throws(StorageError) {
    let bytes = reader.bytes(column)
    switch field.type {
    case .text: row.setText(index, bytes)
    case .any:
      if ValueCSV.readsAsJSON(bytes), readJSON(bytes, field, into: row, index) { return }
      row.setText(index, bytes)
    case .json:
      guard let canonical = JSON.canonical(bytes) else {
        throw invalid("takes JSON", reader, field)
      }
      canonical.withUnsafeBytes { row.setText(index, $0) }
    case .bool where bytes.elementsEqual("true".utf8): row.setInteger(index, 1)
    case .bool where bytes.elementsEqual("false".utf8): row.setInteger(index, 0)
    case .bool: throw invalid("takes true or false", reader, field)
    case .integer:
      guard let value = Int64(reader.text(column)) else {
        throw invalid("takes integers of 64 bits", reader, field)
      }
      row.setInteger(index, value)
    case .real:
      if let value = ValueJSON.infinity(bytes) {
        row.setReal(index, value)
      } else if readJSON(bytes, field, into: row, index) {
        return
      } else {
        throw invalid("takes numbers", reader, field)
      }
    case .blob:
      guard let blob = Base64.decode(bytes) else {
        throw invalid("takes base64 with padding", reader, field)
      }
      blob.withUnsafeBytes { row.setBlob(index, $0) }
    case .date:
      guard let date = DateCoding.canonical(reader.text(column)) else {
        throw invalid("takes a date as 2026-01-31 or 2026-01-31T12:00:00Z", reader, field)
      }
      row.setText(index, date)
    case .uuid:
      guard let bits = ValueJSON.uuid(bytes) else {
        throw invalid("takes a UUID as 32 hexadecimal digits in five groups", reader, field)
      }
      withUnsafeBytes(of: bits) { row.setBlob(index, $0) }
    case .decimal:
      guard let decimal = DecimalCoding.canonical(reader.text(column)) else {
        throw invalid("takes a decimal number", reader, field)
      }
      row.setText(index, decimal)
    }
  }

  /// Reads a field that is one JSON value that fits the type; false if it is not.
  private func readJSON(
    _ bytes: UnsafeRawBufferPointer,
    _ field: FieldDefinition,
    into row: RowBuffer,
    _ index: Int
  ) -> Bool {
    var reader = JSONReader(ByteSource(bytes))
    do throws(StorageError) {
      let token = try reader.next()
      guard token != .null, field.type == .any || token != .string else { return false }
      try ValueJSON.read(token, from: &reader, field, in: collection.name, into: row, index)
      return try reader.next() == .end
    } catch {
      return false
    }
  }

  private func invalid(
    _ takes: String,
    _ reader: borrowing CSVReader,
    _ field: FieldDefinition
  ) -> StorageError {
    reader.error(.invalidValue, "field \(field.name) of \(collection.name) \(takes)")
  }
}
