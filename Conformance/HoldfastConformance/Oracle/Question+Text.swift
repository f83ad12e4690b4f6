import Holdfast

extension Question {
  /// The question as people write it.
  var text: String {
    switch self {
    case .keys(let query): "keys\(Self.text(query))"
    case .pages(let query): "pages\(Self.text(query))"
    case .count(let filter): "count WHERE \(filter.text)"
    case .figures(let figures, let groups, let filter):
      figures.map(Self.text).joined(separator: ", ") + " WHERE \(filter.text)"
        + (groups.isEmpty ? "" : " GROUP BY \(groups.joined(separator: ", "))")
    }
  }

  private static func text(_ query: Query) -> String {
    var text = " WHERE \(query.filter.text)"
    if !query.sort.isEmpty {
      let order = query.sort.map { $0.isDescending ? "\($0.field) DESC" : $0.field }
      text += " ORDER BY \(order.joined(separator: ", "))"
    }
    if let limit = query.limit { text += " LIMIT \(limit)" }
    if query.offset != 0 { text += " OFFSET \(query.offset)" }
    return text
  }

  private static func text(_ figure: Aggregate) -> String {
    switch figure {
    case .count: "count"
    case .sum(let field): "sum(\(field))"
    case .average(let field): "average(\(field))"
    case .minimum(let field): "minimum(\(field))"
    case .maximum(let field): "maximum(\(field))"
    }
  }
}

extension Comparison {
  /// The operator's sign.
  var sign: String {
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

extension Filter {
  /// The filter as people write it, a long one cut.
  var text: String {
    let text = wholeText
    return text.utf8.count <= 400 ? text : "\(text.prefix(400))…"
  }

  private var wholeText: String {
    switch self {
    case .all: "true"
    case .compare(let field, let comparison, let value):
      "\(field) \(comparison.sign) \(value.exactText)"
    case .isIn(let field, let list):
      "\(field) IN (\(list.prefix(40).map(\.exactText).joined(separator: ", "))"
        + (list.count > 40 ? ", … \(list.count) values)" : ")")
    case .startsWith(let field, let value): "\(field) STARTS WITH \(value.exactText)"
    case .contains(let field, let value): "\(field) CONTAINS \(value.exactText)"
    case .json(let field, let condition):
      "\(([field] + condition.path).joined(separator: ".")) \(condition.test.text)"
    case .and(let parts): Self.join(parts, " AND ", none: "true")
    case .or(let parts): Self.join(parts, " OR ", none: "false")
    case .not(let part): "NOT (\(part.wholeText))"
    }
  }

  private static func join(_ parts: [Filter], _ word: String, none: String) -> String {
    parts.isEmpty ? none : "(\(parts.prefix(40).map(\.wholeText).joined(separator: word)))"
  }
}

extension JSONCondition.Test {
  /// The test as people write it.
  fileprivate var text: String {
    switch self {
    case .compare(let comparison, let value): "\(comparison.sign) \(value.exactText)"
    case .isIn(let values): "IN (\(values.map(\.exactText).sorted().joined(separator: ", ")))"
    case .startsWith(let text): "STARTS WITH \(text.exactText)"
    case .contains(let text): "CONTAINS \(text.exactText)"
    case .equals(let json): "IS \(json)"
    case .count(let comparison, let count): "COUNT \(comparison.sign) \(count)"
    case .element(let test): "HAS AN ELEMENT \(test.text)"
    }
  }
}
