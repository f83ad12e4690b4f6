import Foundation
import Holdfast
import HoldfastTool

/// Stores and files for tests of import and export.
enum ImportSample {
  /// A store in memory with the given collections.
  static func store(_ definitions: CollectionDefinition...) throws -> Store {
    let store = Store(try KeyValueStorage(MemoryEngine()))
    try store.write { transaction in
      for definition in definitions { try transaction.createCollection(definition) }
    }
    return store
  }

  /// Runs `body` with the path of a file in a folder of its own, which is removed afterwards.
  static func withFile<T>(
    _ content: some Sequence<UInt8>,
    named name: String,
    _ body: (String) throws -> T
  ) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = Result { try FileManager.default.removeItem(at: folder) } }
    let file = folder.appendingPathComponent(name)
    try Data(content).write(to: file)
    return try body(file.path)
  }

  /// Imports a text into a new collection `thing`.
  static func create(
    _ text: String,
    named name: String,
    key: [String]? = nil,
    records: String? = nil,
    in store: Store
  ) throws -> ImportResult {
    try withFile(text.utf8, named: name) { path in
      var job = ImportJob(path: path, into: "thing")
      job.createsCollection = true
      job.key = key
      job.records = try records.map { try JSONPointer($0) }
      return try job.run(on: store)
    }
  }

  /// Imports a text into a collection that exists.
  static func add(
    _ text: String,
    named name: String,
    onConflict: ImportJob.Conflict = .fail,
    in store: Store
  ) throws -> ImportResult {
    try withFile(text.utf8, named: name) { path in
      var job = ImportJob(path: path, into: "thing")
      job.onConflict = onConflict
      return try job.run(on: store)
    }
  }

  /// The fields of the collection `thing` in words: `name type`, with a question mark if optional.
  static func fields(_ store: Store) throws -> [String] {
    try store.read { transaction in
      try transaction.collection("thing").fields.map {
        "\($0.name) \($0.type)\($0.isOptional ? "?" : "")"
      }
    }
  }

  /// The records of the collection `thing`, in key order.
  static func records(_ store: Store) throws -> [[Value]] {
    try store.read { try $0.fetch(Query("thing")).map(\.values) }
  }

  /// The error of a call, or nil.
  static func error<T>(_ body: () throws -> T) -> StorageError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? StorageError
    }
  }
}
