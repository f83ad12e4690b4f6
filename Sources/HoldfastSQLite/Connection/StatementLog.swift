import CSQLite
import Synchronization

/// Records the SQL of every statement that runs, for tests that show what SQLite is asked to do.
package final class StatementLog: Sendable {
  private let entries = Mutex<[String]>([])

  /// Creates an empty log.
  package init() {}

  /// The statements so far, in order.
  package var statements: [String] { entries.withLock { $0 } }

  /// Forgets the statements so far.
  package func clear() { entries.withLock { $0 = [] } }

  /// Records the statements of a connection, which the log must outlive.
  func attach(to database: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let status = sqlite3_trace_v2(
      database,
      UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        guard let context, let text else { return 0 }
        let log = Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue()
        let statement = String(cString: text.assumingMemoryBound(to: CChar.self))
        log.entries.withLock { $0.append(statement) }
        return 0
      },
      context
    )
    precondition(status == SQLITE_OK, "a trace can always be set")
  }
}
