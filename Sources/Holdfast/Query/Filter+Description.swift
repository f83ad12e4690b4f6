extension Filter: CustomStringConvertible {
  /// The filter in the language of ``init(parsing:)``; what that cannot say, `all`, `none`, infinity
  /// and conditions on parts of nested values, in words of its own.
  public var description: String { text(isPart: false) }

  private func text(isPart: Bool) -> String {
    switch self {
    case .all: return "all"
    case .compare(let field, .equal, .null): return "\(Self.name(field)) IS NULL"
    case .compare(let field, .notEqual, .null): return "\(Self.name(field)) IS NOT NULL"
    case .compare(let field, let comparison, let value):
      return "\(Self.name(field)) \(comparison.symbol) \(Self.literal(value))"
    case .isIn(let field, let values):
      let list = values.map(Self.literal).joined(separator: ", ")
      return "\(Self.name(field)) IN (\(list))"
    case .startsWith(let field, let value):
      return "\(Self.name(field)) STARTS WITH \(Self.literal(value))"
    case .contains(let field, let value):
      return "\(Self.name(field)) CONTAINS \(Self.literal(value))"
    case .json(let field, let condition):
      let path = ([field] + condition.path).map(Self.name).joined(separator: ".")
      return Self.text(condition.test, of: path)
    case .and(let parts): return Self.joined(parts, "AND", none: "all", isPart)
    case .or(let parts): return Self.joined(parts, "OR", none: "none", isPart)
    case .not(let part): return "NOT \(part.text(isPart: true))"
    }
  }

  private static func text(_ test: JSONCondition.Test, of part: String) -> String {
    switch test {
    case .compare(let comparison, let value): "\(part) \(comparison.symbol) \(literal(value))"
    case .isIn(let values): "\(part) IN (\(values.map(literal).sorted().joined(separator: ", ")))"
    case .startsWith(let text): "\(part) STARTS WITH \(literal(.text(text)))"
    case .contains(let text): "\(part) CONTAINS \(literal(.text(text)))"
    case .equals(let json): "\(part) = json \(literal(.text(json)))"
    case .count(let comparison, let count): "\(part).count \(comparison.symbol) \(count)"
    case .element(let test): text(test, of: "\(part)[]")
    }
  }

  private static func joined(_ parts: [Filter], _ word: String, none: String, _ isPart: Bool)
    -> String
  {
    if parts.count < 2 { return parts.first?.text(isPart: isPart) ?? none }
    let text = parts.map { $0.text(isPart: true) }.joined(separator: " \(word) ")
    return isPart ? "(\(text))" : text
  }

  /// A name as it stands in a condition: bare where that is a word of its own.
  private static func name(_ name: String) -> String {
    let isBare =
      name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } == true
      && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
      && !WhereParser.reserved.contains(Name.folded(name))
    return isBare ? name : "\"\(name.replacing("\"", with: "\"\""))\""
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: return "null"
    case .integer(let integer): return "\(integer)"
    case .real(let real):
      return real.isFinite ? "\(real)" : real < 0 ? "-infinity" : "infinity"
    case .text(let text): return "'\(text.replacing("'", with: "''"))'"
    case .blob(let bytes):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return "x'\(digits.joined())'"
    }
  }
}

extension Comparison {
  /// The operator as it is written in a condition.
  fileprivate var symbol: String {
    switch self {
    case .equal: "="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension Sort: CustomStringConvertible {
  /// The field's name, with `-` before it for descending.
  public var description: String { isDescending ? "-\(field)" : field }
}

extension Query: CustomStringConvertible {
  /// The query in one line: collection, condition, order, part.
  public var description: String {
    var text = collection
    if filter != .all { text += " where \(filter)" }
    if !sort.isEmpty { text += " by \(sort.map(\.description).joined(separator: ", "))" }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    if after != nil { text += " after a token" }
    return text
  }
}
