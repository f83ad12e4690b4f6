/// All commands, in the order of the help.
package enum CommandTable {
  /// The one table that drives parsing, help and completions.
  package static let all: [Command] = [
    .backends, .demo, .info, .collections, .schema, .get, .insert, .update, .put, .delete, .query,
    .count, .aggregate, .explain, .importing, .export, .convert, .diff, .verify, .backup, .restore,
    .compact, .watch, .conformance, .bench, .completions,
  ]

  /// The command of that name; some are for other programs, and in no help.
  static func command(named name: String) -> Command? {
    (all + [ConformancePeerCommand.command]).first { $0.name == name }
  }
}
