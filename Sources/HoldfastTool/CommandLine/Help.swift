/// Help texts, made from the command table.
enum Help {
  private static let width = 78

  /// All commands, one a line.
  static func overview(_ commands: [Command]) -> String {
    var text = """
      holdfast keeps typed records in SQLite, LMDB, JSON or property-list stores.

      Usage: holdfast <command> [options] [arguments]

      Commands:

      """
    text += rows(commands.map { ($0.name, $0.summary) })
    text += """

      Choosing the store, for every command that works on one:

      """
    text += rows(Option.store.map { ($0.spelling, $0.summary) })
    text += """

      Without these, $HOLDFAST_STORAGE; else the "storage" key of holdfast.json in the
      working directory; else \(StoreSelection.defaultURL). URLs take options as
      ?durability=full|normal|none&readonly=1&create=0&timeout=SECONDS, plist:
      also format=xml|binary, json: and plist: edits=accept|refuse, lmdb: mapsize=1G.

      Status: 0 done, 1 failed or differences found, 2 wrong usage.
      holdfast <command> --help shows a command's own options; --version the version.

      """
    return text
  }

  /// One command: usage, arguments, options.
  static func command(_ command: Command) -> String {
    var text = "Usage: \(command.usage)\n\n\(command.summary)\n"
    if !command.details.isEmpty { text += "\n\(command.details)\n" }
    if !command.options.isEmpty {
      text += "\nOptions:\n" + rows(command.options.map { ($0.spelling, $0.summary) })
    }
    if command.takesStore {
      text += "\nChoosing the store:\n" + rows(Option.store.map { ($0.spelling, $0.summary) })
    }
    return text
  }

  private static func rows(_ entries: [(String, String)]) -> String {
    let column = min(24, entries.map { $0.0.count }.max() ?? 0)
    var text = ""
    for (name, summary) in entries {
      text += "  " + name
      let isLong = name.count > column
      if isLong { text += "\n" }
      let indent = column + 4
      var used = isLong ? 0 : name.count + 2
      var isFirst = true
      for word in summary.split(separator: " ") {
        if !isFirst, used + 1 + word.count > width {
          text += "\n"
          used = 0
        }
        if used < indent {
          text += String(repeating: " ", count: indent - used)
          used = indent
        } else {
          text += " "
          used += 1
        }
        text += word
        used += word.count
        isFirst = false
      }
      text += "\n"
    }
    return text
  }
}

extension Option {
  /// Shows the tool's version.
  package static let version = Option("--version", "show the version")
}
