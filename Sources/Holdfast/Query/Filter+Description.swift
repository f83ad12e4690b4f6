extension Filter: CustomStringConvertible {
  /// The filter in the language of ``init(parsing:)``; what that cannot say, `all`, `none`, infinity
  /// and conditions on parts of nested values, in words of its own.
  public var description: String { text(isPart: false, .shown) }

  /// The filter with `?` in place of each value.
  var textWithoutValues: String { text(isPart: false, .hidden) }

  private func text(isPart: Bool, _ values: ValueText) -> String {
    switch self {
    case .all: return "all"
    case .compare(let field, .equal, .null): return "\(Self.name(field)) IS NULL"
    case .compare(let field, .notEqual, .null): return "\(Self.name(field)) IS NOT NULL"
    case .compare(let field, let comparison, let value):
      return "\(Self.name(field)) \(comparison.symbol) \(values.text(value))"
    case .isIn(let field, let list):
      return "\(Self.name(field)) IN (\(values.list(list)))"
    case .startsWith(let field, let value):
      return "\(Self.name(field)) STARTS WITH \(values.text(value))"
    case .contains(let field, let value):
      return "\(Self.name(field)) CONTAINS \(values.text(value))"
    case .json(let field, let condition):
      let path = ([field] + condition.path).map(Self.name).joined(separator: ".")
      return Self.text(condition.test, of: path, values)
    case .and(let parts): return Self.joined(parts, "AND", none: "all", isPart, values)
    case .or(let parts): return Self.joined(parts, "OR", none: "none", isPart, values)
    case .not(let part): return "NOT \(part.text(isPart: true, values))"
    }
  }

  private static func text(
    _ test: JSONCondition.Test,
    of part: String,
    _ values: ValueText
  ) -> String {
    switch test {
    case .compare(let comparison, let value): "\(part) \(comparison.symbol) \(values.text(value))"
    case .isIn(let set): "\(part) IN (\(values.list(set.sorted())))"
    case .startsWith(let text): "\(part) STARTS WITH \(values.text(.text(text)))"
    case .contains(let text): "\(part) CONTAINS \(values.text(.text(text)))"
    case .equals(let json): "\(part) = json \(values.text(.text(json)))"
    case .count(let comparison, let count):
      "\(part).count \(comparison.symbol) \(values.text(.integer(Int64(count))))"
    case .element(let test): text(test, of: "\(part)[]", values)
    }
  }

  private static func joined(
    _ parts: [Filter],
    _ word: String,
    none: String,
    _ isPart: Bool,
    _ values: ValueText
  ) -> String {
    if parts.count < 2 { return parts.first?.text(isPart: isPart, values) ?? none }
    let text = parts.map { $0.text(isPart: true, values) }.joined(separator: " \(word) ")
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
}

/// How the values of a condition are written: as literals, or not at all.
private enum ValueText {
  case shown
  case hidden

  func text(_ value: Value) -> String {
    switch self {
    case .shown: Self.literal(value)
    case .hidden: value.isNull ? "null" : "?"
    }
  }

  func list(_ values: [Value]) -> String {
    switch self {
    case .shown: values.map(Self.literal).joined(separator: ", ")
    case .hidden: values.count < 2 ? "?" : "? and \(values.count - 1) more"
    }
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
  public var description: String { text(filter.description) }

  /// The query with `?` in place of each value.
  var textWithoutValues: String { text(filter.textWithoutValues) }

  private func text(_ condition: String) -> String {
    var text = collection
    if filter != .all { text += " where \(condition)" }
    if !sort.isEmpty { text += " by \(sort.map(\.description).joined(separator: ", "))" }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    if after != nil { text += " after a token" }
    return text
  }
}
