import Foundation

/// An application's configuration file: a JSON object whose `storage` names the store.
///
/// ```json
/// { "storage": "sqlite:app.db" }
/// ```
///
/// Other keys are the application's own. Paths are relative to the file's folder.
public struct Configuration: Sendable, Hashable {
  /// The store to open, or nil if the file does not say.
  public var storage: StorageURL?

  /// Reads a configuration file.
  ///
  /// - Throws: ``StorageError/Code/cannotOpen`` if it cannot be read;
  ///   ``StorageError/Code/invalidConfiguration`` if it is not understood.
  public init(contentsOf path: String) throws(StorageError) {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw StorageError(
        .cannotOpen,
        "cannot read the configuration file \(path)",
        underlying: error
      )
    }
    let file: File
    do {
      try Self.checkStrictly(data)
      file = try JSONDecoder().decode(File.self, from: data)
    } catch {
      throw StorageError(
        .invalidConfiguration,
        "\(path) is no configuration file; it holds a JSON object as { \"storage\": \"sqlite:app.db\" }",
        underlying: error
      )
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard let text = file.storage else { return }
    do throws(StorageError) {
      storage = try StorageURL(text, relativeTo: folder)
    } catch {
      throw StorageError(error.code, "\(path): \(error.message)")
    }
  }

  /// Foundation would take one of several keys of the same name.
  private static func checkStrictly(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var reader = JSONReader(ByteSource(bytes))
      while try reader.next() != .end {}
    }
  }

  private struct File: Decodable {
    var storage: String?
  }
}
