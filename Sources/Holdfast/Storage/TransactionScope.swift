import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Which transactions the current thread is inside of, innermost first.
///
/// A transaction body is synchronous, so a thread-specific chain is exact: it lets a nested `read`
/// join, and refuses a nested `write` or `close`.
enum TransactionScope {
  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the system has no thread-specific key left")
    return key
  }()

  private static var innermost: ReadTransaction? {
    pthread_getspecific(slot).map { raw in
      Unmanaged<ReadTransaction>.fromOpaque(raw).takeUnretainedValue()
    }
  }

  /// The innermost transaction of a store on this thread.
  static func current(of owner: ObjectIdentifier) -> ReadTransaction? {
    var scope = innermost
    while let candidate = scope {
      if candidate.scope.owner == owner { return candidate }
      scope = candidate.scope.outer
    }
    return nil
  }

  /// Runs `body` inside a transaction's scope; once for each transaction.
  static func enter<T>(
    _ owner: ObjectIdentifier,
    _ transaction: ReadTransaction,
    _ body: () throws -> T
  ) rethrows -> T {
    let outer = innermost
    transaction.scope = (owner, outer)
    pthread_setspecific(slot, Unmanaged.passUnretained(transaction).toOpaque())
    defer {
      pthread_setspecific(slot, outer.map { Unmanaged.passUnretained($0).toOpaque() })
      transaction.scope = (nil, nil)
    }
    return try withExtendedLifetime(transaction) { try body() }
  }
}
