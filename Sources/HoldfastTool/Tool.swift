import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The executable `holdfast`.
@main
struct Tool {
  /// Runs the command line and exits with its status: 0 done, 1 failed, 2 wrong usage.
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let status = await run(CommandLine.arguments.dropFirst())
    exit(status)
  }

  private static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    let output = Output(STDOUT_FILENO)
    do {
      do {
        try await dispatch(arguments, output)
        try output.flush()
      } catch {
        // What was printed before a failure stays printed, and comes before its message.
        if !(error is ClosedPipe) { _ = Result { try output.flush() } }
        throw error
      }
      return 0
    } catch is ClosedPipe {
      return 0
    } catch is CheckFailed {
      return 1
    } catch let error as UsageError {
      Messages.line("holdfast: \(Printable.escape(error.description))")
      return 2
    } catch let error as StorageError {
      Messages.line("holdfast: \(Printable.escape(error.description))")
      return error.code == .invalidConfiguration || error.code == .invalidQuery ? 2 : 1
    } catch {
      Messages.line("holdfast: \(Printable.escape("\(error)"))")
      return 1
    }
  }

  private static func dispatch(_ arguments: ArraySlice<String>, _ output: Output) async throws {
    let leading = Option.store + [.help, .version]
    var parsed = ParsedArguments(options: leading)
    var rest = try parsed.parseLeading(arguments)
    if parsed.has("--version") { return try output.line("holdfast \(Version.current)") }
    if parsed.has("--help") { return try output.write(Help.overview(CommandTable.all)) }
    guard let name = rest.popFirst() else {
      throw UsageError("no command given; see holdfast --help")
    }
    if name == "help" { return try help(rest.first, output) }
    guard let command = CommandTable.command(named: String(name)) else {
      var message = "unknown command '\(name)'"
      let names = CommandTable.all.map(\.name)
      if let nearest = Spelling.nearest(to: name, among: names) {
        message += "; did you mean \(nearest)?"
      }
      throw UsageError(message + " (see holdfast --help)")
    }
    try parsed.parse(rest, options: command.allOptions)
    if parsed.has("--help") { return try output.write(Help.command(command)) }
    try check(parsed, command)
    try await command.run(Invocation(arguments: parsed, output: output))
  }

  private static func help(_ name: String?, _ output: Output) throws {
    guard let name else { return try output.write(Help.overview(CommandTable.all)) }
    guard let command = CommandTable.command(named: String(name)) else {
      throw UsageError.unknown("command", name, among: CommandTable.all.map(\.name))
    }
    try output.write(Help.command(command))
  }

  private static func check(_ parsed: ParsedArguments, _ command: Command) throws(UsageError) {
    if !command.takesStore {
      let own = Set(command.allOptions.map(\.name))
      if let stray = parsed.occurrences.first(where: { !own.contains($0.name) }) {
        throw UsageError("\(command.name) works on no store and takes no \(stray.name)")
      }
    }
    let count = parsed.positionals.count
    if command.argumentCount.contains(count) { return }
    guard count > command.argumentCount.upperBound else {
      throw UsageError("\(command.name) needs more arguments; usage: \(command.usage)")
    }
    throw UsageError(
      "\(command.name) takes no argument '\(parsed.positionals[command.argumentCount.upperBound])'; "
        + "usage: \(command.usage)"
    )
  }
}

/// The tool's version.
enum Version {
  static let current = "1.0.0"
}
