/// Each in a transaction of its own, for asynchronous code.
extension Repository {
  /// Adds a record and returns it with its automatic key; see ``insert(_:in:)``.
  @discardableResult
  public func insert(_ model: M) async throws -> M {
    try await store.write { try self.insert(model, in: $0) }
  }

  /// Adds records in one transaction, all or none; see ``insert(contentsOf:in:)``.
  @discardableResult
  public func insert(contentsOf models: [M]) async throws -> [M] {
    try await store.write { try self.insert(contentsOf: models, in: $0) }
  }

  /// Replaces the record with the model's key; see ``update(_:in:)``.
  public func update(_ model: M) async throws {
    try await store.write { try self.update(model, in: $0) }
  }

  /// Adds the record, or replaces the one with its key; see ``put(_:in:)``.
  @discardableResult
  public func put(_ model: M) async throws -> M {
    try await store.write { try self.put(model, in: $0) }
  }

  /// Removes the record with that key and says whether there was one.
  @discardableResult
  public func delete(_ key: some KeyConvertible) async throws -> Bool {
    try await store.write { try self.delete(key, in: $0) }
  }

  /// Removes the records that match and says how many there were.
  @discardableResult
  public func deleteAll(where filter: Filter = .all) async throws -> Int {
    try await store.write { try self.deleteAll(where: filter, in: $0) }
  }

  /// The record with that key, or nil; see `get(_:in:)`.
  public func get(_ key: some KeyConvertible) async throws -> M? {
    try await store.read { try self.get(key, in: $0) }
  }

  /// The records with those keys, in their order, nil where there is none.
  public func get(_ keys: [some KeyConvertible]) async throws -> [M?] {
    try await store.read { try self.get(keys, in: $0) }
  }

  /// The records that match; see `fetch(where:sort:limit:offset:in:)`.
  public func fetch(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) async throws -> [M] {
    try await store.read {
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
  public func page(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) async throws -> Page<M> {
    try await store.read {
      try self.page(where: filter, sort: sort, limit: limit, after: after, in: $0)
    }
  }

  /// How many records match.
  public func count(where filter: Filter = .all) async throws -> Int {
    try await store.read { try self.count(where: filter, in: $0) }
  }

  /// Adds a number to a property of the record with that key, and returns its new value; see
  /// `increment(_:by:of:in:)`.
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible
  ) async throws -> V {
    try await store.write { try self.increment(property, by: amount, of: key, in: $0) }
  }

  /// Adds a number to a property of the record with that key, and returns its new value; null
  /// stays null.
  @discardableResult
  public func increment<V: Numeric & Codable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable,
    by amount: V = 1,
    of key: some KeyConvertible
  ) async throws -> V? {
    try await store.write { try self.increment(property, by: amount, of: key, in: $0) }
  }
}
