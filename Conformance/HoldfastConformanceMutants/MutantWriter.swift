import Holdfast
import Synchronization

/// A writer with one thing wrong.
final class MutantWriter: MutantReader, StorageWriter {
  private let base: any StorageWriter
  private let buffer = RowBuffer()
  private static let updates = Atomic<Int>(0)
  private var inserted = 0
  private var firstCollection: Int?
  private var isCommitted = false

  init(_ mutation: Mutation?, _ base: any StorageWriter) {
    self.base = base
    super.init(mutation, first: base, begin: nil)
  }

  private func translate<T>(
    _ row: RowView,
    _ body: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    do throws(StorageError) {
      return try body()
    } catch {
      var error = error
      if mutation == .messageEmpty { error.message = "" }
      if mutation == .duplicateCodeWrong, error.code == .duplicateKey {
        error.code = .uniqueViolation
      }
      if mutation == .uniqueCodeWrong, error.code == .uniqueViolation { error.code = .duplicateKey }
      if mutation == .messageHoldsValue { error.message += "\(try row.values())" }
      throw error
    }
  }

  func insert(_ row: RowView, into collection: Collection) throws(StorageError) -> Int64? {
    inserted += 1
    if mutation == .lastRecordsDropped, inserted > 10_000 { return nil }
    if mutation == .secondCollectionLost {
      firstCollection = firstCollection ?? collection.id
      if firstCollection != collection.id { return nil }
    }
    if mutation == .batchReplaces, inserted > 1 { return try base.put(row, in: collection) }
    if mutation == .wrongKeyTold { return try base.insert(row, into: collection).map { $0 &+ 1 } }
    if mutation == .insertReplaces { return try base.put(row, in: collection) }
    var row = row
    if mutation == .keyReused, let position = collection.automaticKeyPosition, row.isNull(position)
    {
      let last = try base.scan(Scan(collection, reversed: true))
      let largest = try last.next()?.integer(position) ?? 0
      last.close()
      buffer.copy(row)
      buffer.setInteger(position, largest &+ 1)
      row = buffer.view
    }
    if mutation == .nullsCollide { try refuseSecondNull(row, collection) }
    do throws(StorageError) {
      return try translate(row) { () throws(StorageError) in
        try base.insert(row, into: collection)
      }
    } catch {
      if mutation == .uniqueIgnoredInBatch, error.code == .uniqueViolation, inserted > 1 {
        return nil
      }
      throw error
    }
  }

  private func refuseSecondNull(_ row: RowView, _ collection: Collection) throws(StorageError) {
    for (number, index) in collection.indexes.enumerated() where index.definition.isUnique {
      guard let position = index.positions.first, row.isNull(position) else { continue }
      let rows = try base.scan(Scan(collection, index: number))
      defer { rows.close() }
      guard let first = try rows.next(), first.isNull(position) else { continue }
      throw StorageError(.uniqueViolation, "index \(index.definition.name) holds a null already")
    }
  }

  func update(_ row: RowView, in collection: Collection) throws(StorageError) -> Bool {
    let number = Self.updates.add(1, ordering: .relaxed).newValue
    if mutation == .tenthUpdateLost, number % 10 == 0 { return true }
    if mutation == .updateInserts {
      _ = try base.put(row, in: collection)
      return true
    }
    if mutation == .partialUpdateClears {
      buffer.copy(row)
      buffer.setNull(row.count - 1)
      return try base.update(buffer.view, in: collection)
    }
    do throws(StorageError) {
      return try base.update(row, in: collection)
    } catch {
      if mutation == .uniqueIgnoredInUpdate, error.code == .uniqueViolation { return true }
      throw error
    }
  }

  func put(_ row: RowView, in collection: Collection) throws(StorageError) -> Int64? {
    if mutation == .putDeletesAnother {
      let rows = try base.scan(Scan(collection))
      let key = RowBuffer(count: collection.keyPositions.count)
      if let first = try rows.next() {
        for (index, position) in collection.keyPositions.enumerated() {
          key.copyField(index, first.slots[position])
        }
        rows.close()
        _ = try base.delete(key.view, from: collection)
      } else {
        rows.close()
      }
    }
    return try translate(row) { () throws(StorageError) in try base.put(row, in: collection) }
  }

  func delete(_ key: RowView, from collection: Collection) throws(StorageError) -> Bool {
    let found = try base.delete(key, from: collection)
    if mutation == .deleteAlwaysTrue { return true }
    return mutation == .deleteNeverFound ? false : found
  }

  func deleteAll(in collection: Collection) throws(StorageError) -> Int {
    if mutation == .clearTakesNamesakes {
      for other in base.catalog.collections
      where other.name != collection.name && other.name.hasPrefix(collection.name) {
        _ = try base.deleteAll(in: other)
      }
    }
    let count = try base.deleteAll(in: collection)
    return mutation == .clearCountsNothing ? 0 : count
  }

  func createCollection(_ definition: CollectionDefinition) throws(StorageError) -> Collection {
    var definition = definition
    if mutation == .uniqueIgnored {
      for index in definition.indexes.indices { definition.indexes[index].isUnique = false }
    }
    if mutation == .referencesForgotten { definition.references = [] }
    if mutation == .deleteRulesForgotten {
      for index in definition.references.indices {
        definition.references[index].onDelete = .restrict
      }
    }
    if mutation == .setNullCascades {
      for index in definition.references.indices
      where definition.references[index].onDelete == .setNull {
        definition.references[index].onDelete = .cascade
      }
    }
    if mutation == .namesCut { definition.name = String(definition.name.prefix(32)) }
    if mutation == .namesLowercased { definition.name = definition.name.lowercased() }
    return try base.createCollection(definition)
  }

  func dropCollection(_ collection: Collection) throws(StorageError) {
    if mutation != .dropIgnored { try base.dropCollection(collection) }
  }

  func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    var definition = definition
    var change = change
    if mutation == .newUniqueIgnored {
      for index in definition.indexes.indices { definition.indexes[index].isUnique = false }
    }
    if mutation == .dropReferencesIgnored, definition.references.isEmpty {
      definition.references = collection.definition.references
    }
    if mutation == .redefineSwapsFields, var sources = change?.sources, sources.count > 1 {
      sources[sources.count - 1] = sources[sources.count - 2]
      change = RowChange(sources, to: definition)
    }
    if mutation == .redefineLosesRows { _ = try base.deleteAll(in: collection) }
    let redefined = try base.redefine(collection, as: definition, rows: change)
    if mutation == .redefineResetsCounter, redefined.automaticKeyPosition != nil {
      try base.setLastAutomaticKey(0, of: redefined)
    }
    return redefined
  }

  func setLastAutomaticKey(_ key: Int64, of collection: Collection) throws(StorageError) {
    if mutation != .counterNotSet { try base.setLastAutomaticKey(key, of: collection) }
  }
  func setMigrations(_ names: [String]) throws(StorageError) {
    if mutation != .migrationsForgotten { try base.setMigrations(names) }
  }

  func beginSavepoint() throws(StorageError) { try base.beginSavepoint() }
  func releaseSavepoint() throws(StorageError) {
    if mutation == .savepointReleaseUndoes { return try base.rollbackSavepoint() }
    try base.releaseSavepoint()
  }
  func rollbackSavepoint() throws(StorageError) {
    if mutation == .savepointKept { return try base.releaseSavepoint() }
    try base.rollbackSavepoint()
  }

  func commit() throws(StorageError) {
    isCommitted = true
    if mutation == .commitLost { return base.end() }
    try base.commit()
  }

  override func end() {
    if mutation == .rollbackCommits, !isCommitted {
      // The mutant's own failure is of no interest.
      _ = Result { try base.commit() }
    }
    base.end()
  }
}
