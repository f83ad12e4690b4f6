import Holdfast

public final class ListWriter: ListReader, StorageWriter {
  private let storage: ListStorage
  private var saved: [Content] = []

  init(_ storage: ListStorage, _ content: Content) {
    self.storage = storage
    super.init(content)
  }

  // MARK: Records

  public func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    try write(row, collection, ifThere: false)
  }

  public func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    try write(row, collection, ifThere: true)
  }

  private func write(
    _ row: RowView,
    _ collection: Collection,
    ifThere replaces: Bool
  ) throws(StorageError) -> Int64? {
    var values = try row.values()
    let last = content.lastKeys[collection.id] ?? 0
    if let position = collection.automaticKeyPosition, values[position] == .null {
      guard last < .max else {
        throw StorageError(.overflow, "\(collection.name) has no automatic key left; give keys")
      }
      values[position] = .integer(last + 1)
    }
    let key = values.fields(collection.keyPositions)
    let (index, isKey) = (content.rows[collection.id] ?? []).find(key, collection)
    if isKey, !replaces {
      throw StorageError(.duplicateKey, "\(collection.name) has a record with that key; update it")
    }
    try checkUnique(values, collection, replacing: isKey ? index : nil)
    if isKey {
      content.rows[collection.id]?[index] = values
    } else {
      content.rows[collection.id, default: []].insert(values, at: index)
    }
    guard collection.automaticKeyPosition != nil, case .integer(let given) = key[0] else {
      return nil
    }
    content.lastKeys[collection.id] = max(last, given)
    return given
  }

  public func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    let values = try row.values()
    let key = values.fields(collection.keyPositions)
    let (index, isKey) = (content.rows[collection.id] ?? []).find(key, collection)
    guard isKey else { return false }
    try checkUnique(values, collection, replacing: index)
    content.rows[collection.id]?[index] = values
    return true
  }

  public func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    let (index, isKey) = (content.rows[collection.id] ?? []).find(try key.values(), collection)
    if isKey { content.rows[collection.id]?.remove(at: index) }
    return isKey
  }

  public func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    content.rows.updateValue([], forKey: collection.id)?.count ?? 0
  }

  /// Nulls never collide, so a list of values with a null in it does not either.
  private func checkUnique(
    _ row: [Value],
    _ collection: Collection,
    replacing own: Int?
  ) throws(StorageError) {
    for index in collection.indexes where index.definition.isUnique {
      let values = row.fields(index.positions)
      if values.contains(.null) { continue }
      for (number, other) in (content.rows[collection.id] ?? []).enumerated()
      where number != own && other.fields(index.positions) == values {
        throw StorageError(
          .uniqueViolation,
          "index \(index.definition.name) of \(collection.name) holds an equal value; change it"
        )
      }
    }
  }

  // MARK: Schema

  public func createCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    try content.catalog.add(definition) { name, _, _ in name }
  }

  public func dropCollection(_ collection: Collection) throws(StorageError) {
    try content.catalog.remove(collection)
    content.rows[collection.id] = nil
    content.lastKeys[collection.id] = nil
  }

  public func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    let redefined = try content.catalog.redefine(collection, as: definition, rows: change) {
      name, _, _ in name
    }
    let buffer = RowBuffer()
    let old = content.rows[collection.id] ?? []
    content.rows[collection.id] = []
    for row in old {
      let row = try change?.apply(buffer.fill(row)).values() ?? row
      try checkUnique(row, redefined, replacing: nil)
      content.rows[collection.id]?.append(row)
    }
    return redefined
  }

  public func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError) {
    content.lastKeys[collection.id] = key
  }

  public func setMigrations(_ names: [String]) throws(StorageError) {
    content.catalog.setMigrations(names)
  }

  // MARK: Savepoints and the end

  public func beginSavepoint() throws(StorageError) { saved.append(content) }
  public func releaseSavepoint() throws(StorageError) { saved.removeLast() }
  public func rollbackSavepoint() throws(StorageError) { content = saved.removeLast() }
  public func commit() throws(StorageError) { storage.commit(content) }
}
