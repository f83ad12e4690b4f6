import Foundation
import Holdfast

/// Connections that wait for work, and those who wait for one.
final class ConnectionPool: @unchecked Sendable {
  // Unchecked: `condition` protects everything that changes.
  private let limit: Int
  private let idleLimit: Int
  private let open: @Sendable () throws(StorageError) -> SQLiteConnection

  // `condition` protects everything below, and orders the uses of each connection.
  private let condition = NSCondition()
  private var idle: [SQLiteConnection] = []
  private var count = 0
  private var state = State.open

  /// Whether the pool gives connections.
  enum State {
    case open, suspended, closed
  }

  /// Creates an empty pool.
  ///
  /// - Parameters:
  ///   - limit: the most connections at a time.
  ///   - idleLimit: the most that are kept open when they have no work.
  ///   - open: opens a connection.
  init(
    limit: Int,
    idleLimit: Int,
    open: @escaping @Sendable () throws(StorageError) -> SQLiteConnection
  ) {
    self.limit = limit
    self.idleLimit = idleLimit
    self.open = open
  }

  /// Takes a connection, waiting at most `timeout` for one.
  ///
  /// - Throws: `StorageError.Code.busy`, `StorageError.Code.closed`,
  ///   `StorageError.Code.suspended`; what opening throws.
  func take(timeout: Duration) throws(StorageError) -> SQLiteConnection {
    condition.lock()
    // Only an open pool keeps idle connections.
    if let connection = idle.popLast() {
      condition.unlock()
      return connection
    }
    return try takeOrOpen(until: Date(timeIntervalSinceNow: timeout / .seconds(1)))
  }

  /// Goes on with the lock held, and lets it go.
  private func takeOrOpen(until deadline: Date) throws(StorageError) -> SQLiteConnection {
    while state == .open, idle.isEmpty, count >= limit {
      guard condition.wait(until: deadline) else { break }
    }
    switch state {
    case .open: break
    case .suspended:
      condition.unlock()
      throw StorageError.sqlite(.suspended, "the store is suspended; resume it")
    case .closed:
      condition.unlock()
      throw StorageError.sqlite(.closed, "the store is closed; open it again")
    }
    if let connection = idle.popLast() {
      condition.unlock()
      return connection
    }
    guard count < limit else {
      condition.unlock()
      throw StorageError.sqlite(
        .busy,
        "all \(limit) connections were in use for longer than the timeout; try again"
      )
    }
    count += 1
    condition.unlock()
    do throws(StorageError) {
      return try open()
    } catch {
      forgetOne()
      throw error
    }
  }

  private func forgetOne() {
    condition.lock()
    count -= 1
    condition.signal()
    condition.unlock()
  }

  /// Gives a connection back; one that cannot be used again is closed.
  func give(_ connection: SQLiteConnection, isUsable: Bool) {
    condition.lock()
    if isUsable, state == .open, idle.count < idleLimit {
      idle.append(connection)
      condition.signal()
      condition.unlock()
    } else {
      condition.unlock()
      forgetOne()
    }
  }

  /// Adds a connection that was opened elsewhere.
  func add(_ connection: SQLiteConnection) {
    condition.lock()
    count += 1
    idle.append(connection)
    condition.unlock()
  }

  /// Closes the idle connections and gives none any more; `last` runs on each before.
  ///
  /// A suspended pool gives connections again after ``resume()``, a closed one never does.
  func shut(_ newState: State, _ last: (SQLiteConnection) throws(StorageError) -> Void)
    throws(StorageError)
  {
    condition.lock()
    if state != .closed { state = newState }
    let connections = idle
    idle = []
    count -= connections.count
    condition.broadcast()
    condition.unlock()
    var failure: StorageError?
    for connection in connections {
      do throws(StorageError) { try last(connection) } catch { failure = failure ?? error }
      do throws(StorageError) { try connection.close() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Whether the pool was suspended.
  var isSuspended: Bool { condition.withLock { state == .suspended } }

  /// Gives connections again.
  func resume() {
    condition.withLock { if state == .suspended { state = .open } }
  }
}
