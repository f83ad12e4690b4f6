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

  /// Applies a group.
  ///
  /// `created` is told of every collection that the group creates, once it exists; `isApplied` says
  /// whether a collection has the group's changes already.
  mutating func apply(
    _ changes: UnsafeRawBufferPointer,
    created: (Collection) throws(StorageError) -> Void,
    isApplied: (Int) -> Bool
  ) throws(StorageError) {
    for line in Self.lines(of: changes) {
      if line.starts(with: "{\"create\":".utf8) {
        try create(line, created)
      } else {
        try apply(line, isApplied)
      }
    }
  }

  /// The collections that a group changes.
  static func touched(by changes: UnsafeRawBufferPointer) -> Set<Int> {
    var touched: Set<Int> = []
    for line in lines(of: changes) {
      var reader = JSONReader(ByteSource(line))
      guard (try? reader.next()) == .beginObject, (try? reader.next()) == .key,
        case .integer(let id) = try? reader.next()
      else { continue }
      touched.insert(Int(id))
    }
    return touched
  }

  private static func lines(of bytes: UnsafeRawBufferPointer) -> some Sequence<
    UnsafeRawBufferPointer
  > {
    sequence(state: 0) { (start: inout Int) -> UnsafeRawBufferPointer? in
      guard start < bytes.count else { return nil }
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      defer { start = end + 1 }
      return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
  }

  // MARK: Changes

  private struct Creation: Decodable {
    var create: ArchiveCatalog.Entry
  }

  private mutating func create(
    _ line: UnsafeRawBufferPointer,
    _ created: (Collection) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let creation = try? JSONDecoder().decode(Creation.self, from: Data(line)) else {
      throw unreadable("a new collection")
    }
    let collection = try creation.create.collection()
    // The catalog may know it already, when a checkpoint was interrupted behind it.
    if writer.catalog.collection(named: collection.name) == nil {
      try writer.restoreCollection(collection)
      try created(collection)
    }
    touched.insert(collection.id)
  }

  private mutating func apply(
    _ line: UnsafeRawBufferPointer,
    _ isApplied: (Int) -> Bool
  ) throws(StorageError) {
    var reader = JSONReader(ByteSource(line))
    guard try reader.next() == .beginObject, try reader.next() == .key else {
      throw unreadable("a change")
    }
    let kind = reader.text
    guard case .integer(let id) = try reader.next() else { throw unreadable("a change") }
    if isApplied(Int(id)) { return }
    let prepared = try prepare(Int(id))
    touched.insert(Int(id))
    switch kind {
    case "put":
      guard try reader.next() == .key else { throw unreadable("a record") }
      try prepared.rows.read(from: &reader, into: row)
      _ = try writer.put(row.view, in: prepared.collection)
    case "delete":
      guard try reader.next() == .key, try reader.next() == .beginArray else {
        throw unreadable("a deletion")
      }
      let collection = prepared.collection
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
    case "clear":
      _ = try writer.deleteAll(in: prepared.collection)
    default:
      throw unreadable("a change")
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

  private func unreadable(_ what: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) holds \(what) that cannot be read; restore it from a backup",
      backend: "archive"
    )
  }
}
