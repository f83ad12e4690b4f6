/// A part of the catalogue: the cases whose ids begin with its name, and where their rules stand.
public struct ConformanceArea: Sendable, Hashable {
  /// The document that holds the rules, from the package's folder.
  public static let document = "docs/Semantics.md"

  /// The first part of the ids of its cases.
  public let name: String
  /// What it is about, in a few words.
  public let summary: String
  /// The anchor of the section of ``document`` that holds its rules.
  public let anchor: String

  /// Where the rules stand: the document with the section's anchor.
  public var section: String { "\(Self.document)#\(anchor)" }

  private init(_ name: String, _ summary: String, _ anchor: String) {
    self.name = name
    self.summary = summary
    self.anchor = anchor
  }

  /// All areas, in the catalogue's order.
  public static let all: [ConformanceArea] = [
    ConformanceArea(
      "lifecycle",
      "opening, closing, sharing and destroying stores",
      "opening-and-closing"
    ),
    ConformanceArea("values", "every kind of value comes back bit for bit", "values"),
    ConformanceArea("keys", "primary keys: order, ranges, length, automatic keys", "keys"),
    ConformanceArea("records", "one record: insert, get, update, put, delete", "writes"),
    ConformanceArea("batch", "many records in one write", "writes"),
    ConformanceArea("unique", "unique indexes", "writes"),
    ConformanceArea("references", "references and what deleting does with them", "references"),
    ConformanceArea("migration", "changes of the schema", "schema-and-migrations"),
    ConformanceArea("observation", "events after commits", "observation"),
    ConformanceArea("copies", "backup, copies, checks, suspension", "copies-and-checks"),
    ConformanceArea("query", "filters and figures, against the oracle", "predicates"),
    ConformanceArea("sort", "order and limits", "order-and-pages"),
    ConformanceArea("paging", "page tokens", "order-and-pages"),
    ConformanceArea(
      "transaction",
      "commit, rollback, savepoints, snapshots, cursors",
      "transactions"
    ),
    ConformanceArea(
      "concurrency",
      "many threads and tasks at once",
      "transactions"
    ),
    ConformanceArea("persistence", "what outlives a store's closing", "durability"),
    ConformanceArea("errors", "codes and messages", "errors"),
    ConformanceArea("names", "names of collections and fields", "names"),
    ConformanceArea("processes", "several processes on one store", "processes"),
  ]
}

extension ConformanceCase {
  /// The area of that name; nil for a case of a catalogue other than Holdfast's.
  public var catalogueArea: ConformanceArea? { ConformanceArea.all.first { $0.name == area } }

  /// Where the rule stands: a document with the section's anchor.
  public var section: String? { catalogueArea?.section }
}
