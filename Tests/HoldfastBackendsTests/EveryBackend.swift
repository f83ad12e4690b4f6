import Foundation
import Holdfast
import HoldfastBackends

/// The storage URL of each built-in backend, with `FOLDER` for a folder of its own.
let everyBackend = [
  "memory:", "sqlite:FOLDER/s.db", "lmdb:FOLDER/l", "json:FOLDER/j", "plist:FOLDER/p",
]

/// Opens a store of a backend in a folder, without waiting for the disk.
func open(_ url: String, in folder: String) throws -> Store {
  var parsed = try StorageURL(url.replacingOccurrences(of: "FOLDER", with: folder))
  parsed.options.durability = .none
  parsed.options.timeout = .seconds(60)
  return try Backends.open(parsed)
}

/// Runs a body with a folder of its own, which is removed afterwards.
func withFolder<T>(_ body: (String) throws -> T) throws -> T {
  let folder = try makeFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path)
}

/// Runs a body with a folder of its own, which is removed afterwards.
func withFolder<T>(_ body: (String) async throws -> T) async throws -> T {
  let folder = try makeFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}

private func makeFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

extension Store {
  /// Closes the store from asynchronous code.
  func closeNow() throws { try close() }
}
