/// How the core runs a query: what it walks, what it checks on each record, whether it sorts.
///
/// An engine with a planner of its own (``native``) may find another way to the same records. What
/// is read in full here is so on every backend that has none, which is what ``ScanPolicy`` goes by.
public struct QueryPlan: Sendable, Hashable {
  /// What is walked.
  public enum Source: Sendable, Hashable {
    /// Nothing: no record can match, or the limit is 0.
    case nothing
    /// The primary key.
    case key
    /// The index of that name.
    case index(String)
  }

  /// The collection's name.
  public let collection: String
  /// What is walked.
  public let source: Source
  /// The fields of the key or index, in its order.
  public let fields: [String]
  /// What is walked of the key or index; ``Filter/all`` for the whole of it.
  public let range: Filter
  /// In how many pieces: more than one for an `in`.
  public let rangeCount: Int
  /// How many records the range holds, if they were counted and not more than ``countingLimit``.
  public let rangeSize: Int?
  /// Whether the records of the range were counted; a warning of a ``ScanPolicy`` counts none.
  public let isCounted: Bool
  /// What is checked on each record read; ``Filter/all`` for nothing.
  public let residual: Filter
  /// Whether the records that match are sorted in memory before the first is given out.
  public let sorts: Bool
  /// Whether every record of the collection is read to find those that match, or the first ones.
  public let isFullScan: Bool
  /// The fields of an index that would help, if there is one.
  public let helpfulIndex: [String]?
  /// The engine's own plan, if that was asked for, a line a step.
  public let native: [String]?

  /// How many records of a range are counted at most.
  public static let countingLimit = 10_000
}

extension QueryPlan: CustomStringConvertible {
  /// The plan in a few lines.
  public var description: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    var lines: [String] = []
    switch source {
    case .nothing: return ["read nothing: no record of \(collection) can match"]
    case .key: lines.append(walk("the key (\(fields.joined(separator: ", "))) of \(collection)"))
    case .index(let name):
      lines.append(walk("index \(name) (\(fields.joined(separator: ", "))) of \(collection)"))
    }
    if range != .all { lines.append("where \(range)") }
    if let rangeSize {
      lines.append("which holds \(rangeSize) \(rangeSize == 1 ? "record" : "records")")
    } else if isCounted {
      lines.append("which holds more than \(Self.countingLimit) records")
    }
    if residual != .all { lines.append("check \(residual) on each") }
    if sorts { lines.append("sort in memory") }
    if let helpfulIndex {
      lines.append("an index over (\(helpfulIndex.joined(separator: ", "))) would help")
    }
    if let native { lines += native.map { "engine: \($0)" } }
    return lines
  }

  private func walk(_ what: String) -> String {
    let pieces = rangeCount == 1 ? "" : ", \(rangeCount) ranges"
    return (isFullScan || range == .all ? "read all of \(what)" : "read a part of \(what)") + pieces
  }
}

/// What happens to a query that reads every record of a collection to find those that match, or
/// sorts all of them to give the first ones.
///
/// Decided by the plan of the core, so alike on all backends. Reading everything because everything
/// is asked for is no such query.
public enum ScanPolicy: Sendable {
  /// It runs.
  case allow
  /// It runs, after the closure was told the plan, with the index that would help.
  case warn(@Sendable (QueryPlan) -> Void)
  /// It throws ``StorageError/Code/fullScan``, naming the index that would help.
  case forbid
}
