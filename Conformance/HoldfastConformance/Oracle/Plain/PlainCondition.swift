/// A condition on the fields of a row, by their positions: two-valued, as the rules say.
indirect enum PlainCondition: Sendable {
  enum Relation: Sendable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual }

  case always
  case compare(Int, Relation, Plain)
  case oneOf(Int, [Plain])
  case begins(Int, Plain)
  case includes(Int, Plain)
  case json(Int, path: [[UInt8]], PlainJSONTest)
  case every([PlainCondition])
  case some([PlainCondition])
  case inverse(PlainCondition)

  /// Whether a row fulfils it.
  func holds(_ row: [Plain]) -> Bool {
    switch self {
    case .always: true
    case .compare(let field, let relation, let literal):
      Self.compare(row[field], relation, literal)
    case .oneOf(let field, let list): list.contains { Self.compare(row[field], .equal, $0) }
    case .begins(let field, let part): Self.finds(row[field], part, atStart: true)
    case .includes(let field, let part): Self.finds(row[field], part, atStart: false)
    case .json(let field, let path, let test):
      if case .text(let text) = row[field] {
        test.holds(PlainJSON(text).part(path))
      } else {
        test.holds(.scalar(.nothing))
      }
    case .every(let parts): !parts.contains { !$0.holds(row) }
    case .some(let parts): parts.contains { $0.holds(row) }
    case .inverse(let part): !part.holds(row)
    }
  }

  private static func compare(_ value: Plain, _ relation: Relation, _ literal: Plain) -> Bool {
    let nothings = (value.isNothing, literal.isNothing)
    switch relation {
    case .equal:
      return nothings == (true, true)
        || (nothings == (false, false) && Plain.order(value, literal) == 0)
    case .notEqual: return !compare(value, .equal, literal)
    case .less: return nothings == (false, false) && Plain.order(value, literal) < 0
    case .lessOrEqual: return nothings == (false, false) && Plain.order(value, literal) <= 0
    case .greater: return nothings == (false, false) && Plain.order(value, literal) > 0
    case .greaterOrEqual: return nothings == (false, false) && Plain.order(value, literal) >= 0
    }
  }

  private static func finds(_ value: Plain, _ part: Plain, atStart: Bool) -> Bool {
    let whole: [UInt8]
    let needle: [UInt8]
    switch (value, part) {
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): (whole, needle) = (a, b)
    default: return false
    }
    if needle.count > whole.count { return false }
    let last = atStart ? 0 : whole.count - needle.count
    return (0...last).contains { start in
      !needle.indices.contains { whole[start + $0] != needle[$0] }
    }
  }

  // MARK: What is refused

  /// Refuses literals of a kind that the field cannot be compared with, and orders on fields that
  /// have none.
  func check(_ kinds: [PlainTable.Kind]) throws(PlainTable.Refusal) {
    switch self {
    case .always: return
    case .compare(let field, let relation, let literal):
      try Self.check(literal, kinds[field])
      if relation != .equal, relation != .notEqual, !kinds[field].isOrdered {
        throw .typeMismatch
      }
    case .oneOf(let field, let list):
      for literal in list { try Self.check(literal, kinds[field]) }
    case .begins(let field, let part), .includes(let field, let part):
      switch (kinds[field], part) {
      case (.text, .text), (.date, .text), (.blob, .blob): return
      case (.text, .nothing), (.date, .nothing), (.blob, .nothing): return
      default: throw .typeMismatch
      }
    case .json(let field, _, let test):
      if kinds[field] != .json { throw .typeMismatch }
      try test.check()
    case .every(let parts), .some(let parts): for part in parts { try part.check(kinds) }
    case .inverse(let part): try part.check(kinds)
    }
  }

  private static func check(_ literal: Plain, _ kind: PlainTable.Kind) throws(PlainTable.Refusal) {
    if case .real(let real) = literal, real != real { throw .invalidValue }
    switch (kind, literal) {
    case (_, .nothing), (.any, _): return
    case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real): return
    case (.bool, .integer), (.text, .text), (.date, .text), (.blob, .blob): return
    case (.decimal, .text), (.json, .text): return
    case (.uuid, .blob(let bytes)) where bytes.count == 16: return
    default: throw .typeMismatch
    }
  }
}
