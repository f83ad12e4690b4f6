import Foundation
import Holdfast
import HoldfastBackends

extension Command {
  /// Lists the backends.
  static let backends = Command(
    "backends",
    "list the backends with their engines, capabilities and limits",
    options: [.format],
    takesStore: false
  ) { invocation in
    let columns = [
      FieldDefinition("backend", .text), FieldDefinition("engine", .text),
      FieldDefinition("persistent", .bool), FieldDefinition("sharedByProcesses", .bool),
      FieldDefinition("maximumValueSize", .integer), FieldDefinition("maximumKeySize", .integer),
      FieldDefinition("url", .text),
    ]
    var writer = try RowWriter(
      invocation.arguments.rowFormat,
      columns: columns,
      source: "the backends",
      to: invocation.output
    )
    for scheme in StorageURL.Scheme.allCases {
      guard let capabilities = try capabilities(of: scheme) else { continue }
      try writer.add([
        .text(scheme.rawValue), .text(capabilities.engine),
        .integer(capabilities.isPersistent ? 1 : 0),
        .integer(capabilities.sharesBetweenProcesses ? 1 : 0),
        .integer(Int64(capabilities.maximumValueSize)),
        .integer(Int64(KeyCoding.maximumKeyLength)), .text(form(of: scheme)),
      ])
    }
    try writer.finish()
  }

  /// What a backend declares, asked of a new store in a temporary folder.
  ///
  /// - Returns: nil for a backend that is not built in.
  private static func capabilities(of scheme: StorageURL.Scheme) throws -> Capabilities? {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-backends-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // Failing to remove a temporary folder is no failure of the command.
      _ = Result { try FileManager.default.removeItem(at: folder) }
    }
    let path = scheme == .memory ? "" : folder.appendingPathComponent("store").path
    var url = StorageURL(scheme, path: path)
    url.options.durability = .none
    do throws(StorageError) {
      let store = try Backends.open(url)
      try store.close()
      return store.capabilities
    } catch {
      if error.code == .unsupported { return nil }
      throw error
    }
  }

  private static func form(of scheme: StorageURL.Scheme) -> String {
    switch scheme {
    case .sqlite: "sqlite:PATH"
    case .lmdb, .json, .plist: "\(scheme.rawValue):DIR"
    case .memory: "memory: or memory:NAME"
    }
  }
}
