extension ReadTransaction {
  /// The records with those keys, in the order of the keys, nil where there is none.
  ///
  /// An engine that runs queries is asked once for up to `manyLimit` keys of one field.
  /// - Throws: as `get(_:in:)`.
  public final func get(_ keys: [Key], in collection: String) throws -> [Record?] {
    let collection = try self.collection(collection)
    var records = [Record?](repeating: nil, count: keys.count)
    try forEachRow(keys, in: collection) { index, row in
      records[index] = try collection.record(row)
    }
    return records
  }

  /// How many keys one question to the engine holds.
  static var manyLimit: Int { 500 }

  /// Calls `body` with the place of a key and its row, for each key that has one, in any order.
  final func forEachRow(
    _ keys: [Key],
    in collection: Collection,
    _ body: (Int, RowView) throws -> Void
  ) throws {
    var start = 0
    if keys.count > 1, collection.keyPositions.count == 1 {
      while start < keys.count {
        let end = min(start + Self.manyLimit, keys.count)
        guard try askOnce(keys[start..<end], collection, body) else { break }
        start = end
      }
    }
    for index in start..<keys.count {
      if let row = try get(keys[index], in: collection) { try body(index, row) }
    }
  }

  /// The rows of keys by one query; false, and no row, from an engine that runs none.
  private func askOnce(
    _ keys: ArraySlice<Key>,
    _ collection: Collection,
    _ body: (Int, RowView) throws -> Void
  ) throws -> Bool {
    try checkOpen()
    try checkCurrent(collection)
    let position = collection.keyPositions[0]
    var places: [Value: [Int]] = [:]
    for index in keys.indices {
      try load(keys[index], collection)
      places[try keyBuffer.view.value(0), default: []].append(index)
    }
    let query = BoundQuery(
      collection: collection,
      filter: .isIn(position, ValueSet(Array(places.keys))),
      order: [BoundQuery.Order(position)],
      limit: nil,
      offset: 0
    )
    let opened = try perform { () throws(StorageError) in
      try QueryExecutor.runNatively(query, on: reader)
    }
    guard let cursor = opened else { return false }
    defer { cursor.close() }
    while let row = try perform({ () throws(StorageError) in try cursor.next() }) {
      for index in places[try row.value(position)] ?? [] { try body(index, row) }
    }
    return true
  }
}
