public import Foundation

/// Observing the records of a model.
extension Repository {
  /// What is committed to the collection from now on.
  ///
  /// ```swift
  /// for try await change in people.changes() {
  ///   cache.remove(try change.deleted(as: Int64.self))
  ///   cache.put(try await people.get(change.updated))
  /// }
  /// ```
  /// One event for each commit that changed records, in commit order, cascades included; see
  /// `Store.changes(in:)`.
  public func changes() -> ModelChanges<M> {
    ModelChanges(changes: store.changes(in: collectionName), collection: collectionName)
  }

  /// The records that match: first as they are, and then again after each commit that touched the
  /// collection.
  ///
  /// ```swift
  /// for try await people in people.observe(sort: [.ascending(\.name)]) { list.show(people) }
  /// ```
  /// - Returns: the results, with the guarantees of ``ValueObservation``; what
  ///   `fetch(where:sort:limit:offset:in:)` throws ends it.
  public func observe(
    where filter: Filter = .all,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) -> ValueObservation<[M]> {
    store.observe(in: collectionName) { transaction in
      try fetch(where: filter, sort: sort, limit: limit, offset: offset, in: transaction)
    }
  }

  /// The records that match: first as they are, and then again after each commit that touched the
  /// collection.
  ///
  /// A predicate that has no translation is the error that ends it.
  public func observe(
    where predicate: Predicate<M>,
    sort: [SortKey<M>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) -> ValueObservation<[M]> {
    let filter = Result { try self.filter(predicate) }
    return store.observe(in: collectionName) { transaction in
      try fetch(where: try filter.get(), sort: sort, limit: limit, offset: offset, in: transaction)
    }
  }
}

extension Selection {
  /// The records: first as they are, and then again after each commit that touched the collection.
  ///
  /// - Returns: the results, with the guarantees of ``ValueObservation``; what fetching throws ends
  ///   it.
  public func observe() -> ValueObservation<[M]> {
    repository.store.observe(in: repository.collectionName) { try self.fetch(in: $0) }
  }
}

/// The commits to one model's collection from the moment of subscribing, in their order.
///
/// It ends as ``StoreChanges`` does, and is for one task at a time.
public struct ModelChanges<M: Model>: AsyncSequence, Sendable {
  /// A commit, or several as one.
  public typealias Element = ModelChange<M>
  /// What noticing other processes may throw.
  public typealias Failure = StorageError

  let changes: StoreChanges
  let collection: String

  /// Waits for one event after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var changes: StoreChanges.AsyncIterator
    let collection: String

    /// The next event; nil at the end.
    public mutating func next() async throws(StorageError) -> ModelChange<M>? {
      try await next(isolation: nil)
    }

    /// The next event; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StorageError) -> ModelChange<M>? {
      while let change = try await changes.next(isolation: actor) {
        if let own = change.collections[collection] {
          return ModelChange(commits: change.commits, records: own)
        }
      }
      return nil
    }
  }

  /// The iterator; all iterators of one sequence share its events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(changes: changes.makeAsyncIterator(), collection: collection)
  }
}

/// What a commit changed among the records of a model, or several commits of which a slow observer
/// hears as one.
public struct ModelChange<M: Model>: Sendable {
  /// How many commits of this process it tells of; 0 where another process committed.
  public let commits: Int
  /// The records by key, or only that something changed.
  public let records: CollectionChange

  /// Whether the keys are all there is; if not, anything in the collection may have changed.
  public var isComplete: Bool { records.isComplete }
  /// The keys of inserted records, ascending.
  public var inserted: [Key] { records.inserted }
  /// The keys of updated records, ascending.
  public var updated: [Key] { records.updated }
  /// The keys of deleted records, ascending.
  public var deleted: [Key] { records.deleted }

  /// The keys of inserted records as the type of the key property, for keys of one property.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch`` for another type, or a key of several properties.
  public func inserted<K: Decodable>(as type: K.Type) throws -> [K] { try typed(inserted, type) }
  /// The keys of updated records as the type of the key property, for keys of one property.
  ///
  /// - Throws: as ``inserted(as:)``.
  public func updated<K: Decodable>(as type: K.Type) throws -> [K] { try typed(updated, type) }
  /// The keys of deleted records as the type of the key property, for keys of one property.
  ///
  /// - Throws: as ``inserted(as:)``.
  public func deleted<K: Decodable>(as type: K.Type) throws -> [K] { try typed(deleted, type) }

  private func typed<K: Decodable>(_ keys: [Key], _ type: K.Type) throws -> [K] {
    let definition = try M.schema.definition
    guard let field = definition.fields.first(where: { $0.name == definition.key[0] }),
      definition.key.count == 1
    else {
      throw StorageError(
        .typeMismatch,
        "the key of \(definition.name) has several properties; use its keys as they are"
      )
    }
    let layout = RowLayout(
      collection: definition.name,
      fields: [field]
    )
    let (decoder, buffer) = (RowDecoder(layout), RowBuffer())
    return try keys.map { key in
      buffer.reset(count: 1)
      buffer.set(0, key[0])
      return try decoder.decode(type, at: 0, of: buffer.view)
    }
  }
}
