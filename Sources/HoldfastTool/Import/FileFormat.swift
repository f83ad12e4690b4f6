import Foundation
import Holdfast

/// The format of a file of records.
package enum FileFormat: String, CaseIterable, Sendable {
  /// One JSON array, or an object that holds it.
  case json
  /// JSON lines: one object a line.
  case jsonl
  /// Comma-separated values with a header.
  case csv
  /// A property list, XML or binary.
  case plist

  /// The format by a file name's extension, or nil.
  package init?(extensionOf path: String) {
    switch (path as NSString).pathExtension.lowercased() {
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    case "csv": self = .csv
    case "plist": self = .plist
    default: return nil
    }
  }

  /// The format of an input by how it begins.
  ///
  /// - Throws: `StorageError` with code `malformedInput` if it could be anything.
  static func sniff(_ input: ImportInput) throws(StorageError) -> FileFormat {
    let start = try input.prefix(1024)
    let text = String(decoding: start, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{feff}" }
    if text.hasPrefix("bplist") || text.hasPrefix("<?xml") || text.hasPrefix("<!DOCTYPE")
      || text.hasPrefix("<plist")
    {
      return .plist
    }
    if text.hasPrefix("[") { return .json }
    if text.hasPrefix("{") {
      // Lines of objects go on after the first one.
      var reader = JSONReader(try input.source(), isSequence: true)
      try reader.skipValue()
      return try reader.next() == .end ? .json : .jsonl
    }
    throw StorageError(
      .malformedInput,
      "cannot tell the format of \(input.name); say --format json|jsonl|csv|plist"
    )
  }
}
