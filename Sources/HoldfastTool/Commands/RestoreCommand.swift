import Holdfast
import HoldfastBackends

extension Command {
  /// Puts a backup back.
  static let restore = Command(
    "restore",
    "replace everything in the store by what a backup holds",
    arguments: [Argument("SRC", isPath: true)],
    details: """
      SRC is the path of a backup, or the path or URL of any store. It is checked first,
      and refused if it is damaged. The content is replaced in one transaction, while
      others may go on using the store: all of it, or nothing. A store that does not
      exist is made. A damaged store is left alone: move it away, then restore again.
      """
  ) { invocation in try restore(invocation) }

  private static func restore(_ invocation: Invocation) throws {
    let destination = try invocation.storeURL(creates: true)
    let source = try StoreArgument.source(invocation.arguments.positionals[0])
    let progress = ProgressLine("records")
    defer { progress.finish() }
    let total =
      try progress.isTerminal
      ? OpenStore.with(source) { try $0.recordCount(for: progress) } : nil
    let count = try Backends.restore(
      destination,
      from: source,
      progress: progress.counter(of: total)
    )
    progress.finish()
    Messages.line("restored \(count) records to \(Printable.escape("\(destination)"))")
  }
}
