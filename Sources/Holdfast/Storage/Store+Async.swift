import Foundation
import Synchronization

extension Store {
  /// Runs `body` on a snapshot, on a thread of the store's own; the task suspends meanwhile.
  ///
  /// - Throws: what the body throws; `CancellationError` if the task was cancelled before the body
  ///   ran, or while one of its queries did; ``StorageError/Code/busy``, ``StorageError/Code/closed``.
  public func read<T>(
    _ body: sending @escaping (ReadTransaction) throws -> sending T
  ) async throws -> sending T {
    try await runAsync(body, on: shared.readQueue) { store, deadline, cancellation, body in
      try store.performRead(deadline: deadline, cancellation: cancellation, body)
    }
  }

  /// Runs `body` in the write transaction, on the store's writer thread, and commits; the task
  /// suspends meanwhile.
  ///
  /// Bodies run in the order in which they arrive.
  ///
  /// - Throws: what the body throws, after rolling back; `CancellationError` if the task was
  ///   cancelled before the body ran, or while one of its queries did, and nothing was written;
  ///   otherwise as the synchronous `write`.
  @discardableResult
  public func write<T>(
    _ body: sending @escaping (WriteTransaction) throws -> sending T
  ) async throws -> sending T {
    try await runAsync(body, on: shared.writeQueue) { store, deadline, cancellation, body in
      try store.performWrite(deadline: deadline, cancellation: cancellation, body)
    }
  }

  private func runAsync<Transaction, T>(
    _ body: sending @escaping (Transaction) throws -> sending T,
    on queue: JobQueue,
    perform:
      @escaping @Sendable (
        Store, ContinuousClock.Instant, Cancellation, (Transaction) throws -> T
      ) throws -> T
  ) async throws -> sending T {
    let job = AsyncJob<T>()
    let cancellation = Cancellation()
    let boxed = Transferred(body)
    let deadline = deadline()
    let outcome: Transferred<T> = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard job.install(continuation) else { return }
        queue.add {
          guard job.start() else { return }
          job.finish(Result { Transferred(try perform(self, deadline, cancellation, boxed.value)) })
        }
        if job.isWaiting { shared.deadlines.add(job, deadline: deadline) }
      }
    } onCancel: {
      job.abandon(CancellationError())
      cancellation.cancel()
    }
    return outcome.value
  }
}

/// Moves a value that is given up on one side to the thread on the other side.
///
/// Sound because its only users take it `sending` and hand it over exactly once.
private struct Transferred<Value>: @unchecked Sendable {
  nonisolated(unsafe) let value: Value
  init(_ value: Value) { self.value = value }
}

/// One waiting body: started once, or abandoned before that.
private final class AsyncJob<T>: DeadlineQueue.Waiter {
  private enum State {
    case new
    case waiting(CheckedContinuation<Transferred<T>, any Error>)
    case running(CheckedContinuation<Transferred<T>, any Error>)
    case abandoned(any Error)
    case done
  }
  private let state = Mutex<State>(.new)

  /// Takes the continuation; resumes it and says false if the job was abandoned already.
  func install(_ continuation: CheckedContinuation<Transferred<T>, any Error>) -> Bool {
    let error: (any Error)? = state.withLock { state in
      if case .abandoned(let error) = state {
        state = .done
        return error
      }
      state = .waiting(continuation)
      return nil
    }
    guard let error else { return true }
    continuation.resume(throwing: error)
    return false
  }

  var isWaiting: Bool {
    state.withLock { state in
      if case .waiting = state { return true }
      return false
    }
  }

  func expire() {
    abandon(StorageError(.busy, "the store was busy for longer than the timeout; try again"))
  }

  /// Whether the body may run now.
  func start() -> Bool {
    state.withLock { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .running(continuation)
      return true
    }
  }

  func finish(_ result: Result<Transferred<T>, any Error>) {
    let continuation: CheckedContinuation<Transferred<T>, any Error>? = state.withLock { state in
      guard case .running(let continuation) = state else { return nil }
      state = .done
      return continuation
    }
    continuation?.resume(with: result)
  }

  /// Ends the job with an error if its body has not begun.
  func abandon(_ error: any Error) {
    let continuation: CheckedContinuation<Transferred<T>, any Error>? = state.withLock { state in
      switch state {
      case .new:
        state = .abandoned(error)
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .running, .abandoned, .done:
        return nil
      }
    }
    continuation?.resume(throwing: error)
  }
}
