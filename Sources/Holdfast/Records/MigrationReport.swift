/// What preparing a store did, or in a rehearsal would do.
public struct MigrationReport: Sendable, CustomStringConvertible {
  /// One migration.
  public struct Step: Sendable {
    /// Its name.
    public let name: String
    /// What it does to the schema, and the conversions of records, in order and in a few words.
    public let changes: [String]
    /// The collections that it changes, their records or their schema, by name.
    public let collections: [String]
    /// Whether it was only noted as applied, since the store is new and made by the models as they
    /// are.
    public let isSkipped: Bool
  }

  /// The pending migrations, in order.
  public internal(set) var steps: [Step] = []
  /// What the models need beyond them, in a few words: collections, fields, indexes, references.
  public internal(set) var additions: [String] = []
  /// Whether it was undone again.
  public let isRehearsal: Bool

  /// Whether there was nothing to do.
  public var isEmpty: Bool { steps.isEmpty && additions.isEmpty }

  /// The steps and additions, one a line.
  public var description: String {
    if isEmpty { return "the store is up to date" }
    var lines: [String] = []
    for step in steps {
      lines.append("migration \(step.name)" + (step.isSkipped ? ", noted as applied" : ""))
      lines += step.changes.map { "  \($0)" }
      if !step.collections.isEmpty {
        lines.append("  changes \(step.collections.joined(separator: ", "))")
      }
    }
    return (lines + additions).joined(separator: "\n")
  }
}

/// What a transaction did to the schema, in words, for reports.
final class SchemaLog {
  private var entries: [String] = []

  func note(_ entry: String) { entries.append(entry) }

  /// The entries since it was last asked.
  func take() -> [String] {
    defer { entries = [] }
    return entries
  }
}
