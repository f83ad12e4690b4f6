import Foundation
public import Holdfast

extension ArchiveWriter {
  /// Creates a collection with its indexes; its file is written by the next checkpoint.
  ///
  /// - Returns: the collection.
  /// - Throws: `StorageError.Code.nameConflict`, `StorageError.Code.invalidSchema`.
  public func createCollection(
    _ definition: CollectionDefinition
  ) throws(StorageError) -> Collection {
    var catalog = memory.catalog
    let collection = try catalog.add(definition) { name, id, isIndex in
      isIndex ? Self.indexName(id) : fileName(for: name, id)
    }
    let entry = try text(of: collection)
    try memory.restoreCollection(collection)
    recordSchema("{\"create\":\(entry)}", of: collection.id)
    return collection
  }

  /// Removes a collection with its records and indexes; the next checkpoint removes its file.
  ///
  /// - Throws: `StorageError.Code.unknownCollection`.
  public func dropCollection(_ collection: Collection) throws(StorageError) {
    try memory.dropCollection(collection)
    recordSchema("{\"drop\":\(collection.id)}", of: collection.id)
  }

  /// Gives a collection another definition; the next checkpoint writes its file anew, under the new
  /// name if it was renamed.
  ///
  /// - Returns: the collection.
  /// - Throws: `StorageError.Code.nameConflict`, `StorageError.Code.invalidSchema`,
  ///   `StorageError.Code.uniqueViolation`, `StorageError.Code.invalidValue`.
  public func redefine(
    _ collection: Collection,
    as definition: CollectionDefinition,
    rows change: RowChange?
  ) throws(StorageError) -> Collection {
    var catalog = memory.catalog
    let resolved = try catalog.redefine(collection, as: definition, rows: change) { _, id, _ in
      Self.indexName(id)
    }
    let isRenamed = resolved.name != collection.name
    let redefined = try Collection(
      id: resolved.id,
      definition: resolved.definition,
      physicalName: isRenamed ? fileName(for: resolved.name, resolved.id) : resolved.physicalName,
      indexes: resolved.indexes.map { ($0.id, $0.physicalName) }
    )
    var line = "{\"redefine\":\(redefined.id),\"as\":\(try text(of: redefined))"
    if let change {
      let sources = try ArchiveCatalog.text(change.sources, of: "a change of \(collection.name)")
      line += ",\"sources\":\(sources)"
    }
    try memory.restoreRedefined(redefined, rows: change)
    recordSchema(line + "}", of: redefined.id)
    return redefined
  }

  /// Sets the largest automatic key that a collection has given out: the next one is one more.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func setLastAutomaticKey(
    _ key: Int64,
    of collection: Collection
  ) throws(StorageError) {
    try memory.setLastAutomaticKey(key, of: collection)
    record("{\"counter\":\(collection.id),\"last\":\(key)}", of: collection.id)
  }

  /// Sets the names of the applied migrations.
  ///
  /// - Throws: `StorageError.Code.transactionClosed`.
  public func setMigrations(_ names: [String]) throws(StorageError) {
    let list = try ArchiveCatalog.text(names, of: "the list of migrations")
    try memory.setMigrations(names)
    recordSchema("{\"migrations\":\(list)}", of: nil)
  }

  private func text(of collection: Collection) throws(StorageError) -> String {
    try ArchiveCatalog.text(
      ArchiveCatalog.Entry(collection, lastKey: nil, digest: nil),
      of: "collection \(collection.name)"
    )
  }

  private static func indexName(_ id: Int) -> String { "i\(id)" }

  /// The name of the file of a collection, without extension: the collection's own where it is safe
  /// and free.
  ///
  /// A name is not free while the file of another collection has it, even if that one was renamed
  /// and its file moves at the next checkpoint: there are moments at which the file is all there is
  /// of its records. That of a dropped collection may be taken over.
  private func fileName(for name: String, _ id: Int) -> String {
    let folded = Name.folded(name)
    // A file system may not tell two spellings apart.
    if let own = state.files[id]?.onDisk?.name, Name.folded(own) == folded { return own }
    var taken = ArchiveFolder.reservedNames
    var dropped = Set(state.obsolete.map(\.name))
    let live = Set(memory.catalog.collections.map(\.id))
    for collection in memory.catalog.collections where collection.id != id {
      taken.insert(Name.folded(collection.physicalName))
    }
    for (other, file) in state.files where other != id {
      guard let onDisk = file.onDisk else { continue }
      if live.contains(other) {
        taken.insert(Name.folded(onDisk.name))
      } else {
        dropped.insert(onDisk.name)
      }
    }
    let droppedFolded = Set(dropped.map(Name.folded))
    return Name.physical(name) { candidate in
      let folded = Name.folded(candidate)
      if taken.contains(folded) { return true }
      if droppedFolded.contains(folded) { return !dropped.contains(candidate) }
      // Somebody else's file is left alone.
      let stamp = Result { () throws(StorageError) in
        try FileStamp.of(storage.folder.records(candidate, state.encoding))
      }
      guard case .success(nil) = stamp else { return true }
      return false
    }
  }
}
