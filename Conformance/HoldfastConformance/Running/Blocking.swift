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

extension Blocking {
  /// Runs `body` on several threads that begin together, and waits for all.
  ///
  /// - Returns: what each gave or threw, in the order of their numbers.
  static func onThreads<T: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (_ number: Int) throws -> T
  ) -> [Result<T, any Error>] {
    let results = Outcomes<T>(count)
    let group = DispatchGroup()
    let start = DispatchSemaphore(value: 0)
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        start.wait()
        let result = Result { try body(number) }
        results.all.withLock { $0[number] = result }
        group.leave()
      }
    }
    for _ in 0..<count { start.signal() }
    group.wait()
    return results.all.withLock { $0.compactMap { $0 } }
  }

  private final class Outcomes<T: Sendable>: Sendable {
    let all: Mutex<[Result<T, any Error>?]>
    init(_ count: Int) { all = Mutex(Array(repeating: nil, count: count)) }
  }
}

/// A door that opens once: threads wait at it.
final class Door: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Lets everybody through.
  func open() { semaphore.signal() }

  /// Waits until the door is open.
  ///
  /// - Throws: `StorageError.Code.busy` if it stays shut for half a minute.
  func wait() throws(StorageError) {
    guard semaphore.wait(timeout: .now() + 30) == .success else {
      throw StorageError(.busy, "the other part of the case did not get there")
    }
    semaphore.signal()
  }
}
