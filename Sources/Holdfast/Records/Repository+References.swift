/// Following references: from a page of models to those that they refer to, and back.
///
/// ```swift
/// let pairs = try await store.read { transaction in
///   let page = try statuses.fetch(sort: [.descending(\.id)], limit: 20, in: transaction)
///   return zip(page, try users.referenced(by: \.user, of: page, in: transaction))
/// }
/// ```
///
/// Everything is looked up in one batch and one snapshot, each record once, and comes back in the
/// order of what was asked for.
extension Repository {
  // MARK: In a transaction

  /// The records that models refer to by a property, in the order of the models.
  ///
  /// Each is looked up once, in key order, by as few questions to the engine as it offers; nil where
  /// there is none. O(n log n).
  /// - Throws: as `get(_:in:)`.
  public func referenced<Source, Value: KeyConvertible>(
    by property: KeyPath<Source, Value>,
    of models: [Source],
    in transaction: ReadTransaction
  ) throws -> [M?] {
    try records(with: try models.map { try $0[keyPath: property].storedKey() }, in: transaction)
  }

  /// The records that models refer to by a property that may be nil, in the order of the models.
  ///
  /// Nil for a model that refers to none.
  /// - Throws: as `get(_:in:)`.
  public func referenced<Source, Value: KeyConvertible>(
    by property: KeyPath<Source, Value?>,
    of models: [Source],
    in transaction: ReadTransaction
  ) throws -> [M?] {
    try records(with: try models.map { try $0[keyPath: property]?.storedKey() }, in: transaction)
  }

  /// The records with those keys, in their order; each is looked up once, in key order.
  ///
  /// For references of several properties: `seats.records(with: try tickets.map { try Key(parts:
  /// $0.hall, $0.number) }, in: transaction)`. Nil for a nil key and where there is no record.
  /// - Throws: as `get(_:in:)`.
  public func records(with keys: [Key?], in transaction: ReadTransaction) throws -> [M?] {
    guard let source = try collection(in: transaction) else {
      return Array(repeating: nil, count: keys.count)
    }
    let decoder = RowDecoder(source.layout)
    let wanted = Set(keys.compactMap { $0 }).sorted { Key.compare($0, $1) < 0 }
    var found: [Key: M] = [:]
    try transaction.forEachRow(wanted, in: source.collection) {
      found[wanted[$0]] = try decoder.decode(M.self, from: $1)
    }
    return keys.map { key in key.flatMap { found[$0] } }
  }

  /// The filter for the records that refer to a model by some properties: to count, page or delete
  /// them.
  ///
  /// - Parameters:
  ///   - target: the model that is referred to.
  ///   - properties: the referring properties, in the order of the target's key.
  /// - Returns: the filter.
  /// - Throws: ``StorageError/Code/invalidValue`` for a target without a key;
  ///   ``StorageError/Code/invalidSchema`` for a key path that is no stored field, or for more or
  ///   fewer of them than the target's key has.
  public func filter<Target: Model>(
    referringTo target: Target,
    by properties: any PartialKeyPath<M> & Sendable...
  ) throws -> Filter {
    filter(
      try referringFields(properties, Target.self),
      try Target.schema.resolved().key(of: target)
    )
  }

  /// The records that refer to a model by some properties, in the given order, else by key.
  ///
  /// O(log n + m) for m of them, by the index that a reference has.
  /// - Throws: as `filter(referringTo:by:)` and `fetch(where:sort:limit:offset:in:)`.
  public func referring<Target: Model>(
    to target: Target,
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    in transaction: ReadTransaction
  ) throws -> [M] {
    try related(to: [target], by: properties, sort: sort, limit: limit, in: transaction)[0]
  }

  /// For each of several models the records that refer to it, in the order of the models.
  ///
  /// One query without a limit, for a reference of one property; else one for each model.
  /// - Parameters:
  ///   - targets: the models that are referred to.
  ///   - properties: the referring properties, in the order of the targets' key.
  ///   - sort: the order among those that refer to the same one; by key if none is given.
  ///   - limit: the most for each of them.
  ///   - transaction: the transaction.
  /// - Returns: an array of records for each target.
  /// - Throws: as `filter(referringTo:by:)` and `fetch(where:sort:limit:offset:in:)`.
  public func referring<Target: Model>(
    to targets: [Target],
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    in transaction: ReadTransaction
  ) throws -> [[M]] {
    try related(to: targets, by: properties, sort: sort, limit: limit, in: transaction)
  }

  // MARK: Asynchronous

  /// The records that models refer to by a property, in the order of the models; nil where there is
  /// none.
  public func referenced<Source: Sendable, Value: KeyConvertible>(
    by property: any KeyPath<Source, Value> & Sendable,
    of models: [Source]
  ) async throws -> [M?] {
    try await store.read { try self.referenced(by: property, of: models, in: $0) }
  }

  /// The records that models refer to by a property that may be nil, in the order of the models.
  public func referenced<Source: Sendable, Value: KeyConvertible>(
    by property: any KeyPath<Source, Value?> & Sendable,
    of models: [Source]
  ) async throws -> [M?] {
    try await store.read { try self.referenced(by: property, of: models, in: $0) }
  }

  /// The records that refer to a model by some properties, in the given order, else by key.
  public func referring<Target: Model>(
    to target: Target,
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil
  ) async throws -> [M] {
    try await store.read {
      try self.related(to: [target], by: properties, sort: sort, limit: limit, in: $0)[0]
    }
  }

  /// For each of several models the records that refer to it, in the order of the models.
  public func referring<Target: Model>(
    to targets: [Target],
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil
  ) async throws -> [[M]] {
    try await store.read {
      try self.related(to: targets, by: properties, sort: sort, limit: limit, in: $0)
    }
  }

  // MARK: Synchronous

  /// The records that models refer to by a property, in the order of the models; nil where there is
  /// none.
  @available(*, noasync, message: "use the asynchronous version")
  public func referenced<Source, Value: KeyConvertible>(
    by property: KeyPath<Source, Value>,
    of models: [Source]
  ) throws -> [M?] {
    try store.read { try self.referenced(by: property, of: models, in: $0) }
  }

  /// The records that models refer to by a property that may be nil, in the order of the models.
  @available(*, noasync, message: "use the asynchronous version")
  public func referenced<Source, Value: KeyConvertible>(
    by property: KeyPath<Source, Value?>,
    of models: [Source]
  ) throws -> [M?] {
    try store.read { try self.referenced(by: property, of: models, in: $0) }
  }

  /// The records that refer to a model by some properties, in the given order, else by key.
  @available(*, noasync, message: "use the asynchronous version")
  public func referring<Target: Model>(
    to target: Target,
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil
  ) throws -> [M] {
    try store.read {
      try self.related(to: [target], by: properties, sort: sort, limit: limit, in: $0)[0]
    }
  }

  /// For each of several models the records that refer to it, in the order of the models.
  @available(*, noasync, message: "use the asynchronous version")
  public func referring<Target: Model>(
    to targets: [Target],
    by properties: any PartialKeyPath<M> & Sendable...,
    sort: [SortKey<M>] = [],
    limit: Int? = nil
  ) throws -> [[M]] {
    try store.read {
      try self.related(to: targets, by: properties, sort: sort, limit: limit, in: $0)
    }
  }
}

extension Repository {
  fileprivate typealias Properties = [any PartialKeyPath<M> & Sendable]

  private func referringFields<Target: Model>(_ properties: Properties, _ target: Target.Type)
    throws(StorageError) -> [String]
  {
    let resolved = try resolved()
    let key = try Target.schema.resolved().definition.key
    guard properties.count == key.count else {
      throw StorageError(
        .invalidSchema,
        "\(Target.self) has the key \(key.joined(separator: ", ")); name as many properties of "
          + "\(M.self) that refer to it, not \(properties.count)"
      )
    }
    var fields: [String] = []
    for path in properties { fields.append(resolved.layout.names[try resolved.position(of: path)]) }
    return fields
  }

  private func filter(_ fields: [String], _ key: Key) -> Filter {
    let parts = zip(fields, key.values).map { Filter.equal($0, $1) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  fileprivate func related<Target: Model>(
    to targets: [Target],
    by properties: Properties,
    sort: [SortKey<M>],
    limit: Int?,
    in transaction: ReadTransaction
  ) throws -> [[M]] {
    let fields = try referringFields(properties, Target.self)
    let schema = try Target.schema.resolved()
    let keys = try targets.map { try schema.key(of: $0) }
    let position = try collection(in: transaction)?.collection.positions[fields[0]]
    guard let position, fields.count == 1, limit == nil, targets.count > 1 else {
      return try keys.map { key in
        try fetch(where: filter(fields, key), sort: sort, limit: limit, in: transaction)
      }
    }
    // In the order of the index, so that rows of one target come together and need no sorting.
    var query = try query(.isIn(fields[0], keys.map { $0[0] }), sort, limit: nil)
    query.sort.insert(.ascending(fields[0]), at: 0)
    guard let source = try source(of: query, in: transaction) else {
      return Array(repeating: [], count: targets.count)
    }
    let decoder = RowDecoder(source.layout)
    let cursor = try transaction.rows(source.query)
    defer { cursor.close() }
    var found: [Key: [M]] = [:]
    while let row = try cursor.next() {
      found[Key(try row.value(position)), default: []].append(
        try decoder.decode(M.self, from: row)
      )
    }
    return keys.map { found[$0] ?? [] }
  }
}
