import Foundation
import Holdfast

/// The catalog of an archive, `catalog.json` in every format: what the store holds, and which
/// content each record file has at the commit `base`.
struct ArchiveCatalog {
  /// The newest format of archives that this version reads and writes.
  static let format = 1
  static let fileName = "catalog.json"

  var encoding: ArchiveEncoding
  var store: String
  /// The last commit that the record files hold.
  var base: Int64
  var schemaVersion: Int64
  var nextID: Int
  /// The names of the migrations that were applied, in order.
  var migrations: [String]
  var collections: [Entry]

  /// The contents of the record files, by collection.
  var digests: [(id: Int, digest: FileDigest)] {
    collections.compactMap { entry in entry.digest.map { (entry.id, $0) } }
  }

  /// A collection with its file.
  struct Entry: Codable {
    struct Index: Codable {
      var id: Int
      var physicalName: String
    }

    var id: Int
    /// The engine's own name for it, and its file's without the extension.
    var physicalName: String
    var definition: CollectionDefinition
    /// Ids and physical names of the indexes, in the order of the definition.
    var indexes: [Index]
    /// The last automatic key given out, where keys are automatic.
    var lastKey: Int64?
    /// The hash of the file's content, in hexadecimal; nil while it has no file.
    var hash: String?
    var size: Int?

    init(_ collection: Collection, lastKey: Int64?, digest: FileDigest?) {
      id = collection.id
      physicalName = collection.physicalName
      definition = collection.definition
      indexes = collection.indexes.map { Index(id: $0.id, physicalName: $0.physicalName) }
      self.lastKey = lastKey
      hash = digest.map { XXHash64.text($0.hash) }
      size = digest?.size
    }

    /// The content that the file has.
    var digest: FileDigest? {
      guard let hash, let size, let value = UInt64(hash, radix: 16) else { return nil }
      return FileDigest(hash: value, size: size)
    }

    /// The collection; its definition and the name of its file are checked.
    func collection() throws(StorageError) -> Collection {
      try definition.validate()
      guard ArchiveFolder.isRecordName(physicalName) else {
        throw StorageError(
          .corrupt,
          "collection \(definition.name) has a file name that no store gives; restore a backup",
          backend: "archive"
        )
      }
      return try Collection(
        id: id,
        definition: definition,
        physicalName: physicalName,
        indexes: indexes.map { ($0.id, $0.physicalName) }
      )
    }
  }

  // MARK: Coding

  private struct Head: Decodable {
    var holdfast: String
    var format: Int
  }

  private struct Content: Codable {
    var encoding: ArchiveEncoding
    var store: String
    var base: Int64
    var schemaVersion: Int64
    var nextID: Int
    /// Absent where none was applied, and in catalogs from before there were any.
    var migrations: [String]?
    var collections: [Entry]
  }

  /// The catalog's text: one collection a line, a check over everything before it last.
  func text() throws(StorageError) -> [UInt8] {
    var text = """
      {
      "holdfast":"archive","format":\(Self.format),"encoding":"\(encoding.rawValue)",
      "store":"\(store)","base":\(base),
      "schemaVersion":\(schemaVersion),"nextID":\(nextID),

      """
    if !migrations.isEmpty {
      text += "\"migrations\":\(try Self.text(migrations, of: "the list of migrations")),\n"
    }
    text += "\"collections\":["
    for (index, entry) in collections.enumerated() {
      text += index == 0 ? "\n" : ",\n"
      text += try Self.text(entry, of: "collection \(entry.definition.name)")
    }
    text += "\n]"
    var bytes = Array(text.utf8)
    let hash = bytes.withUnsafeBytes { XXHash64.hash($0) }
    bytes.append(contentsOf: ",\"check\":\"\(XXHash64.text(hash))\"}\n".utf8)
    return bytes
  }

  /// A part of a catalog or a change of it in one line of JSON.
  static func text(_ part: some Encodable, of what: String) throws(StorageError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(part), as: UTF8.self)
    } catch {
      throw StorageError(
        .invalidSchema,
        "\(what) cannot be written to a catalog",
        underlying: error
      )
    }
  }

  /// Reads a catalog.
  ///
  /// Where `isOurs` says that the folder has other signs of an archive, a file that cannot be read
  /// counts as damaged rather than as somebody else's.
  ///
  /// - Throws: `StorageError.Code.wrongKind`, `StorageError.Code.newerFormat`,
  ///   `StorageError.Code.corrupt`.
  init(_ bytes: UnsafeRawBufferPointer, path: String, isOurs: Bool) throws(StorageError) {
    let data = Data(bytes)
    guard let head = try? JSONDecoder().decode(Head.self, from: data), head.holdfast == "archive"
    else {
      if isOurs || bytes.starts(with: "{\n\"holdfast\":\"archive\"".utf8) {
        throw Self.damaged(path)
      }
      throw StorageError(
        .wrongKind,
        "\(path) is not the catalog of an archive; choose another folder",
        backend: "archive"
      )
    }
    guard head.format <= Self.format else {
      throw StorageError(
        .newerFormat,
        "\(path) has format \(head.format), and this version of Holdfast reads up to "
          + "\(Self.format); use a newer version",
        backend: "archive"
      )
    }
    // The check ends the file as it ends a group of the journal.
    guard JournalLine.isIntact(bytes),
      let content = try? JSONDecoder().decode(Content.self, from: data)
    else { throw Self.damaged(path) }
    encoding = content.encoding
    store = content.store
    base = content.base
    schemaVersion = content.schemaVersion
    nextID = content.nextID
    migrations = content.migrations ?? []
    collections = content.collections
  }

  private static func damaged(_ path: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) is damaged; restore it from a backup (nothing was changed)",
      backend: "archive"
    )
  }

  /// The catalog of an empty store.
  init(encoding: ArchiveEncoding, store: String) {
    self.encoding = encoding
    self.store = store
    base = 0
    schemaVersion = 1
    nextID = 1
    migrations = []
    collections = []
  }

  /// The catalog of a snapshot after the commit `base`, over files of the given contents.
  init(
    of snapshot: some StorageReader,
    encoding: ArchiveEncoding,
    base: Int64,
    digests: [Int: FileDigest]
  ) throws(StorageError) {
    let catalog = snapshot.catalog
    self.encoding = encoding
    self.base = base
    store = catalog.storeID
    schemaVersion = catalog.schemaVersion
    nextID = catalog.nextID
    migrations = catalog.migrations
    collections = []
    for collection in catalog.collections {
      var lastKey: Int64?
      if collection.automaticKeyPosition != nil {
        lastKey = try snapshot.lastAutomaticKey(of: collection)
      }
      collections.append(Entry(collection, lastKey: lastKey, digest: digests[collection.id]))
    }
  }
}
