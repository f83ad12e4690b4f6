import Foundation
import Holdfast
import HoldfastBackends

/// A folder of its own for one test, removed with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "holdfast-services-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    // Nothing depends on it, and there is nobody to tell.
    _ = Result { try FileManager.default.removeItem(atPath: path) }
  }

  /// Opens the store of a scheme in this folder, the way an application does: by a configuration
  /// file, the only thing that differs between backends.
  func open(_ scheme: StorageURL.Scheme, _ name: String = "store") throws -> Store {
    let place = scheme == .memory ? "\(path)/\(name)" : name
    let configuration = "\(path)/holdfast.json"
    try Data(#"{"storage": "\#(scheme.rawValue):\#(place)"}"#.utf8)
      .write(to: URL(fileURLWithPath: configuration))
    return try Backends.open(configuration: configuration)
  }
}

func errorCode(_ body: () throws -> Void) -> StorageError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StorageError)?.code
  }
}
