import Holdfast

extension WriteTransaction {
  /// Creates all collections of another store, and copies their records a row at a time.
  func copyCollections(of source: ReadTransaction) throws(StorageError) {
    for collection in try source.catalog.collections {
      let copy = try createCollection(collection.definition)
      let rows = try source.rows(Query(collection.name))
      while let row = try rows.next() { try insert(row, into: copy) }
      rows.close()
    }
  }
}
