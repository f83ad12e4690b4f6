/// The one mapping between stored rows and natural JSON, for archives, exports and the tool.
///
/// An object with the fields' names; `bool` is true or false, `date` RFC 3339 text, `uuid` its text
/// in upper case, `blob` base64, `decimal` its digits as a string, `json` the nested value, an
/// infinite real `"Infinity"` or `"-Infinity"`. In a field of type `any` a blob is
/// `{"blob": "…"}` and an infinity `{"real": "Infinity"}`; in a `json` field, a stored null or text
/// that is not canonical is `{"$json": …}`. What ``write(_:to:)`` writes, ``read(from:into:)``
/// reads back to the same values, bit for bit.
///
/// Holds scratch memory: use one for many rows, on one thread.
public final class RowJSON {
  /// The collection whose rows are read and written.
  public let collection: Collection
  let fields: [Int]
  private let omitsNulls: Bool
  private let usesDefaults: Bool
  private let quotedKeys: [[UInt8]]
  /// Each field's name as bytes, to match keys without making strings.
  private let names: [[UInt8]]
  /// For each field whether the row that is being read has it.
  private var isPresent: [Bool]

  /// Prepares the mapping of a collection.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - fields: the positions to write, in order; nil for all.
  ///   - omitsNulls: whether null fields are left out when writing.
  ///   - usesDefaults: whether a field that is absent takes its default when reading, not null.
  public init(
    _ collection: Collection,
    fields: [Int]? = nil,
    omitsNulls: Bool = false,
    usesDefaults: Bool = true
  ) {
    self.collection = collection
    self.fields = fields ?? Array(collection.fields.indices)
    self.omitsNulls = omitsNulls
    self.usesDefaults = usesDefaults
    quotedKeys = collection.fields.map { JSONWriter.quotedKey($0.name) }
    names = collection.fields.map { Array($0.name.utf8) }
    isPresent = Array(repeating: false, count: collection.fields.count)
  }

  /// Writes a row as an object.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a value does not fit its field's type or is not
  ///   UTF-8.
  public func write(_ row: RowView, to writer: inout JSONWriter) throws(StorageError) {
    writer.beginObject()
    for position in fields {
      if omitsNulls, row.isNull(position) { continue }
      writer.key(quoted: quotedKeys[position])
      try ValueJSON.write(
        row,
        position,
        collection.fields[position],
        in: collection.name,
        to: &writer
      )
    }
    writer.endObject()
  }

  /// Reads the object that comes next.
  ///
  /// - Throws: as ``readMembers(from:into:)``; ``StorageError/Code/typeMismatch`` if it is no
  ///   object.
  public func read(
    from reader: inout JSONReader,
    into row: RowBuffer
  ) throws(StorageError) {
    let token = try reader.next()
    guard token == .beginObject else {
      throw reader.error(
        .typeMismatch,
        "a record of \(collection.name) is an object, not \(token.name)"
      )
    }
    try readMembers(from: &reader, into: row)
  }

  /// Reads the rest of an object whose ``JSONToken/beginObject`` has been taken.
  ///
  /// Checks types, but not whether required fields are there; the store does that.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` (a name that occurs twice included),
  ///   ``StorageError/Code/unknownField``, ``StorageError/Code/typeMismatch`` and
  ///   ``StorageError/Code/invalidValue`` naming the field and the place.
  public func readMembers(
    from reader: inout JSONReader,
    into row: RowBuffer
  ) throws(StorageError) {
    row.reset(count: names.count)
    for index in isPresent.indices { isPresent[index] = false }
    var expected = 0
    while try reader.next() == .key {
      let position = try position(of: reader.bytes, expected, reader)
      let token = try reader.next()
      try ValueJSON.read(
        token,
        from: &reader,
        collection.fields[position],
        in: collection.name,
        into: row,
        position
      )
      isPresent[position] = true
      expected = position + 1
    }
    guard usesDefaults else { return }
    for position in isPresent.indices where !isPresent[position] {
      if let value = collection.fields[position].defaultValue { row.set(position, value) }
    }
  }

  private func position(
    of name: UnsafeRawBufferPointer,
    _ expected: Int,
    _ reader: borrowing JSONReader
  ) throws(StorageError) -> Int {
    // Records tend to have their fields in the declared order.
    if expected < names.count, isEqual(name, names[expected]) { return expected }
    if names.count <= 16 {
      for index in names.indices where isEqual(name, names[index]) { return index }
    } else {
      // Equal strings may differ in their bytes; names are compared by bytes.
      let text = String(decoding: name, as: UTF8.self)
      if let position = collection.positions[text], isEqual(name, names[position]) {
        return position
      }
    }
    let text = String(decoding: name, as: UTF8.self)
    throw reader.error(
      .unknownField,
      "collection \(collection.name) has no field \(text.debugDescription); it has "
        + collection.fields.map(\.name).joined(separator: ", ") + ";"
    )
  }

  private func isEqual(_ bytes: UnsafeRawBufferPointer, _ name: [UInt8]) -> Bool {
    bytes.count == name.count
      && name.withUnsafeBytes { Bytes.compare(bytes, $0) == 0 }
  }
}
