import Foundation
import Holdfast
import Synchronization

/// The synchronous side of the API, for asynchronous bodies, and threads to run it on.
enum Blocking {
  /// A synchronous read.
  static func read<T>(_ store: Store, _ body: (ReadTransaction) throws -> T) throws -> T {
    try store.read(body)
  }

  /// A synchronous write.
  static func write<T>(_ store: Store, _ body: (WriteTransaction) throws -> T) throws -> T {
    try store.write(body)
  }

  /// Runs `body` on another thread and waits for it.
  static func onAnotherThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    let outcome = Outcome<T>()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let result = Result { try body() }
      outcome.result.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
      throw StorageError(.ioError, "the other thread ended without a result")
    }
    return try result.get()
  }

  private final class Outcome<T: Sendable>: Sendable {
    let result = Mutex<Result<T, any Error>?>(nil)
  }
}
