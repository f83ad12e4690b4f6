import Foundation
import Holdfast

/// Applies the changes of a journal's groups to the rows in memory.
struct JournalReplay {
  private let writer: ArchiveMemory.Writer
  private let path: String
  private var collections: [Int: Prepared] = [:]
  private let row = RowBuffer()
  /// The collections that were changed.
  private(set) var touched: Set<Int> = []

  private struct Prepared {
    var collection: Collection
    var rows: RowJSON
  }

  init(_ writer: ArchiveMemory.Writer, path: String) {
    self.writer = writer
    self.path = path
  }

  /// Takes a collection, whose file held all of it, for unchanged.
  mutating func forget(_ id: Int) { touched.remove(id) }

  /// Applies a group.
  ///
  /// `isWaiting` says whether the rows of a collection come later, from a file that has the group's
  /// changes already: it is empty until then, and only its definition and its counter change.
  mutating func apply(
    _ changes: UnsafeRawBufferPointer,
    isWaiting: (Int) -> Bool = { _ in false }
  ) throws(StorageError) {
    for line in JournalLine.lines(of: changes) {
      var reader = JSONReader(ByteSource(line))
      guard try reader.next() == .beginObject, try reader.next() == .key else {
        throw unreadable("a change")
      }
      switch reader.text {
      case "create": try create(line)
      case "migrations": try setMigrations(line)
      case let kind:
        guard case .integer(let id) = try reader.next() else { throw unreadable("a change") }
        try apply(kind, to: Int(id), &reader, line, isWaiting)
      }
    }
  }

  private mutating func apply(
    _ kind: String,
    to id: Int,
    _ reader: inout JSONReader,
    _ line: UnsafeRawBufferPointer,
    _ isWaiting: (Int) -> Bool
  ) throws(StorageError) {
    let prepared = try prepare(id)
    touched.insert(id)
    switch kind {
    case "put":
      guard try reader.next() == .key else { throw unreadable("a record") }
      let isWaiting = isWaiting(id)
      if isWaiting, prepared.collection.automaticKeyPosition == nil { return }
      try prepared.rows.read(from: &reader, into: row)
      if isWaiting {
        try raiseCounter(of: prepared.collection)
      } else {
        _ = try writer.put(row.view, in: prepared.collection)
      }
    case "delete":
      if !isWaiting(id) { try delete(prepared.collection, &reader) }
    case "clear": _ = try writer.deleteAll(in: prepared.collection)
    case "redefine": try redefine(prepared.collection, line)
    case "drop":
      try writer.dropCollection(prepared.collection)
      collections[id] = nil
    case "counter":
      guard try reader.next() == .key, case .integer(let last) = try reader.next() else {
        throw unreadable("a counter")
      }
      try writer.setLastAutomaticKey(last, of: prepared.collection)
    default: throw unreadable("a change")
    }
  }

  // MARK: Rows

  private func delete(
    _ collection: Collection,
    _ reader: inout JSONReader
  ) throws(StorageError) {
    guard try reader.next() == .key, try reader.next() == .beginArray else {
      throw unreadable("a deletion")
    }
    row.reset(count: collection.keyPositions.count)
    for (part, position) in collection.keyPositions.enumerated() {
      let token = try reader.next()
      try ValueJSON.read(
        token,
        from: &reader,
        collection.fields[position],
        in: collection.name,
        into: row,
        part
      )
    }
    _ = try writer.delete(row.view, from: collection)
  }

  /// Counts the key of ``row``, which may have been deleted since.
  private func raiseCounter(of collection: Collection) throws(StorageError) {
    guard let position = collection.automaticKeyPosition else { return }
    let key = row.view.integer(position)
    if key > (try writer.lastAutomaticKey(of: collection)) {
      try writer.setLastAutomaticKey(key, of: collection)
    }
  }

  private mutating func prepare(_ id: Int) throws(StorageError) -> Prepared {
    if let prepared = collections[id] { return prepared }
    guard let collection = writer.catalog.collections.first(where: { $0.id == id }) else {
      throw unreadable("a change of a collection that does not exist")
    }
    let prepared = Prepared(
      collection: collection,
      rows: RowJSON(collection, omitsNulls: true, usesDefaults: false)
    )
    collections[id] = prepared
    return prepared
  }

  // MARK: Schema

  private struct Creation: Decodable {
    var create: ArchiveCatalog.Entry
  }

  private struct Redefinition: Decodable {
    var `as`: ArchiveCatalog.Entry
    var sources: [RowChange.Source]?
  }

  private struct Migrations: Decodable {
    var migrations: [String]
  }

  private mutating func create(_ line: UnsafeRawBufferPointer) throws(StorageError) {
    guard let creation = try? JSONDecoder().decode(Creation.self, from: Data(line)) else {
      throw unreadable("a new collection")
    }
    let collection = try creation.create.collection()
    try writer.restoreCollection(collection)
    touched.insert(collection.id)
  }

  private mutating func redefine(
    _ collection: Collection,
    _ line: UnsafeRawBufferPointer
  ) throws(StorageError) {
    guard let change = try? JSONDecoder().decode(Redefinition.self, from: Data(line)),
      change.as.id == collection.id
    else { throw unreadable("a changed collection") }
    let redefined = try change.as.collection()
    if let sources = change.sources {
      guard sources.count == redefined.fields.count,
        sources.allSatisfy({ Self.isPossible($0, in: collection) })
      else { throw unreadable("a changed collection") }
    }
    try writer.restoreRedefined(
      redefined,
      rows: change.sources.map { RowChange($0, to: redefined.definition) }
    )
    collections[collection.id] = nil
  }

  /// Whether a source is a field that rows have, of the type that it says.
  private static func isPossible(_ source: RowChange.Source, in collection: Collection) -> Bool {
    switch source {
    case .field(let position): collection.fields.indices.contains(position)
    case .converted(let position, let type):
      collection.fields.indices.contains(position) && collection.fields[position].type == type
    case .value: true
    }
  }

  private func setMigrations(_ line: UnsafeRawBufferPointer) throws(StorageError) {
    guard let change = try? JSONDecoder().decode(Migrations.self, from: Data(line)) else {
      throw unreadable("a list of migrations")
    }
    try writer.setMigrations(change.migrations)
  }

  private func unreadable(_ what: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) holds \(what) that cannot be read; restore it from a backup",
      backend: "archive"
    )
  }
}
