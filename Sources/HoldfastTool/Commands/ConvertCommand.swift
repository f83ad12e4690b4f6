import Holdfast
import HoldfastBackends

extension Command {
  /// Copies a store into a new one.
  static let convert = Command(
    "convert",
    "copy a whole store into a new one of any backend",
    arguments: [Argument("SRC", isPath: true), Argument("DST", isPath: true)],
    options: [Option("--verify", "check the new store and compare it with SRC before it is kept")],
    takesStore: false,
    details: """
      SRC is a storage URL, or the path of a store; DST is a storage URL, as lmdb:DIR.
      Every collection, index, reference, migration and counter goes over, from one
      snapshot. DST must not exist, or be empty. It appears complete or not at all.
      """
  ) { invocation in try convert(invocation) }

  private static func convert(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let source = try StoreArgument.source(arguments.positionals[0])
    let destination = try StoreArgument.destination(arguments.positionals[1])
    let progress = ProgressLine("records")
    defer { progress.finish() }
    let total =
      try progress.isTerminal
      ? OpenStore.with(source) { try $0.recordCount(for: progress) } : nil
    let count = try Backends.convert(
      source,
      to: destination,
      verifying: arguments.has("--verify"),
      progress: progress.counter(of: total)
    )
    progress.finish()
    Messages.line("converted \(count) records to \(Printable.escape("\(destination)"))")
  }
}
