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
final class TransactionScope {
  let owner: ObjectIdentifier
  let transaction: ReadTransaction
  let outer: TransactionScope?

  private init(owner: ObjectIdentifier, transaction: ReadTransaction, outer: TransactionScope?) {
    self.owner = owner
    self.transaction = transaction
    self.outer = outer
  }

  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the system has no thread-specific key left")
    return key
  }()

  private static var innermost: TransactionScope? {
    pthread_getspecific(slot).map { raw in
      Unmanaged<TransactionScope>.fromOpaque(raw).takeUnretainedValue()
    }
  }

  /// The innermost transaction of a store on this thread.
  static func current(of owner: ObjectIdentifier) -> ReadTransaction? {
    var scope = innermost
    while let candidate = scope {
      if candidate.owner == owner { return candidate.transaction }
      scope = candidate.outer
    }
    return nil
  }

  /// Runs `body` inside a transaction's scope.
  static func enter<T>(
    _ owner: ObjectIdentifier,
    _ transaction: ReadTransaction,
    _ body: () throws -> T
  ) rethrows -> T {
    let outer = innermost
    let scope = TransactionScope(owner: owner, transaction: transaction, outer: outer)
    pthread_setspecific(slot, Unmanaged.passUnretained(scope).toOpaque())
    defer {
      pthread_setspecific(slot, outer.map { Unmanaged.passUnretained($0).toOpaque() })
    }
    return try withExtendedLifetime(scope) { try body() }
  }
}
