/// Reads and writes the catalog's entries in one transaction.
struct CatalogEntries<Transaction: KeyValueReader> {
  private let transaction: Transaction
  private let table: KeyValueTable

  init(_ transaction: Transaction, _ table: KeyValueTable) {
    self.transaction = transaction
    self.table = table
  }

  /// The schema version, without anything else.
  func schemaVersion() throws(StorageError) -> Int64 {
    let found: UnsafeRawBufferPointer?
    // Nine bytes behind the key's name would be too many for a string; it is ASCII.
    let key: StaticString = "version"
    found = try transaction.get(
      UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount),
      in: table
    )
    guard let found, let version = CBOR.integer(found) else {
      throw CatalogCoding.damaged("its version")
    }
    return version
  }

  /// The item of an entry, or nil if there is none.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if it is not CBOR.
  func item(_ key: String) throws(StorageError) -> CBOR.Item? {
    let name = ByteBuffer()
    name.append(text: key)
    return try withExtendedLifetime(name) { () throws(StorageError) in
      guard let bytes = try transaction.get(name.bytes, in: table) else { return nil }
      guard let item = CBOR.item(bytes) else { throw CatalogCoding.damaged("its \(key)") }
      return item
    }
  }

  /// The whole catalog.
  ///
  /// - Throws: ``StorageError/Code/newerFormat`` before anything else is looked at;
  ///   ``StorageError/Code/corrupt``.
  func catalog() throws(StorageError) -> Catalog {
    guard let format = try item(CatalogCoding.formatKey)?.integer, format > 0 else {
      throw CatalogCoding.damaged("its format")
    }
    guard format <= Int64(Catalog.currentFormat) else {
      throw StorageError(
        .newerFormat,
        "the store has format \(format), and this version of Holdfast reads up to "
          + "\(Catalog.currentFormat); use a newer version"
      )
    }
    guard let storeID = try item(CatalogCoding.storeKey)?.text else {
      throw CatalogCoding.damaged("its identity")
    }
    guard let next = try item(CatalogCoding.nextKey)?.integer, let nextID = Int(exactly: next)
    else {
      throw CatalogCoding.damaged("its next id")
    }
    var catalog = Catalog(storeID: storeID)
    catalog.format = Int(format)
    catalog.schemaVersion = try schemaVersion()
    catalog.nextID = nextID
    if let stored = try item(CatalogCoding.migrationsKey) {
      guard let names = CatalogCoding.texts(stored) else {
        throw CatalogCoding.damaged("its migrations")
      }
      catalog.restore(migrations: names)
    }
    var ids = Set<Int>()
    var names = Set<String>()
    for collection in try collections() {
      for id in [collection.id] + collection.indexes.map(\.id) {
        guard id < nextID, ids.insert(id).inserted else { throw CatalogCoding.damaged("its ids") }
      }
      guard names.insert(Name.folded(collection.name)).inserted else {
        throw CatalogCoding.damaged("its names")
      }
      catalog.restore(collection)
    }
    return catalog
  }

  private func collections() throws(StorageError) -> [Collection] {
    let cursor = try transaction.openCursor(in: table)
    defer { cursor.close() }
    let prefix = ByteBuffer()
    prefix.append(text: CatalogCoding.collectionPrefix)
    var collections: [Collection] = []
    defer { withExtendedLifetime(prefix) {} }
    var isFound = try cursor.seek(prefix.bytes)
    while isFound, cursor.key.starts(with: prefix.bytes) {
      let digits = String(decoding: cursor.key.dropFirst(prefix.count), as: UTF8.self)
      guard let id = Int(digits), id > 0 else { throw CatalogCoding.damaged("a collection's id") }
      collections.append(try CatalogCoding.collection(id: id, cursor.value))
      isFound = try cursor.next()
    }
    return collections.sorted { $0.id < $1.id }
  }
}

extension CatalogEntries where Transaction: KeyValueWriter {
  /// Writes everything but the collections.
  func writeHead(_ catalog: Catalog) throws(StorageError) {
    try write(CatalogCoding.formatKey, CBOR.Item(Int64(catalog.format)))
    try write(CatalogCoding.storeKey, .text(catalog.storeID))
    try write(CatalogCoding.versionKey, CBOR.Item(catalog.schemaVersion))
    try write(CatalogCoding.nextKey, CBOR.Item(Int64(catalog.nextID)))
  }

  /// Writes the names of the applied migrations.
  func writeMigrations(_ catalog: Catalog) throws(StorageError) {
    try write(CatalogCoding.migrationsKey, .array(catalog.migrations.map { .text($0) }))
  }

  /// Removes a collection's entry.
  func remove(_ collection: Collection) throws(StorageError) {
    let name = ByteBuffer()
    name.append(text: CatalogCoding.collectionPrefix + String(collection.id))
    try withExtendedLifetime(name) { () throws(StorageError) in
      _ = try transaction.delete(name.bytes, in: table)
    }
  }

  /// Writes a collection's entry.
  func write(_ collection: Collection) throws(StorageError) {
    try write(
      CatalogCoding.collectionPrefix + String(collection.id),
      CatalogCoding.item(collection)
    )
  }

  private func write(_ key: String, _ item: CBOR.Item) throws(StorageError) {
    let name = ByteBuffer()
    name.append(text: key)
    let value = ByteBuffer()
    value.append(item)
    try withExtendedLifetime((name, value)) { () throws(StorageError) in
      try transaction.put(name.bytes, value.bytes, in: table)
    }
  }
}

extension CBOR {
  /// The integer that fills `bytes`, or nil if they hold anything else.
  static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard var position = bytes.baseAddress, bytes.count > 0 else { return nil }
    let end = position + bytes.count
    let initial = position.load(as: UInt8.self)
    position += 1
    guard initial & 0xC0 == 0, let argument = argument(initial, &position, end),
      argument >> 63 == 0, position == end
    else { return nil }
    return Int64(bitPattern: initial & 0x20 == 0 ? argument : ~argument)
  }
}

extension ByteBuffer {
  /// Appends the UTF-8 bytes of a text.
  func append(text: String) {
    var copy = text
    copy.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }
}
