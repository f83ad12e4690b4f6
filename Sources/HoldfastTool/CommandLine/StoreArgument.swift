import Foundation
import Holdfast
import HoldfastBackends

/// Stores that a command names by its arguments, as a URL or, where one exists, by its path alone.
enum StoreArgument {
  /// The URL of a store that exists and is only read.
  ///
  /// - Throws: `StorageError` with code `invalidConfiguration` for a URL that is not understood;
  ///   `cannotOpen` or `wrongKind` for a path at which there is no store.
  static func source(_ text: String) throws(StorageError) -> StorageURL {
    var url = isURL(text) ? try StorageURL(text) : try Backends.url(ofStoreAt: text)
    if url.scheme != .memory {
      url.options.isReadOnly = true
      url.options.createsIfMissing = false
    }
    return url
  }

  /// The URL of a store to be made.
  ///
  /// - Throws: as ``source(_:)``; a path alone does not say of which backend the store is to be.
  static func destination(_ text: String) throws(StorageError) -> StorageURL {
    if isURL(text) { return try StorageURL(text) }
    guard FileManager.default.fileExists(atPath: text) else {
      let known = StoreSelection.backends.map { "\($0):\(text)" }.joined(separator: ", ")
      throw StorageError(
        .invalidConfiguration,
        "\(text) does not say which backend the store is to have; write one of \(known)"
      )
    }
    return try Backends.url(ofStoreAt: text)
  }

  /// Whether a text is meant as a URL: a word and a colon, and no file of that name.
  private static func isURL(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    if StorageURL.Scheme(rawValue: String(text[..<colon])) != nil { return true }
    let isWord = !text[..<colon].isEmpty && text[..<colon].allSatisfy { $0.isLetter }
    return isWord && !FileManager.default.fileExists(atPath: text)
  }
}

extension Store {
  /// How many records there are, to tell how far work has come; nil where nobody looks.
  @available(*, noasync)
  func recordCount(for progress: ProgressLine) throws -> Int? {
    guard progress.isTerminal else { return nil }
    return try read { transaction in
      var count = 0
      for collection in try transaction.catalog.collections {
        count += try transaction.count(collection.name)
      }
      return count
    }
  }
}

extension ProgressLine {
  /// A function that reports how many of `total` records are done.
  func counter(of total: Int?) -> (Int) -> Void {
    { count in self.report(count, total.map { Double(count) / Double(max($0, 1)) }) }
  }
}
