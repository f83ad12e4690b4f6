/// Each in a transaction of its own, for code that is not asynchronous.
extension Repository {
  /// Adds a record and returns it with its automatic key; see ``insert(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func insert(_ model: M) throws -> M {
    try store.write { try self.insert(model, in: $0) }
  }

  /// Adds records in one transaction, all or none; see ``insert(contentsOf:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func insert(contentsOf models: [M]) throws -> [M] {
    try store.write { try self.insert(contentsOf: models, in: $0) }
  }

  /// Replaces the record with the model's key; see ``update(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func update(_ model: M) throws {
    try store.write { try self.update(model, in: $0) }
  }

  /// Adds the record, or replaces the one with its key; see ``put(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func put(_ model: M) throws -> M {
    try store.write { try self.put(model, in: $0) }
  }

  /// Removes the record with that key and says whether there was one.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func delete(_ key: some KeyConvertible) throws -> Bool {
    try store.write { try self.delete(key, in: $0) }
  }

  /// Removes the records that match and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func deleteAll(where filter: Filter = .all) throws -> Int {
    try store.write { try self.deleteAll(where: filter, in: $0) }
  }

  /// The record with that key, or nil; see `get(_:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func get(_ key: some KeyConvertible) throws -> M? {
    try store.read { try self.get(key, in: $0) }
  }

  /// The records with those keys, in their order, nil where there is none.
  @available(*, noasync, message: "use the asynchronous version")
  public func get(_ keys: [some KeyConvertible]) throws -> [M?] {
    try store.read { try self.get(keys, in: $0) }
  }

  /// The records that match; see `fetch(where:sort:limit:offset:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func fetch(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> [M] {
    try store.read {
      try self.fetch(
        where: filter,
        sort: sort,
        limit: limit,
        offset: offset,
        in: $0
      )
    }
  }

  /// One page of the records that match; see `page(where:sort:limit:after:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) throws -> Page<M> {
    try store.read { try self.page(where: filter, sort: sort, limit: limit, after: after, in: $0) }
  }

  /// How many records match.
  @available(*, noasync, message: "use the asynchronous version")
  public func count(where filter: Filter = .all) throws -> Int {
    try store.read { try self.count(where: filter, in: $0) }
  }

  /// Adds a number to a property of the record with that key, and returns its new value; see
  /// `increment(_:by:of:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible
  ) throws -> V {
    try store.write { try self.increment(property, by: amount, of: key, in: $0) }
  }

  /// Adds a number to a property of the record with that key, and returns its new value; null
  /// stays null.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible
  ) throws -> V? {
    try store.write { try self.increment(property, by: amount, of: key, in: $0) }
  }
}
