/// What a part of a JSON value has to meet.
indirect enum PlainJSONTest: Sendable {
  case compare(PlainCondition.Relation, Plain)
  case oneOf([Plain])
  case begins([UInt8])
  case includes([UInt8])
  case equals(PlainJSON)
  case count(PlainCondition.Relation, Int64)
  case element(PlainJSONTest)

  /// Whether a part meets it: values of different kinds are never equal, and neither is less.
  func holds(_ part: PlainJSON) -> Bool {
    let value = part.literal
    switch self {
    case .compare(let relation, let literal):
      guard let value, Self.isOneKind(value, literal) else { return relation == .notEqual }
      return PlainCondition.compare(0, relation, literal).holds([value])
    case .oneOf(let list):
      return value.map { value in list.contains { Plain.order($0, value) == 0 } } ?? false
    case .begins(let text):
      return value.map { PlainCondition.begins(0, .text(text)).holds([$0]) } ?? false
    case .includes(let text):
      return value.map { PlainCondition.includes(0, .text(text)).holds([$0]) } ?? false
    case .equals(let json): return PlainJSON.same(part, json)
    case .count(let relation, let literal):
      let count = part.count.map { Plain.integer($0) } ?? .nothing
      return PlainCondition.compare(0, relation, .integer(literal)).holds([count])
    case .element(let test):
      guard case .array(let elements) = part else { return false }
      return elements.contains { test.holds($0) }
    }
  }

  private static func isOneKind(_ left: Plain, _ right: Plain) -> Bool {
    switch (left, right) {
    case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real): true
    case (.text, .text), (.nothing, _), (_, .nothing): true
    default: false
    }
  }

  /// Refuses literals that JSON has no place for.
  func check() throws(PlainTable.Refusal) {
    switch self {
    case .compare(_, let literal): try Self.check(literal)
    case .oneOf(let list): for literal in list { try Self.check(literal) }
    case .element(let test): try test.check()
    case .begins, .includes, .equals, .count: return
    }
  }

  private static func check(_ literal: Plain) throws(PlainTable.Refusal) {
    switch literal {
    case .blob: throw .typeMismatch
    case .real(let real) where real != real: throw .invalidValue
    default: return
    }
  }
}
