/// Whom a store tells of its operations, and of which.
final class OperationLog: Sendable {
  private let threshold: Duration
  private let handler: @Sendable (StoreOperation) -> Void

  init(slowerThan threshold: Duration, _ handler: @escaping @Sendable (StoreOperation) -> Void) {
    self.threshold = threshold
    self.handler = handler
  }

  /// Runs an operation and tells of it.
  func timing<T>(
    _ kind: StoreOperation.Kind,
    _ collection: String?,
    rows: (T) -> Int = { _ in 1 },
    _ body: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    let start = ContinuousClock.now
    do throws(StorageError) {
      let result = try body()
      tell(kind, collection, .now - start, rows: rows(result), failure: nil)
      return result
    } catch {
      tell(kind, collection, .now - start, rows: 0, failure: error.code)
      throw error
    }
  }

  /// Tells of an operation, if it took long enough; texts are made only then.
  func tell(
    _ kind: StoreOperation.Kind,
    _ collection: String?,
    _ duration: Duration,
    rows: Int,
    failure: StorageError.Code?,
    text: @autoclosure () -> String? = nil,
    plan: @autoclosure () -> String? = nil
  ) {
    if duration < threshold { return }
    handler(
      StoreOperation(
        kind: kind,
        collection: collection,
        text: text() ?? collection.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue,
        plan: plan(),
        duration: duration,
        rows: rows,
        failure: failure
      )
    )
  }
}

extension Store {
  /// Tells of every operation that takes at least as long as a threshold, from the next transaction on.
  ///
  /// There is one log for all handles of a store; a new one takes the place of the last. Without one
  /// nothing is measured. The handler is called at the end of the operation, on its thread and inside
  /// its transaction: it must be quick, and must not use the store.
  ///
  /// ```swift
  /// store.logOperations(slowerThan: .milliseconds(50)) { logger.warning("slow: \($0)") }
  /// ```
  /// - Parameters:
  ///   - threshold: the shortest duration to tell of; zero for all.
  ///   - handler: what to do with each.
  public func logOperations(
    slowerThan threshold: Duration = .zero,
    _ handler: @escaping @Sendable (StoreOperation) -> Void
  ) {
    shared.log = OperationLog(slowerThan: threshold, handler)
  }

  /// Ends the log of operations, from the next transaction on.
  public func stopLogging() { shared.log = nil }
}
