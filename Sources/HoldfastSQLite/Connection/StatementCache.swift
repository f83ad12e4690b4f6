/// The query statements that are not in use, by their SQL; the least recently used ones go.
struct StatementCache {
  private static let capacity = 32
  private static let longestText = 4096
  private var entries: [SQLText: (statement: SQLiteStatement, lastUse: Int)] = [:]
  private var uses = 0

  /// Takes a statement out, for one user at a time.
  mutating func take(_ text: SQLText) -> SQLiteStatement? {
    entries.removeValue(forKey: text)?.statement
  }

  /// Gives a statement back that has been reset; long texts, lists as a rule, are not kept.
  mutating func give(_ statement: SQLiteStatement, _ text: SQLText) {
    if text.bytes.count > Self.longestText { return }
    uses += 1
    if entries.count >= Self.capacity, entries[text] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    entries[text] = (statement, uses)
  }

  mutating func removeAll() { entries = [:] }
}
