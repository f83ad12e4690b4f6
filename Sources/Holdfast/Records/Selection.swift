/// Which records of a model, in which order and which part of them: a query that was translated
/// once, to be run as often as needed.
///
/// ```swift
/// let recent = try statuses.where(\.user == 7).sorted(by: .descending(\.createdAt)).limited(to: 20)
/// let models = try await recent.fetch()
/// let texts = try await recent.values(\.id, \.text)
/// ```
///
/// A value: it holds no records and no snapshot, and running it translates nothing again. Each
/// method that runs it comes three times: asynchronous, synchronous for code that is not, and with a
/// transaction. They throw ``StorageError/Code/unknownField`` and
/// ``StorageError/Code/typeMismatch`` if the store's collection has other fields than the model; what
/// only has to be added to it reads as it will then.
public struct Selection<M: Model>: Sendable {
  /// The repository that it reads from.
  public let repository: Repository<M>
  /// The query, by stored names.
  public private(set) var query: Query

  init(_ repository: Repository<M>, _ filter: Filter) {
    self.repository = repository
    query = Query(repository.collectionName, where: filter)
  }

  /// The same records in this order, ties by key; it takes the place of an order given before.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` for a key path that is no stored property.
  public func sorted(by keys: SortKey<M>...) throws -> Selection {
    var copy = self
    copy.query.sort = try repository.query(.all, keys, limit: nil).sort
    return copy
  }

  /// At most `limit` of the records, after skipping `offset`; nil for no limit.
  ///
  /// Negative is ``StorageError/Code/invalidQuery`` when it runs.
  public func limited(to limit: Int?, offset: Int = 0) -> Selection {
    var copy = self
    copy.query.limit = limit
    copy.query.offset = offset
    return copy
  }

  /// The records behind a page that ended with this token.
  public func after(_ token: PageToken) -> Selection {
    var copy = self
    copy.query.after = token
    return copy
  }
}

extension Repository {
  /// All records.
  public var all: Selection<M> { Selection(self, .all) }

  /// The records that match a predicate or a condition, translated now.
  ///
  /// - Throws: as ``filter(_:)``.
  public func `where`(_ condition: some RecordCondition<M>) throws -> Selection<M> {
    Selection(self, try filter(condition))
  }

  /// The records that match a filter, which names fields by their stored names.
  public func `where`(_ filter: Filter) -> Selection<M> { Selection(self, filter) }
}
