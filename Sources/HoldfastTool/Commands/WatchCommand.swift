import Holdfast
import HoldfastBackends

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Command {
  /// Prints changes as they come.
  static let watch = Command(
    "watch",
    "print what is changed in a collection as it is committed, as JSON lines",
    arguments: [Argument("COLLECTION")],
    details: """
      {"collection":"city","complete":true,"inserted":[5],"updated":[],"deleted":[2]}

      The keys of what changed since the line before; several commits in a row may share
      a line. Where "complete" is false, anything may have changed: the collection was
      redefined, dropped or created, or has over \(CollectionDigest.maximumCount) records. Ends when it is
      interrupted, or when nobody reads its output any more.
      """
  ) { invocation in
    let name = invocation.arguments.positionals[0]
    let store = try Backends.open(try invocation.storeURL(creates: false))
    do {
      try await watch(name, in: store, invocation.output)
    } catch {
      // The first failure is the one to report.
      _ = Result { try store.close() }
      throw error
    }
    try store.close()
  }

  private static func watch(_ name: String, in store: Store, _ output: Output) async throws {
    // Subscribed before the first look, so that nothing is missed in between.
    let changes = store.changes(in: name)
    let first = try await store.read { transaction in
      _ = try transaction.collection(argument: name)
      return try CollectionDigest(name, in: transaction)
    }
    Messages.line("watching \(Printable.escape(name)) until interrupted")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await Interruption.wait(orClosing: STDOUT_FILENO) }
      group.addTask {
        var last = first
        for try await _ in changes {
          let next = try await store.read { try CollectionDigest(name, in: $0) }
          if let line = next.line(since: last, of: name) {
            try output.line(line)
            try output.flush()
          }
          last = next
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
