/// One operation of a store, as its log hears of it.
///
/// It names collections, fields and indexes and never holds stored values: where a condition has
/// one, the text has `?`.
public struct StoreOperation: Sendable, CustomStringConvertible {
  /// What kind of operation it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// A writer waited for the writers of this process before it.
    case wait
    /// A transaction began in the engine, and waited there for other processes.
    case begin
    /// A record was looked up by its key.
    case get
    /// A record was added.
    case insert
    /// A record was replaced, or some of its fields were set.
    case update
    /// A record was added or replaced.
    case put
    /// Records were removed.
    case delete
    /// A query was read, to its end or as far as was wanted.
    case query
    /// Figures over records were computed.
    case aggregate
    /// The schema was changed.
    case schema
    /// A write transaction was made durable.
    case commit
  }

  /// What kind of operation it was.
  public let kind: Kind
  /// The collection, where there is one.
  public let collection: String?
  /// What was asked, in one line.
  public let text: String
  /// How a query ran: by which key or index, and what was filtered and sorted after it.
  public let plan: String?
  /// How long it took; for a query, without what its reader did between the rows.
  public let duration: Duration
  /// How many rows the engine handed out or took.
  ///
  /// Far more than a query gives is a sign that an index is missing.
  public let rows: Int
  /// Why it failed; nil if it did not.
  public let failure: StorageError.Code?

  /// The operation in one line.
  public var description: String {
    var line = "\(text): \(duration), \(rows) rows"
    if let plan { line += ", \(plan)" }
    if let failure { line += ", failed: \(failure)" }
    return line
  }
}
