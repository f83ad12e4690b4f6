import Holdfast

extension ModelScriptReader {
  private static let deepestFilter = 200

  mutating func filter(_ depth: Int = 0) throws(Fault) -> Filter {
    guard depth < Self.deepestFilter else {
      throw Fault(message: "a filter deeper than \(Self.deepestFilter) levels")
    }
    let start = position
    let word = plainWord()
    if word == "all" { return .all }
    func parts(_ reader: inout ModelScriptReader) throws(Fault) -> [Filter] {
      try reader.list("(", ")") { reader throws(Fault) in try reader.filter(depth + 1) }
    }
    switch word {
    case "and": return .and(try parts(&self))
    case "or": return .or(try parts(&self))
    case "not":
      let parts = try parts(&self)
      guard parts.count == 1 else { throw Fault(message: "not takes one filter") }
      return .not(parts[0])
    case "json":
      try need("(")
      let field = try name()
      try need(",")
      let path = try names()
      try need(",")
      let filter = Filter.json(field, JSONCondition(path, try jsonTest(depth)))
      try need(")")
      return filter
    case "in", "starts", "contains", "eq", "ne", "lt", "le", "gt", "ge":
      try need("(")
      let field = try name()
      try need(",")
      let filter: Filter
      if word == "in" {
        filter = .isIn(field, try values())
      } else {
        let literal = try value()
        switch word {
        case "starts": filter = .startsWith(field, literal)
        case "contains": filter = .contains(field, literal)
        default: filter = .compare(field, Self.comparison(word) ?? .equal, literal)
        }
      }
      try need(")")
      return filter
    default:
      throw expected("a filter", from: start)
    }
  }
  private mutating func jsonTest(_ depth: Int) throws(Fault) -> JSONCondition.Test {
    guard depth < Self.deepestFilter else {
      throw Fault(message: "a filter deeper than \(Self.deepestFilter) levels")
    }
    let start = position
    let word = plainWord()
    try need("(")
    let test: JSONCondition.Test
    switch word {
    case "in": test = .isIn(Set(try values()))
    case "starts": test = .startsWith(try text())
    case "contains": test = .contains(try text())
    case "same": test = .equals(json: try text())
    case "count":
      guard let comparison = Self.comparison(plainWord()) else { throw expected("a comparison") }
      try need(",")
      test = .count(comparison, try integer())
    case "element": test = .element(try jsonTest(depth + 1))
    default:
      guard let comparison = Self.comparison(word) else {
        throw expected("a condition", from: start)
      }
      test = .compare(comparison, try value())
    }
    try need(")")
    return test
  }

  private mutating func text() throws(Fault) -> String {
    guard case .text(let text) = try value() else {
      throw Fault(message: "a value that is no text")
    }
    return text
  }

  private static func comparison(_ word: String) -> Comparison? {
    let all: [Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
    return all.first { $0.scriptWord == word }
  }
}
