import Holdfast

/// Records as JSON on the command line.
enum RecordText {
  /// A record's row, from a JSON object; absent fields take their default, else null.
  static func row(_ text: String, in collection: Collection) throws(StorageError) -> RowBuffer {
    let row = RowBuffer()
    let mapping = RowJSON(collection)
    try JSONText.parse(text) { (reader) throws(StorageError) in
      try mapping.read(from: &reader, into: row)
    }
    return row
  }

  /// The fields that a JSON object names, for a partial update.
  static func changes(_ text: String, in collection: Collection) throws(StorageError)
    -> [String: Value]
  {
    let row = RowBuffer(count: 1)
    return try JSONText.parse(text) { (reader) throws(StorageError) in
      guard try reader.next() == .beginObject else {
        throw StorageError(
          .typeMismatch,
          "the changes to a record of \(collection.name) are a JSON object"
        )
      }
      var changes: [String: Value] = [:]
      while try reader.next() == .key {
        let field = collection.fields[try collection.position(of: reader.text)]
        let token = try reader.next()
        row.reset(count: 1)
        try ValueJSON.read(token, from: &reader, field, in: collection.name, into: row, 0)
        changes[field.name] = try row.view.value(0)
      }
      return changes
    }
  }

  /// The key of a row that was written.
  static func key(_ row: RowView, automatic: Int64?, in collection: Collection)
    throws(StorageError) -> Key
  {
    if let automatic { return Key(.integer(automatic)) }
    var parts: [Value] = []
    for position in collection.keyPositions { parts.append(try row.value(position)) }
    return Key(parts)
  }
}
