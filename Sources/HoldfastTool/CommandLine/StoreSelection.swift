import Foundation
package import Holdfast
import HoldfastBackends

/// Which store a command works on: flag, else environment, else configuration file, else default.
package enum StoreSelection {
  /// The names of the backends.
  package static let backends = StorageURL.Scheme.allCases.map(\.rawValue)
  /// The store where nothing says otherwise.
  static let defaultURL = "sqlite:holdfast.db"
  /// The configuration file that is read if there is one.
  static let defaultConfiguration = "holdfast.json"

  /// The URL that the arguments, the environment and the configuration file choose.
  ///
  /// - Throws: `UsageError` for flags that contradict each other; `StorageError` for a URL or a file
  ///   that is not understood.
  package static func url(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws -> StorageURL {
    if let url = try flagged(arguments) { return url }
    if let text = environment["HOLDFAST_STORAGE"], !text.isEmpty {
      do throws(StorageError) {
        return try StorageURL(text)
      } catch {
        throw StorageError(error.code, "HOLDFAST_STORAGE: \(error.message)")
      }
    }
    if let file = arguments["--config"] {
      guard let url = try Configuration(contentsOf: file).storage else {
        throw StorageError(
          .invalidConfiguration,
          "\(file) names no store; add \"storage\": \"\(defaultURL)\""
        )
      }
      return url
    }
    if FileManager.default.fileExists(atPath: defaultConfiguration),
      let url = try Configuration(contentsOf: defaultConfiguration).storage
    {
      return url
    }
    return try StorageURL(defaultURL)
  }

  private static func flagged(_ arguments: ParsedArguments) throws -> StorageURL? {
    let backend = arguments["--backend"]
    let path = arguments["--path"]
    if let text = arguments["--storage"] {
      guard backend == nil, path == nil else {
        throw UsageError("give either --storage or --backend with --path, not both")
      }
      return try StorageURL(text)
    }
    guard let backend else {
      guard path == nil else {
        throw UsageError("--path needs --backend \(backends.joined(separator: "|"))")
      }
      return nil
    }
    guard let scheme = StorageURL.Scheme(rawValue: backend) else {
      throw UsageError.unknown("backend", backend, among: backends)
    }
    if let path { return StorageURL(scheme, path: path) }
    guard scheme == .memory else {
      throw UsageError("--backend \(backend) needs --path PATH")
    }
    return StorageURL(.memory, path: "")
  }
}

extension Invocation {
  /// Opens the chosen store, runs `body` with it and closes it.
  ///
  /// - Parameters:
  ///   - creates: whether a store may be created; most commands do not create one.
  ///   - body: does the work.
  /// - Returns: what the body returns.
  /// - Throws: what choosing, opening and closing the store throw, and what the body throws.
  func withStore<T>(creates: Bool = false, _ body: (Store) throws -> T) throws -> T {
    let url = try storeURL(creates: creates)
    let isMissing = url.scheme != .memory && StoreKind(at: url.path) == .missing
    var isLeftover = false
    do {
      return try OpenStore.with(url) { store in
        do {
          return try body(store)
        } catch {
          isLeftover = isMissing && store.wasCreated && store.isVacant
          throw error
        }
      }
    } catch {
      // A command that fails leaves no store where none was.
      if isLeftover { _ = Result { try Backends.destroy(url) } }
      throw error
    }
  }

  /// The chosen store's URL.
  func storeURL(creates: Bool) throws -> StorageURL {
    var url = try StoreSelection.url(
      arguments,
      environment: ProcessInfo.processInfo.environment
    )
    if !creates, url.scheme != .memory { url.options.createsIfMissing = false }
    return url
  }
}

/// Stores that are open for the time of a command.
enum OpenStore {
  /// Opens a store, runs `body` with it and closes it.
  ///
  /// - Throws: what opening and closing the store throw, and what the body throws.
  static func with<T>(_ url: StorageURL, _ body: (Store) throws -> T) throws -> T {
    let store = try Backends.open(url)
    let result: T
    do {
      result = try body(store)
    } catch {
      // The first failure is the one to report.
      _ = Result { try store.close() }
      throw error
    }
    try store.close()
    return result
  }
}

extension Store {
  /// Whether it is known to hold nothing.
  fileprivate var isVacant: Bool {
    let count = try? read { try $0.catalog.collections.count }
    return count == 0
  }
}
