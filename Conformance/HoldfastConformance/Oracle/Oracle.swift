import Holdfast

/// What the rules say about values and filters, computed apart from the library: it uses the
/// library's types as data and none of its comparisons.
enum Oracle {
  /// Orders two values: null, numbers, text, blobs; text and blobs by bytes, the shorter first.
  static func order(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): mixed(a, b)
    case (.real(let a), .integer(let b)): -mixed(b, a)
    case (.text(let a), .text(let b)): bytes(Array(a.utf8), Array(b.utf8))
    case (.blob(let a), .blob(let b)): bytes(a, b)
    default: rank(left) - rank(right)
    }
  }

  /// Orders two lists part by part.
  static func order(_ left: [Value], _ right: [Value]) -> Int {
    for (a, b) in zip(left, right) {
      let result = order(a, b)
      if result != 0 { return result }
    }
    return left.count - right.count
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// An integer against a real, exactly: the real's whole part in 128 bits, then its fraction.
  private static func mixed(_ integer: Int64, _ real: Double) -> Int {
    if real > 1e30 { return -1 }
    if real < -1e30 { return 1 }
    let whole = Int128(real.rounded(.towardZero))
    let wide = Int128(integer)
    if wide != whole { return wide < whole ? -1 : 1 }
    let fraction = real - real.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  private static func bytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var index = 0
    while index < left.count, index < right.count {
      if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
      index += 1
    }
    return left.count - right.count
  }

  /// Whether a record, given by field name, matches a filter.
  static func matches(_ filter: Filter, _ record: [String: Value]) -> Bool {
    switch filter {
    case .all: true
    case .compare(let field, let comparison, let literal):
      compare(record[field] ?? .null, comparison, literal)
    case .isIn(let field, let list):
      list.contains { compare(record[field] ?? .null, .equal, $0) }
    case .startsWith(let field, let literal): holds(record[field] ?? .null, literal, atStart: true)
    case .contains(let field, let literal): holds(record[field] ?? .null, literal, atStart: false)
    case .json(let field, let condition): JSONOracle.matches(record[field] ?? .null, condition)
    case .and(let parts): !parts.contains { !matches($0, record) }
    case .or(let parts): parts.contains { matches($0, record) }
    case .not(let part): !matches(part, record)
    }
  }

  private static func compare(_ value: Value, _ comparison: Comparison, _ literal: Value) -> Bool {
    let nulls = (isNull(value), isNull(literal))
    switch comparison {
    case .equal:
      return nulls == (true, true) || (nulls == (false, false) && order(value, literal) == 0)
    case .notEqual: return !compare(value, .equal, literal)
    case .less: return nulls == (false, false) && order(value, literal) < 0
    case .lessOrEqual: return nulls == (false, false) && order(value, literal) <= 0
    case .greater: return nulls == (false, false) && order(value, literal) > 0
    case .greaterOrEqual: return nulls == (false, false) && order(value, literal) >= 0
    }
  }

  private static func isNull(_ value: Value) -> Bool {
    if case .null = value { return true }
    return false
  }

  private static func holds(_ value: Value, _ part: Value, atStart: Bool) -> Bool {
    let whole: [UInt8]
    let needle: [UInt8]
    switch (value, part) {
    case (.text(let a), .text(let b)): (whole, needle) = (Array(a.utf8), Array(b.utf8))
    case (.blob(let a), .blob(let b)): (whole, needle) = (a, b)
    default: return false
    }
    if needle.count > whole.count { return false }
    let last = atStart ? 0 : whole.count - needle.count
    return (0...last).contains { start in
      !needle.indices.contains { whole[start + $0] != needle[$0] }
    }
  }

  /// The keys of records that match, sorted: fields named, `-` before one for descending, then key.
  static func ids(
    _ records: [[String: Value]],
    _ filter: Filter = .all,
    sort: [Sort] = [],
    key: String = "id"
  ) -> [Value] {
    let matching = records.filter { matches(filter, $0) }
    let sorted = matching.sorted { left, right in
      for entry in sort {
        let result = order(left[entry.field] ?? .null, right[entry.field] ?? .null)
        if result != 0 { return entry.isDescending ? result > 0 : result < 0 }
      }
      return order(left[key] ?? .null, right[key] ?? .null) < 0
    }
    return sorted.map { $0[key] ?? .null }
  }
}
