import Foundation
public import Holdfast

/// The second process of the suite's cases about processes: an executable that opens a store and
/// does as it is told on standard input, a command a line, with one line of answer each.
///
/// ```swift
/// @main struct Peer {
///   static func main() {
///     ConformancePeer.main { path, options in try MyStore.open(path, options: options) }
///   }
/// }
/// ```
public final class ConformancePeer {
  /// Opens the store at a path.
  public typealias Open = (_ path: String, _ options: StorageOptions) throws -> Store

  /// Serves until standard input ends.
  ///
  /// - Parameters:
  ///   - path: the store's path; the last argument of the command line if nil.
  ///   - open: opens the store at a path.
  public static func main(path: String? = nil, open: @escaping Open) {
    let peer = ConformancePeer(path ?? CommandLine.arguments.last ?? "", open)
    _ = peer.serve()
  }

  /// How a transaction ends.
  private enum Ending {
    case commit, rollback
  }
  private struct RolledBack: Error {}

  let path: String
  private let openStore: Open
  private var opened: Store?
  private var reader: ReadTransaction?

  private init(_ path: String, _ open: @escaping Open) {
    self.path = path
    openStore = open
  }

  // MARK: Lines

  /// Does as it is told until the innermost transaction ends, or all do.
  private func serve() -> Ending {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "commit": return .commit
      case "rollback": return .rollback
      default:
        do {
          Self.answer("ok \(try perform(words))")
        } catch let error as StorageError {
          Self.answer("error \(error.code) \(error)")
        } catch {
          Self.answer("error \(type(of: error)) \(error)")
        }
      }
    }
    // Nobody is left to tell how a transaction shall end.
    exit(0)
  }

  /// Writes one line at once, past any buffer.
  static func answer(_ line: String) {
    let bytes = Array((line.replacingOccurrences(of: "\n", with: " ") + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { exit(1) }
      written += count
    }
  }

  // MARK: Transactions

  /// The open store.
  func store() throws -> Store {
    guard let opened else { throw StorageError(.closed, "the peer has no store open") }
    return opened
  }

  func open(_ options: StorageOptions) throws -> Store {
    let store = try openStore(path, options)
    opened = store
    return store
  }

  func close() throws {
    try store().close()
    opened = nil
  }

  /// Answers that a transaction began, and serves inside it until it ends.
  private func serve(inside transaction: ReadTransaction) throws {
    let outer = reader
    reader = transaction
    defer { reader = outer }
    Self.answer("ok")
    if serve() == .rollback { throw RolledBack() }
  }

  /// Begins a transaction of a kind; returns when it has ended.
  func begin(_ kind: String) throws {
    do {
      switch kind {
      case "read": try store().read { try serve(inside: $0) }
      case "write": try store().write { try serve(inside: $0) }
      default:
        try writing { transaction in
          try transaction.savepoint { try serve(inside: transaction) }
        }
      }
    } catch is RolledBack {}
  }

  /// Reads in the open transaction, or in one of its own.
  func reading<T>(_ body: (ReadTransaction) throws -> T) throws -> T {
    if let reader { return try body(reader) }
    return try store().read(body)
  }

  /// Writes in the open transaction, or in one of its own.
  func writing<T>(_ body: (WriteTransaction) throws -> T) throws -> T {
    if let writer = reader as? WriteTransaction { return try body(writer) }
    return try store().write(body)
  }
}
