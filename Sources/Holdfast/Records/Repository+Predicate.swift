public import Foundation

/// Queries by `#Predicate`.
///
/// The predicate is translated to a ``Filter``, which the store runs; one that cannot be translated
/// is an error, and nothing is loaded to be filtered afterwards. Text is compared by bytes, where
/// Swift's own operators see characters; `!` on null gives no match, where Swift would trap.
extension Repository {
  /// The filter that says the same as a predicate.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` naming the expression that has no translation;
  ///   ``StorageError/Code/invalidSchema``.
  public func filter(_ predicate: Predicate<M>) throws -> Filter {
    try PredicateTranslator.filter(predicate, try resolved())
  }

  // MARK: In a transaction

  /// The records that match, in the given order, else by key.
  ///
  /// - Throws: as ``fetch(where:sort:limit:offset:in:)``, and as ``filter(_:)``.
  public func fetch(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    in transaction: ReadTransaction
  ) throws -> [M] {
    try fetch(
      where: try filter(predicate),
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
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil,
    in transaction: ReadTransaction
  ) throws -> Page<M> {
    try page(where: try filter(predicate), sort: sort, limit: limit, after: after, in: transaction)
  }

  /// How many records match.
  ///
  /// - Throws: as ``count(where:in:)``, and as ``filter(_:)``.
  public func count(where predicate: Predicate<M>, in transaction: ReadTransaction) throws -> Int {
    try count(where: try filter(predicate), in: transaction)
  }

  /// Removes the records that match and says how many there were.
  ///
  /// - Throws: as ``deleteAll(where:in:)``, and as ``filter(_:)``.
  @discardableResult
  public func deleteAll(where predicate: Predicate<M>, in transaction: WriteTransaction) throws
    -> Int
  {
    try deleteAll(where: try filter(predicate), in: transaction)
  }

  // MARK: Asynchronous

  /// The records that match, in the given order, else by key.
  public func fetch(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) async throws -> [M] {
    try await fetch(where: try filter(predicate), sort: sort, limit: limit, offset: offset)
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  public func page(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) async throws -> Page<M> {
    try await page(where: try filter(predicate), sort: sort, limit: limit, after: after)
  }

  /// How many records match.
  public func count(where predicate: Predicate<M>) async throws -> Int {
    try await count(where: try filter(predicate))
  }

  /// Removes the records that match and says how many there were.
  @discardableResult
  public func deleteAll(where predicate: Predicate<M>) async throws -> Int {
    try await deleteAll(where: try filter(predicate))
  }

  // MARK: Synchronous

  /// The records that match, in the given order, else by key.
  @available(*, noasync, message: "use the asynchronous version")
  public func fetch(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> [M] {
    try fetch(where: try filter(predicate), sort: sort, limit: limit, offset: offset)
  }

  /// One page of the records that match: at most `limit`, the first ones or those behind `after`.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int,
    after: PageToken? = nil
  ) throws -> Page<M> {
    try page(where: try filter(predicate), sort: sort, limit: limit, after: after)
  }

  /// How many records match.
  @available(*, noasync, message: "use the asynchronous version")
  public func count(where predicate: Predicate<M>) throws -> Int {
    try count(where: try filter(predicate))
  }

  /// Removes the records that match and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func deleteAll(where predicate: Predicate<M>) throws -> Int {
    try deleteAll(where: try filter(predicate))
  }
}
