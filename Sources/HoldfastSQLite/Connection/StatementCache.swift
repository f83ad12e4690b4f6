/// The query statements that are not in use, by their SQL; the least recently used ones go.
struct StatementCache {
  private static let capacity = 32
  private static let longestText = 4096
  private var entries: [SQLText: (statement: SQLiteStatement, lastUse: Int)] = [:]
  private var uses = 0
  /// What was given back last, as a rule to be taken next: its text is compared, and not hashed.
  private var recent: (text: SQLText, statement: SQLiteStatement)?

  /// Takes a statement out, for one user at a time.
  mutating func take(_ text: SQLText) -> SQLiteStatement? {
    if let found = recent, found.text == text {
      recent = nil
      return found.statement
    }
    return entries.removeValue(forKey: text)?.statement
  }

  /// Gives a statement back that has been reset; long texts, lists as a rule, are not kept.
  mutating func give(_ statement: SQLiteStatement, _ text: SQLText) {
    if text.bytes.count > Self.longestText { return }
    if let last = recent { keep(last.statement, last.text) }
    recent = (text, statement)
  }

  private mutating func keep(_ statement: SQLiteStatement, _ text: SQLText) {
    uses += 1
    if entries.count >= Self.capacity, entries[text] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    entries[text] = (statement, uses)
  }

  mutating func removeAll() {
    entries = [:]
    recent = nil
  }
}
