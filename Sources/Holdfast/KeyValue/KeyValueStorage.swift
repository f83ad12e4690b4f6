import Synchronization

/// A full ``Storage`` over an ordered key-value engine: catalog, rows, indexes, constraints and
/// automatic keys.
///
/// The engine holds a table `catalog`, a table `sequence` of automatic keys, a table `c<id>` for each
/// collection (encoded primary key → CBOR row) and a table `i<id>` for each index. See
/// ``KeyCoding`` for the keys; any CBOR library reads the values.
public final class KeyValueStorage<Engine: OrderedKeyValueEngine>: Storage {
  /// A snapshot.
  public typealias Reader = KeyValueStorageReader<Engine.Reader>
  /// A write transaction.
  public typealias Writer = KeyValueStorageWriter<Engine.Writer>

  /// The engine.
  public let engine: Engine
  /// Whether the initializer created the store, rather than finding it.
  public let wasCreated: Bool

  private let schemas: KeyValueSchemas<Engine>

  /// Opens the store that an engine holds, or creates it there.
  ///
  /// - Parameters:
  ///   - engine: the engine; the storage owns it from now on, and closes it.
  ///   - options: read-only stores, and those with `createsIfMissing` off, are never created.
  ///   - storeID: the identity of a store that is created; a random one if nil.
  /// - Throws: ``StorageError/Code/cannotOpen`` if there is no store and none may be created;
  ///   ``StorageError/Code/newerFormat``, ``StorageError/Code/corrupt``, what the engine throws.
  ///   The engine stays open then.
  public init(
    _ engine: Engine,
    options: StorageOptions = StorageOptions(),
    storeID: String? = nil
  ) throws(StorageError) {
    self.engine = engine
    var created = false
    let catalogTable = try engine.openTable(CatalogCoding.tableName)
    let sequenceTable = try engine.openTable(CatalogCoding.sequenceTableName)
    if catalogTable == nil || sequenceTable == nil {
      guard !options.isReadOnly, options.createsIfMissing else {
        throw StorageError(
          .cannotOpen,
          "there is no store here; open it for writing to create one",
          backend: engine.capabilities.backend
        )
      }
      created = try Self.create(engine, options, storeID: storeID)
    }
    wasCreated = created
    schemas = try KeyValueSchemas(engine, timeout: options.timeout)
  }

  /// Creates the empty store.
  ///
  /// - Returns: false if another process did so in the meantime.
  private static func create(
    _ engine: Engine,
    _ options: StorageOptions,
    storeID: String?
  ) throws(StorageError) -> Bool {
    let writer = try engine.beginWriting(timeout: options.timeout)
    defer { writer.end() }
    let table = try writer.createTable(CatalogCoding.tableName)
    _ = try writer.createTable(CatalogCoding.sequenceTableName)
    let entries = CatalogEntries(writer, table)
    if try entries.item(CatalogCoding.formatKey) != nil { return false }
    var catalog = Catalog(storeID: storeID ?? Self.randomStoreID())
    catalog.format = Catalog.currentFormat
    try entries.writeHead(catalog)
    try writer.commit()
    return true
  }

  private static func randomStoreID() -> String {
    var generator = SystemRandomNumberGenerator()
    return Name.hex(generator.next()) + Name.hex(generator.next())
  }

  /// What the engine offers.
  public var capabilities: Capabilities { engine.capabilities }

  /// Begins a snapshot.
  ///
  /// - Throws: ``StorageError/Code/busy``; ``StorageError/Code/newerFormat`` if another process made
  ///   the store newer; what the engine throws.
  public func beginReading(timeout: Duration) throws(StorageError) -> Reader {
    let (transaction, session) = try schemas.begin(timeout: timeout) {
      (engine, timeout) throws(StorageError) in try engine.beginReading(timeout: timeout)
    }
    return Reader(transaction, session, schemas, keyLimit: engine.maximumKeyLength)
  }

  /// Begins the write transaction.
  ///
  /// - Throws: as ``beginReading(timeout:)``.
  public func beginWriting(timeout: Duration) throws(StorageError) -> Writer {
    let (transaction, session) = try schemas.begin(timeout: timeout) {
      (engine, timeout) throws(StorageError) in try engine.beginWriting(timeout: timeout)
    }
    return Writer(transaction, session, schemas, keyLimit: engine.maximumKeyLength)
  }

  /// Whether another process has committed since this was last asked.
  public func takeExternalChange() throws(StorageError) -> Bool { try engine.takeExternalChange() }

  /// Copies one snapshot of the engine to a path.
  ///
  /// - Throws: ``StorageError/Code/unsupported``; what the engine throws.
  public func backup(to path: String, timeout: Duration) throws(StorageError) {
    try engine.backup(to: path, timeout: timeout)
  }

  /// Gives unused space back.
  public func compact(timeout: Duration) throws(StorageError) {
    try engine.compact(timeout: timeout)
  }

  /// Lets the engine's locks and files go.
  public func suspend() throws(StorageError) { try engine.suspend() }

  /// Takes them up again.
  public func resume() throws(StorageError) { try engine.resume() }

  /// Closes the engine.
  public func close() throws(StorageError) { try engine.close() }
}
