/// A catalog as read at one schema version, with the engine's open tables.
final class KeyValueSchema: Sendable {
  let catalog: Catalog
  let catalogTable: KeyValueTable
  let sequenceTable: KeyValueTable
  /// The tables by collection id.
  let tables: [Int: CollectionTables]

  init(
    _ catalog: Catalog,
    catalogTable: KeyValueTable,
    sequenceTable: KeyValueTable,
    tables: [Int: CollectionTables]
  ) {
    self.catalog = catalog
    self.catalogTable = catalogTable
    self.sequenceTable = sequenceTable
    self.tables = tables
  }
}

/// What a transaction has prepared under one schema.
///
/// It is handed from one transaction to the next,
/// so that short ones prepare nothing.
///
/// Unchecked: it is used by one transaction at a time; the pool's mutex hands it over.
final class KeyValueSession: @unchecked Sendable {
  let schema: KeyValueSchema
  /// The encoded key of the call in progress.
  let key = ByteBuffer()
  /// The encoded row of the call in progress.
  let value = ByteBuffer()
  /// The stored key of a long index entry.
  let longKey = ByteBuffer()
  /// The value of a long index entry.
  let longValue = ByteBuffer()
  // Nothing that these calls lead to comes back to them, so there is nothing to check.
  @exclusivity(unchecked) private var prepared: [Int: BoundCollection] = [:]
  /// The collection object that was asked for last, and what it led to.
  @exclusivity(unchecked) private var lastAsked: Collection?
  @exclusivity(unchecked) private var last: BoundCollection?

  init(_ schema: KeyValueSchema) { self.schema = schema }

  /// All that was prepared.
  var all: some Sequence<BoundCollection> { prepared.values }

  /// What was prepared for a collection in the last call, if that was for the same one.
  @inline(__always)
  func recent(_ collection: Collection) -> BoundCollection? {
    lastAsked === collection ? last : nil
  }

  /// Prepares a collection, or finds it prepared.
  func prepare(
    _ collection: Collection,
    catalog: Catalog,
    created: [Int: CollectionTables]
  ) throws(StorageError) -> BoundCollection {
    let found: BoundCollection
    if let known = prepared[collection.id] {
      found = known
    } else {
      guard let tables = created[collection.id] ?? schema.tables[collection.id],
        let current = catalog.collection(named: collection.name), current.id == collection.id
      else { throw StorageError.isOutdated(collection) }
      found = BoundCollection(current, tables)
      prepared[collection.id] = found
    }
    if found.collection !== collection, found.collection.definition != collection.definition {
      throw StorageError.isOutdated(collection)
    }
    lastAsked = collection
    last = found
    return found
  }

  /// Forgets everything prepared for collections that do not satisfy `isKept`.
  func forget(where isForgotten: (Int) -> Bool) {
    lastAsked = nil
    last = nil
    for id in prepared.keys where isForgotten(id) { prepared[id] = nil }
  }

  /// Forgets the automatic keys: the next transaction reads them again.
  func forgetAutomaticKeys() {
    for collection in prepared.values where collection.automaticKeyPosition >= 0 {
      collection.lastAutomaticKey = nil
      collection.isAutomaticKeyDirty = false
    }
  }
}
