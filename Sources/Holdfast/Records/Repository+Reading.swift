/// Reading inside a transaction.
extension Repository {
  /// The record with that key, or nil.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch`` for a key of the wrong shape, or for a record that
  ///   the model cannot hold; ``StorageError/Code/corrupt`` for a damaged one.
  public func get(_ key: some KeyConvertible, in transaction: ReadTransaction) throws -> M? {
    guard let source = try collection(in: transaction),
      let row = try transaction.get(try key.storedKey(), in: source.collection)
    else { return nil }
    return try withDecoder(source.layout, in: transaction) { try $0.decode(M.self, from: row) }
  }

  /// The records with those keys, in the order of the keys; nil where there is none.
  ///
  /// - Throws: as `get(_:in:)`.
  public func get(_ keys: [some KeyConvertible], in transaction: ReadTransaction) throws -> [M?] {
    guard let source = try collection(in: transaction) else {
      return Array(repeating: nil, count: keys.count)
    }
    let decoder = RowDecoder(source.layout)
    var models = [M?](repeating: nil, count: keys.count)
    try transaction.forEachRow(try keys.map { try $0.storedKey() }, in: source.collection) {
      models[$0] = try decoder.decode(M.self, from: $1)
    }
    return models
  }

  /// The records that match, in the given order, else by key; ties by key.
  ///
  /// No limit means all of them. Of a collection that was never written, there are none.
  /// - Throws: ``StorageError/Code/unknownField``, ``StorageError/Code/typeMismatch``,
  ///   ``StorageError/Code/invalidQuery``, ``StorageError/Code/invalidSchema`` for a key path that
  ///   is no stored field.
  public func fetch(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    in transaction: ReadTransaction
  ) throws -> [M] {
    let query = try query(filter, sort, limit: limit, offset: offset)
    return try models(M.self, of: query, in: transaction)
  }

  /// The records of a query, as models of this or another type; `isStrict` as in ``RowDecoder``.
  func models<T: Decodable>(
    _ type: T.Type,
    of query: Query,
    isStrict: Bool = false,
    in transaction: ReadTransaction
  ) throws -> [T] {
    guard let source = try source(of: query, in: transaction) else { return [] }
    let cursor = try transaction.rows(source.query)
    defer { cursor.close() }
    let decoder = RowDecoder(source.layout)
    decoder.isStrict = isStrict
    var models = ModelBuffer<T>(limit: query.limit)
    while let row = try cursor.next() { try models.append(row, decoder) }
    return models.takeAll()
  }

  /// Calls `body` with each record that matches, one at a time: memory does not grow with them.
  ///
  /// - Throws: as `fetch(where:sort:limit:offset:in:)`; what the body throws.
  public func forEach(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    in transaction: ReadTransaction,
    _ body: (M) throws -> Void
  ) throws {
    try forEachRow(try query(filter, sort, limit: limit, offset: offset), in: transaction) {
      try body(try $1.decode(M.self, from: $0))
    }
  }

  /// Calls `body` with each row of a query, and what decodes it.
  func forEachRow(
    _ query: Query,
    in transaction: ReadTransaction,
    _ body: (RowView, RowDecoder) throws -> Void
  ) throws {
    guard let source = try source(of: query, in: transaction) else { return }
    let cursor = try transaction.rows(source.query)
    defer { cursor.close() }
    let decoder = RowDecoder(source.layout)
    while let row = try cursor.next() { try body(row, decoder) }
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  ///
  /// - Throws: as `fetch(where:sort:limit:offset:in:)`; ``StorageError/Code/invalidCursor``.
  public func page(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil,
    in transaction: ReadTransaction
  ) throws -> Page<M> {
    let query = try query(filter, sort, limit: limit, after: after)
    guard let source = try source(of: query, in: transaction) else {
      return Page(elements: [], next: nil)
    }
    let decoder = RowDecoder(source.layout)
    return try transaction.page(source.query) { _, row throws in
      try decoder.decode(M.self, from: row)
    }
  }

  /// How many records match.
  ///
  /// - Throws: as `fetch(where:sort:limit:offset:in:)`.
  public func count(where filter: Filter = .all, in transaction: ReadTransaction) throws -> Int {
    let all = Query(collectionName, where: filter)
    guard let source = try source(of: all, in: transaction) else { return 0 }
    return try transaction.count(source.collection.name, where: source.query.filter)
  }
}
