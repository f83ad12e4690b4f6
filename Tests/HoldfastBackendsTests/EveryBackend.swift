import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The backends, each with a store in a folder of its own.
enum EveryBackend {
  static let schemes = ["memory", "sqlite", "lmdb", "json", "plist"]

  /// Runs a body with a way to open the same store, as often as it likes, in a new folder.
  static func withFolder<T>(
    _ scheme: String,
    _ body: (_ open: @Sendable () throws -> Store) async throws -> T
  ) async throws -> T {
    let name = UUID().uuidString
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var url = try StorageURL(
      scheme == "memory" ? "memory:\(name)" : "\(scheme):\(folder.path)/store"
    )
    url.options.durability = .none
    url.options.timeout = .seconds(60)
    let ready = url
    return try await body { try Backends.open(ready) }
  }

  /// Runs a body on an empty store.
  static func withStore<T>(_ scheme: String, _ body: (Store) async throws -> T) async throws -> T {
    try await withFolder(scheme) { open in
      let store = try open()
      let result = try await body(store)
      try store.close()
      return result
    }
  }
}

/// The error that a body throws, as the store's.
func storageError(
  _ body: () async throws -> Void,
  sourceLocation: SourceLocation = #_sourceLocation
) async -> StorageError? {
  do {
    try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as StorageError {
    return error
  } catch {
    Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
  }
  return nil
}
