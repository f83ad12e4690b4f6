/// Single properties, figures and groups inside a transaction.
extension Selection {
  /// Some properties of each record as a tuple, in the records' order; nothing else is decoded.
  ///
  /// ```swift
  /// for (id, name) in try await users.all.values(\.id, \.name) { … }
  /// ```
  /// - Throws: as ``fetch(in:)``; ``StorageError/Code/invalidSchema`` for a key path that is no
  ///   stored property.
  public func values<each V: Decodable & Sendable>(
    _ properties: repeat any KeyPath<M, each V> & Sendable,
    in transaction: ReadTransaction
  ) throws -> [(repeat each V)] {
    let fields = (repeat Field(try position(of: each properties, in: transaction), (each V).self))
    var values: [(repeat each V)] = []
    try repository.forEachRow(query, in: transaction) { row, decoder in
      values.append((repeat try (each fields).decode(row, decoder)))
    }
    return values
  }

  /// One property of each record, in the records' order; nothing else is decoded.
  ///
  /// - Throws: as ``fetch(in:)``; ``StorageError/Code/invalidSchema`` for a key path that is no
  ///   stored property.
  public func values<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    in transaction: ReadTransaction
  ) throws -> [V] {
    let field = Field(try position(of: property, in: transaction), V.self)
    var values: [V] = []
    try repository.forEachRow(query, in: transaction) { row, decoder in
      values.append(try field.decode(row, decoder))
    }
    return values
  }

  /// One figure over the records.
  ///
  /// ```swift
  /// let total = try await orders.all.figure(.sum(\.price))
  /// ```
  /// - Throws: as `figures(_:in:)`.
  public func figure<Outcome: Sendable>(
    _ figure: Figure<M, Outcome>,
    in transaction: ReadTransaction
  ) throws -> Outcome {
    let schema = try repository.resolved()
    let (rows, layout) = try aggregate(figure, by: [], schema, transaction)
    return try figure.outcome(rows[0][0], layout, schema)
  }

  /// Figures over the records, all in one pass, as a tuple.
  ///
  /// - Throws: ``StorageError/Code/overflow``; ``StorageError/Code/typeMismatch`` for a property
  ///   that has no such figure; ``StorageError/Code/unknownField`` for one that the store's
  ///   collection is still to get; ``StorageError/Code/invalidQuery`` for a selection with a limit, an
  ///   offset or a token; ``StorageError/Code/invalidSchema``.
  public func figures<each Outcome: Sendable>(
    _ figures: repeat Figure<M, each Outcome>,
    in transaction: ReadTransaction
  ) throws -> (repeat each Outcome) {
    let schema = try repository.resolved()
    let (rows, layout) = try aggregate(repeat each figures, by: [], schema, transaction)
    var next = 0
    return (repeat try outcome(of: each figures, rows[0], &next, layout, schema))
  }

  /// Figures a group at a time: records with equal values of some properties are one group.
  ///
  /// ```swift
  /// for (city, count) in try await users.all.groups(by: \.city, figures: .count) { … }
  /// ```
  /// - Returns: the groups in ascending order of their keys, null first.
  /// - Throws: as ``figures(_:in:)``.
  public func groups<each Key: Decodable & Sendable, each Outcome: Sendable>(
    by properties: repeat any KeyPath<M, each Key> & Sendable,
    figures: repeat Figure<M, each Outcome>,
    in transaction: ReadTransaction
  ) throws -> [(key: (repeat each Key), figures: (repeat each Outcome))] {
    let schema = try repository.resolved()
    var positions: [Int] = []
    for property in repeat each properties { positions.append(try schema.position(of: property)) }
    let (rows, layout) = try aggregate(repeat each figures, by: positions, schema, transaction)
    return try rows.map { row in
      var next = 0
      let key = (repeat try key((each Key).self, row, positions, &next, layout))
      return (key: key, figures: (repeat try outcome(of: each figures, row, &next, layout, schema)))
    }
  }

  // MARK: Parts

  /// Where a property is, and what it is decoded as.
  private struct Field<V: Decodable> {
    let position: Int
    init(_ position: Int, _ type: V.Type) { self.position = position }

    func decode(_ row: RowView, _ decoder: RowDecoder) throws -> V {
      try decoder.decode(V.self, at: position, of: row)
    }
  }

  /// The position of a property in the store's collection, whose fields may be in another order.
  private func position(
    of property: AnyKeyPath,
    in transaction: ReadTransaction
  ) throws(StorageError) -> Int {
    let schema = try repository.resolved()
    let position = try schema.position(of: property)
    guard let source = try repository.collection(in: transaction) else { return position }
    let name = schema.layout.names[position]
    guard let found = source.layout.position(name, next: position) else {
      throw source.layout.missing(name)
    }
    return found
  }

  private func aggregate<each Outcome: Sendable>(
    _ figures: repeat Figure<M, each Outcome>,
    by positions: [Int],
    _ schema: ResolvedSchema<M>,
    _ transaction: ReadTransaction
  ) throws -> ([[Value]], RowLayout) {
    if query.limit != nil || query.offset != 0 || query.after != nil {
      throw StorageError(
        .invalidQuery,
        "figures are of all records that match; leave out the limit, the offset and the token"
      )
    }
    var aggregates: [Aggregate] = []
    for figure in repeat each figures { aggregates.append(try figure.aggregate(schema)) }
    let all = Query(query.collection, where: query.filter)
    guard let source = try repository.source(of: all, in: transaction) else {
      let none = aggregates.map { $0 == .count ? Value.integer(0) : .null }
      return (positions.isEmpty ? [none] : [], schema.layout)
    }
    do {
      let rows = try transaction.aggregate(
        source.collection.name,
        aggregates,
        groupBy: positions.map { schema.layout.names[$0] },
        where: source.query.filter
      )
      return (rows, schema.layout)
    } catch {
      if error.code != .unknownField || source.layout.absent == nil { throw error }
      throw StorageError(
        .unknownField,
        "\(error.message); the store is not yet as \(M.self) declares it: prepare it first",
        underlying: error
      )
    }
  }

  private func outcome<Outcome: Sendable>(
    of figure: Figure<M, Outcome>,
    _ row: [Value],
    _ next: inout Int,
    _ layout: RowLayout,
    _ schema: ResolvedSchema<M>
  ) throws -> Outcome {
    defer { next += 1 }
    return try figure.outcome(row[next], layout, schema)
  }

  private func key<Key: Decodable>(
    _ type: Key.Type,
    _ row: [Value],
    _ positions: [Int],
    _ next: inout Int,
    _ layout: RowLayout
  ) throws -> Key {
    defer { next += 1 }
    return try row[next].decoded(type, at: positions[next], of: layout)
  }
}
