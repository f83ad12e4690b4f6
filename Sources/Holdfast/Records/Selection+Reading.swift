/// Reading the records inside a transaction.
extension Selection {
  /// The records, in order.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` for a negative limit or offset;
  ///   ``StorageError/Code/invalidCursor``; ``StorageError/Code/typeMismatch`` for a record that the
  ///   model cannot hold; ``StorageError/Code/corrupt``.
  public func fetch(in transaction: ReadTransaction) throws -> [M] {
    try repository.models(M.self, of: query, in: transaction)
  }

  /// The records as smaller models: a type that decodes some of the fields, by their stored names.
  ///
  /// - Throws: as ``fetch(in:)``; ``StorageError/Code/typeMismatch`` for a property that is no field.
  public func fetch<T: Decodable>(as type: T.Type, in transaction: ReadTransaction) throws -> [T] {
    try repository.models(type, of: query, isStrict: true, in: transaction)
  }

  /// Calls `body` with each record, one at a time: memory does not grow with them.
  ///
  /// - Throws: as ``fetch(in:)``; what the body throws.
  public func forEach(in transaction: ReadTransaction, _ body: (M) throws -> Void) throws {
    try repository.forEachRow(query, in: transaction) { row, decoder in
      try body(try decoder.decode(M.self, from: row))
    }
  }

  /// The first record, or nil.
  ///
  /// - Throws: as ``fetch(in:)``.
  public func first(in transaction: ReadTransaction) throws -> M? {
    var query = query
    query.limit = min(query.limit ?? 1, 1)
    var first: M?
    try repository.forEachRow(query, in: transaction) { row, decoder in
      first = try decoder.decode(M.self, from: row)
    }
    return first
  }

  /// Whether there is a record; none is decoded.
  ///
  /// - Throws: as ``fetch(in:)``.
  public func exists(in transaction: ReadTransaction) throws -> Bool {
    var query = query
    query.limit = min(query.limit ?? 1, 1)
    if query.after == nil { query.sort = [] }
    var exists = false
    try repository.forEachRow(query, in: transaction) { _, _ in exists = true }
    return exists
  }

  /// How many records there are, limit and offset taken into account; none is decoded.
  ///
  /// - Throws: as ``fetch(in:)``.
  public func count(in transaction: ReadTransaction) throws -> Int {
    if query.after != nil {
      var count = 0
      try repository.forEachRow(query, in: transaction) { _, _ in count += 1 }
      return count
    }
    try query.checkPart()
    let all = try repository.count(where: query.filter, in: transaction)
    return min(max(0, all - query.offset), query.limit ?? .max)
  }

  /// One page: at most `count` records, and a token that goes on behind them.
  ///
  /// The token is portable between backends and stable under inserts and deletes. A limit of the
  /// selection has no effect.
  /// - Throws: as ``fetch(in:)``; ``StorageError/Code/invalidCursor`` for a token of another query.
  public func page(
    of count: Int,
    after token: PageToken? = nil,
    in transaction: ReadTransaction
  ) throws -> Page<M> {
    var query = query
    query.limit = count
    if let token {
      query.after = token
      query.offset = 0
    }
    guard let source = try repository.source(of: query, in: transaction) else {
      return Page(elements: [], next: nil)
    }
    let decoder = RowDecoder(source.layout)
    return try transaction.page(source.query) { _, row throws in
      try decoder.decode(M.self, from: row)
    }
  }
}
