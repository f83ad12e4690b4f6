import Synchronization

/// Where a transaction gives its session back, and a writer its committed schema.
protocol SessionPool: AnyObject, Sendable {
  /// Takes a session back for the next transaction under the same schema.
  func give(_ session: KeyValueSession)
  /// Makes a schema the one that transactions begin with.
  func publish(_ schema: KeyValueSchema)
}

/// What ``KeyValueSchemas`` guards; outside of it, so that it is one type for all engines.
private struct KeyValueSchemasState {
  var schema: KeyValueSchema
  var idle: [KeyValueSession] = []
}

/// The schema that transactions begin with, kept up to date with what the store says.
final class KeyValueSchemas<Engine: OrderedKeyValueEngine>: SessionPool {
  private let engine: Engine
  private let state: Mutex<KeyValueSchemasState>
  /// Held while tables are opened.
  private let opening = Mutex(())
  private static var maximumIdle: Int { 16 }

  /// Reads the catalog of a store that exists and opens its tables.
  init(_ engine: Engine, timeout: Duration) throws(StorageError) {
    self.engine = engine
    guard let catalogTable = try engine.openTable(CatalogCoding.tableName),
      let sequenceTable = try engine.openTable(CatalogCoding.sequenceTableName)
    else { throw CatalogCoding.damaged("its tables") }
    var catalog = Catalog(storeID: "")
    catalog.schemaVersion = -1
    state = Mutex(
      KeyValueSchemasState(
        schema: KeyValueSchema(
          catalog,
          catalogTable: catalogTable,
          sequenceTable: sequenceTable,
          tables: [:]
        )
      )
    )
    let (reader, session) = try begin(timeout: timeout) { (engine, timeout) throws(StorageError) in
      try engine.beginReading(timeout: timeout)
    }
    reader.end()
    give(session)
  }

  /// Begins a transaction whose schema is the one at hand, reading that again as often as needed.
  func begin<Transaction: KeyValueReader>(
    timeout: Duration,
    _ open: (Engine, Duration) throws(StorageError) -> Transaction
  ) throws(StorageError) -> (Transaction, KeyValueSession) {
    var deadline: ContinuousClock.Instant?
    var left = timeout
    var incomplete: Int64?
    while true {
      let transaction = try open(engine, left)
      let fresh: Catalog
      do throws(StorageError) {
        let session = take()
        let entries = CatalogEntries(transaction, session.schema.catalogTable)
        if try entries.schemaVersion() == session.schema.catalog.schemaVersion {
          return (transaction, session)
        }
        fresh = try entries.catalog()
      } catch {
        transaction.end()
        throw error
      }
      transaction.end()
      if deadline == nil { deadline = .now + timeout }
      if let missing = try openTables(of: fresh) {
        // Another process may have changed the schema since it was read; then its version differs.
        if incomplete == fresh.schemaVersion { throw CatalogCoding.damaged("table \(missing)") }
        incomplete = fresh.schemaVersion
      }
      left = ContinuousClock.now.duration(to: deadline ?? .now)
      if left <= .zero {
        throw StorageError(.busy, "the schema kept changing for longer than the timeout; try again")
      }
    }
  }

  /// Makes `catalog` the schema at hand, opening the tables that it lacks.
  ///
  /// - Returns: the name of a table that is not there, having changed nothing.
  private func openTables(of catalog: Catalog) throws(StorageError) -> String? {
    let base = state.withLock { $0.schema }
    var tables: [Int: CollectionTables] = [:]
    for collection in catalog.collections {
      let known = base.catalog.collections.first { $0.id == collection.id }
      if let known, known.indexes.map(\.id) == collection.indexes.map(\.id) {
        tables[collection.id] = base.tables[collection.id]
        continue
      }
      switch try open(collection) {
      case .opened(let opened): tables[collection.id] = opened
      case .missing(let name): return name
      }
    }
    publish(
      KeyValueSchema(
        catalog,
        catalogTable: base.catalogTable,
        sequenceTable: base.sequenceTable,
        tables: tables
      )
    )
    return nil
  }

  private enum Opened {
    case opened(CollectionTables)
    case missing(String)
  }

  private func open(_ collection: Collection) throws(StorageError) -> Opened {
    try opening.withLock { (_) throws(StorageError) in
      let name = CatalogCoding.tableName(ofCollection: collection.id)
      guard let rows = try engine.openTable(name) else { return .missing(name) }
      var indexes: [KeyValueTable] = []
      for index in collection.indexes {
        let name = CatalogCoding.tableName(ofIndex: index.id)
        guard let table = try engine.openTable(name) else { return .missing(name) }
        indexes.append(table)
      }
      return .opened(CollectionTables(rows: rows, indexes: indexes))
    }
  }

  // MARK: Sessions

  private func take() -> KeyValueSession {
    state.withLock { state in state.idle.popLast() ?? KeyValueSession(state.schema) }
  }

  func give(_ session: KeyValueSession) {
    state.withLock { state in
      if session.schema === state.schema, state.idle.count < Self.maximumIdle {
        state.idle.append(session)
      }
    }
  }

  func publish(_ schema: KeyValueSchema) {
    state.withLock { state in
      state.schema = schema
      state.idle.removeAll()
    }
  }
}
