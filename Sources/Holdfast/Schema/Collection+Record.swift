extension Collection {
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
