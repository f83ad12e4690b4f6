/// Queries by `#Predicate` or by conditions on key paths.
///
/// Each is translated to a ``Filter``, which the store runs; one that cannot be translated is an
/// error, no row is read, and nothing is loaded to be filtered afterwards. What is asked often is
/// cheaper as a ``Selection``, which keeps the translated form; see ``where(_:)``.
extension Repository {
  /// The filter that says the same as a predicate or a condition.
  ///
  /// - Throws: as ``RecordCondition/filter(for:)``.
  public func filter(_ condition: some RecordCondition<M>) throws -> Filter {
    try condition.filter(for: M.self)
  }

  // MARK: In a transaction

  /// The records that match, in the given order, else by key.
  ///
  /// - Throws: as ``fetch(where:sort:limit:offset:in:)``, and as ``filter(_:)``.
  public func fetch(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    in transaction: ReadTransaction
  ) throws -> [M] {
    try fetch(
      where: try filter(condition),
      sort: sort,
      limit: limit,
      offset: offset,
      in: transaction
    )
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  ///
  /// - Throws: as ``page(where:sort:limit:after:in:)``, and as ``filter(_:)``.
  public func page(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil,
    in transaction: ReadTransaction
  ) throws -> Page<M> {
    try page(where: try filter(condition), sort: sort, limit: limit, after: after, in: transaction)
  }

  /// How many records match.
  ///
  /// - Throws: as ``count(where:in:)``, and as ``filter(_:)``.
  public func count(
    where condition: some RecordCondition<M>,
    in transaction: ReadTransaction
  ) throws -> Int {
    try count(where: try filter(condition), in: transaction)
  }

  /// Removes the records that match and says how many there were.
  ///
  /// - Throws: as ``deleteAll(where:in:)``, and as ``filter(_:)``.
  @discardableResult
  public func delete(
    where condition: some RecordCondition<M>,
    in transaction: WriteTransaction
  ) throws -> Int {
    try deleteAll(where: try filter(condition), in: transaction)
  }

  /// Changes properties of the records that match, all or none, and says how many there were.
  ///
  /// No model is loaded.
  /// - Throws: as ``Selection/update(set:in:)``, and as ``filter(_:)``.
  @discardableResult
  public func update(
    where condition: some RecordCondition<M>,
    set assignments: Assignment<M>...,
    in transaction: WriteTransaction
  ) throws -> Int {
    try `where`(condition).update(set: assignments, in: transaction)
  }

  // MARK: Asynchronous

  /// The records that match, in the given order, else by key.
  public func fetch(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) async throws -> [M] {
    try await fetch(where: try filter(condition), sort: sort, limit: limit, offset: offset)
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  public func page(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) async throws -> Page<M> {
    try await page(where: try filter(condition), sort: sort, limit: limit, after: after)
  }

  /// How many records match.
  public func count(where condition: some RecordCondition<M>) async throws -> Int {
    try await count(where: try filter(condition))
  }

  /// Removes the records that match and says how many there were.
  @discardableResult
  public func delete(where condition: some RecordCondition<M>) async throws -> Int {
    try await deleteAll(where: try filter(condition))
  }

  /// Changes properties of the records that match, all or none, and says how many there were.
  @discardableResult
  public func update(
    where condition: some RecordCondition<M>,
    set assignments: Assignment<M>...
  ) async throws -> Int {
    let selection = try `where`(condition)
    return try await store.write { try selection.update(set: assignments, in: $0) }
  }

  // MARK: Synchronous

  /// The records that match, in the given order, else by key.
  @available(*, noasync, message: "use the asynchronous version")
  public func fetch(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> [M] {
    try fetch(where: try filter(condition), sort: sort, limit: limit, offset: offset)
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(
    where condition: some RecordCondition<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) throws -> Page<M> {
    try page(where: try filter(condition), sort: sort, limit: limit, after: after)
  }

  /// How many records match.
  @available(*, noasync, message: "use the asynchronous version")
  public func count(where condition: some RecordCondition<M>) throws -> Int {
    try count(where: try filter(condition))
  }

  /// Removes the records that match and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func delete(where condition: some RecordCondition<M>) throws -> Int {
    try deleteAll(where: try filter(condition))
  }

  /// Changes properties of the records that match, all or none, and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func update(
    where condition: some RecordCondition<M>,
    set assignments: Assignment<M>...
  ) throws -> Int {
    let selection = try `where`(condition)
    return try store.write { try selection.update(set: assignments, in: $0) }
  }
}
