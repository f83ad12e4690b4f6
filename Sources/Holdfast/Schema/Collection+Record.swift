extension Collection {
  /// The key of a full row.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a text is not UTF-8.
  public func key(of row: RowView) throws(StorageError) -> Key {
    if keyPositions.count == 1 { return Key(try row.value(keyPositions[0])) }
    var parts: [Value] = []
    for position in keyPositions { parts.append(try row.value(position)) }
    return Key(parts)
  }

  /// An owned record from a borrowed row.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` for a stored value of another type than declared.
  public func record(_ row: RowView) throws(StorageError) -> Record {
    guard row.count == fields.count else {
      throw StorageError(
        .corrupt,
        "a stored record of \(name) has \(row.count) fields, not \(fields.count)"
      )
    }
    for index in 0..<row.count where !row.isNull(index) {
      if let kind = fields[index].type.storedKind, row.kind(index) != kind {
        throw StorageError(
          .corrupt,
          "field \(fields[index].name) of a stored record of \(name) holds \(row.kind(index)), "
            + "not \(fields[index].type)"
        )
      }
    }
    return Record(self, values: try row.values())
  }
}
