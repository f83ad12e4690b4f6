import Foundation
public import Holdfast
import HoldfastLMDB

extension Backends {
  /// Removes a closed store with all its files; one in memory with its content.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `StorageError.Code.wrongKind` if the path holds something else, which stays;
  ///   `StorageError.Code.ioError` if the system refuses.
  @discardableResult
  public static func destroy(_ url: StorageURL) throws(StorageError) -> Bool {
    if url.scheme == .memory { return MemoryEngine.destroy(name: url.path) }
    try checkKind(url)
    // Files beside a store may outlive it.
    let suffixes = url.scheme == .sqlite ? ["-wal", "-shm", "-journal", ""] : [""]
    var wasThere = false
    for suffix in suffixes where FileManager.default.fileExists(atPath: url.path + suffix) {
      do {
        try FileManager.default.removeItem(atPath: url.path + suffix)
        wasThere = suffix.isEmpty
      } catch {
        throw StorageError(
          .ioError,
          "\(url.path + suffix) cannot be removed; check its permissions",
          backend: url.scheme.rawValue,
          underlying: error
        )
      }
    }
    return wasThere
  }

  /// Makes a closed store look as if a newer version had written it, for conformance tests.
  ///
  /// - Throws: `StorageError.Code.unsupported` for a store in memory; what writing throws.
  package static func raiseFormat(_ url: StorageURL) throws {
    let newer = Catalog.currentFormat + 98
    switch url.scheme {
    case .memory:
      throw StorageError(.unsupported, "a store in memory has no format on disk")
    case .sqlite:
      // The user version in the database's header, big-endian.
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: url.path))
      try file.seek(toOffset: 60)
      try file.write(contentsOf: Data([0, 0, 0, UInt8(newer)]))
      try file.close()
    case .lmdb:
      let engine = try LMDBEngine(path: url.path, options: url.options)
      let table = try engine.openTable("catalog")
      let writer = try engine.beginWriting(timeout: url.options.timeout)
      if let table {
        // A CBOR integer of one byte after its head.
        try Array("format".utf8).withUnsafeBytes { key in
          try [0x18, UInt8(newer)].withUnsafeBytes { try writer.put(key, $0, in: table) }
        }
      }
      try writer.commit()
      try engine.close()
    case .json, .plist:
      let path = url.path + "/catalog.json"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let pattern = "\"format\"\\s*:\\s*\(Catalog.currentFormat)(?![0-9])"
      let raised = text.replacingOccurrences(
        of: pattern,
        with: "\"format\": \(newer)",
        options: .regularExpression
      )
      try raised.write(toFile: path, atomically: false, encoding: .utf8)
    }
  }
}
