import Synchronization

/// The records of one model in a store: typed reads and writes, the same on every backend.
///
/// ```swift
/// let users = Repository<User>(store)
/// let ada = try await users.insert(User(name: "Ada"))       // has its automatic key now
/// let some = try await users.fetch(where: #Predicate { $0.city == "London" }, limit: 10)
/// ```
///
/// The collection is created by the first write, with those that it refers to; until then reads find
/// nothing. One that lacks what only adds to it (optional fields or such with defaults, indexes,
/// references) gets it by the first write, or by `Store.prepare(_:migrations:isRehearsal:progress:)`;
/// until then its records read as they will after that. Each method comes three times: asynchronous,
/// synchronous for code that is not, and with a transaction, to do several things at once. A schema that makes no sense is reported by the first use, with
/// ``StorageError/Code/invalidSchema``. A value: cheap to make, to copy and to share.
public struct Repository<M: Model>: Sendable {
  /// The store.
  public let store: Store
  /// What happens to queries that read every record.
  public let scans: ScanPolicy
  private let schema: Schema<M>
  private let cache = LayoutCache()

  /// Creates a repository, without reading or writing anything.
  ///
  /// Parameter `scans`: what happens to queries that read every record to find some.
  public init(_ store: Store, scans: ScanPolicy = .allow) {
    self.store = store
    self.scans = scans
    schema = M.schema
  }

  /// The collection's name.
  public var collectionName: String { schema.name }

  func resolved() throws(StorageError) -> ResolvedSchema<M> { try schema.resolved() }

  /// The key path of a key of one property.
  var schemaKey: PartialKeyPath<M>? { schema.content.key.first }

  private func newLayout(_ collection: Collection, absent: AbsentFields? = nil)
    throws(StorageError) -> RowLayout
  {
    let properties: StoredProperties? =
      switch schema.content.coding {
      case .own: nil
      case .synthesized: try resolved().properties
      }
    return RowLayout(collection, absent: absent, properties: properties)
  }

  /// The collection as this transaction sees it, or nil if nothing was ever written.
  func collection(in transaction: ReadTransaction) throws(StorageError)
    -> (collection: Collection, layout: RowLayout)?
  {
    guard let collection = try transaction.find(schema.name) else {
      // A wrong schema is an error even when there is nothing to read.
      _ = try resolved()
      return nil
    }
    if let recent = transaction.recentLayout, recent.model == ObjectIdentifier(M.self) {
      return (collection, recent.layout)
    }
    let known = cache.layout(of: collection)
    let layout: RowLayout
    if let known {
      layout = known
    } else {
      let absent = try AbsentFields(try resolved().definition, from: collection)
      layout = try newLayout(collection, absent: absent)
      cache.remember(collection, layout, isEnsured: false)
    }
    transaction.recentLayout = (layout, ObjectIdentifier(M.self), false)
    return (collection, layout)
  }

  /// What a query reads: the collection, and the query as its records answer it.
  ///
  /// - Returns: nil if nothing was ever written.
  /// - Throws: ``StorageError/Code/invalidQuery``, among others, for a scan that ``scans`` forbids.
  func source(of query: Query, in transaction: ReadTransaction) throws(StorageError)
    -> (collection: Collection, layout: RowLayout, query: Query)?
  {
    try query.checkPart()
    guard let source = try collection(in: transaction) else { return nil }
    let query = try source.layout.absent?.resolved(query) ?? query
    try transaction.check(query, scans)
    return (source.collection, source.layout, query)
  }

  /// The collection, created if it is missing.
  func ensure(in transaction: WriteTransaction) throws(StorageError)
    -> (collection: Collection, layout: RowLayout)
  {
    if let collection = try transaction.find(schema.name) {
      if let recent = transaction.recentLayout, recent.model == ObjectIdentifier(M.self),
        recent.isEnsured
      {
        return (collection, recent.layout)
      }
      if let layout = cache.layout(of: collection, ensured: true) {
        transaction.recentLayout = (layout, ObjectIdentifier(M.self), true)
        return (collection, layout)
      }
    }
    let collection = try transaction.ensureCollection(of: ModelSchema(M.self))
    let layout = try newLayout(collection)
    cache.remember(collection, layout, isEnsured: true)
    if try transaction.find(schema.name) === collection {
      transaction.recentLayout = (layout, ObjectIdentifier(M.self), true)
    }
    return (collection, layout)
  }

  /// The primary key of a model.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` for one whose automatic key is nil still.
  public func key(of model: M) throws -> Key { try resolved().key(of: model) }

  /// Creates the collection if it is missing, and those that it refers to, without writing a record.
  ///
  /// One that is there is brought up to date, as `Store.prepare(_:migrations:isRehearsal:progress:)`
  /// does.
  /// - Throws: ``StorageError/Code/schemaMismatch`` if it exists with another shape, with the
  ///   migration step to write; ``StorageError/Code/invalidSchema``.
  public func create(in transaction: WriteTransaction) throws {
    _ = try ensure(in: transaction)
  }

  /// Runs `body` with an encoder that the transaction keeps from one call to the next.
  func withEncoder<T>(
    _ layout: RowLayout,
    in transaction: WriteTransaction,
    _ body: (RowEncoder) throws -> T
  ) rethrows -> T {
    // Taken out meanwhile, so that a model whose coding uses the transaction gets another one.
    var encoder = transaction.scratch as? RowEncoder
    transaction.scratch = nil
    if encoder?.layout !== layout { encoder = nil }
    let used = encoder ?? RowEncoder(layout)
    defer { transaction.scratch = used }
    return try body(used)
  }

  /// Runs `body` with a decoder that the transaction keeps from one call to the next.
  func withDecoder<T>(
    _ layout: RowLayout,
    in transaction: ReadTransaction,
    _ body: (RowDecoder) throws -> T
  ) rethrows -> T {
    var decoder = transaction.scratch as? RowDecoder
    transaction.scratch = nil
    if decoder?.layout !== layout { decoder = nil }
    let used = decoder ?? RowDecoder(layout)
    defer { transaction.scratch = used }
    return try body(used)
  }

  /// The query over this model's collection.
  func query(
    _ filter: Filter,
    _ sort: [SortKey<M>],
    limit: Int?,
    offset: Int = 0,
    after: PageToken? = nil
  ) throws(StorageError) -> Query {
    var query = Query(schema.name, where: filter, limit: limit, offset: offset, after: after)
    // Not `isEmpty`, for which the array's type would be looked up at run time.
    if sort.count == 0 { return query }
    let resolved = try resolved()
    for key in sort {
      let field = resolved.layout.names[try resolved.position(of: key.path)]
      query.sort.append(Sort(field: field, isDescending: key.isDescending))
    }
    return query
  }
}

/// Remembers the layout of the collection that was last seen, by identity.
///
/// A store makes a new ``Collection`` whenever its schema changes, so identity is enough.
private final class LayoutCache: Sendable {
  private struct Entry {
    let collection: Collection
    let layout: RowLayout
    let isEnsured: Bool
  }
  private let entry = Mutex<Entry?>(nil)

  func layout(of collection: Collection, ensured: Bool = false) -> RowLayout? {
    entry.withLock { entry in
      guard let entry, entry.collection === collection, entry.isEnsured || !ensured else {
        return nil
      }
      return entry.layout
    }
  }

  func remember(_ collection: Collection, _ layout: RowLayout, isEnsured: Bool) {
    entry.withLock { $0 = Entry(collection: collection, layout: layout, isEnsured: isEnsured) }
  }
}
