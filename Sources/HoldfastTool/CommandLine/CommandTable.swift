/// All commands, in the order of the help.
package enum CommandTable {
  /// The one table that drives parsing, help and completions.
  package static let all: [Command] = [
    .backends, .demo, .info, .collections, .schema, .get, .insert, .update, .put, .delete, .query,
    .count, .aggregate, .importing, .export, .conformance,
    .bench, .completions,
  ]
}
