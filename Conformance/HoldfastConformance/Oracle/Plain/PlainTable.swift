/// The rows of one table, and what the rules say about questions to it.
struct PlainTable: Sendable {
  /// The type of a field, by its name in the rules.
  enum Kind: String, Sendable {
    case integer, real, text, blob, bool, date, uuid, decimal, json, any

    var isOrdered: Bool { self != .decimal && self != .json }
    var isNumber: Bool { self == .integer || self == .real }
  }

  /// A question that is refused: the code of the error.
  enum Refusal: String, Error, Sendable {
    case typeMismatch, invalidValue, invalidQuery, overflow
  }

  /// One field of an order.
  struct Order: Sendable {
    let field: Int
    let isDescending: Bool
  }

  /// A figure over the rows.
  enum Figure: Sendable {
    case count
    case sum(Int)
    case average(Int)
    case smallest(Int)
    case largest(Int)
  }

  let kinds: [Kind]
  /// The positions of the key's fields.
  let key: [Int]
  let rows: [[Plain]]

  /// The rows that fulfil a condition, in an order, ties by key; a part of them.
  func select(
    _ condition: PlainCondition,
    order: [Order] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(Refusal) -> [[Plain]] {
    if (limit ?? 0) < 0 || offset < 0 { throw .invalidQuery }
    try condition.check(kinds)
    for entry in order where !kinds[entry.field].isOrdered { throw .typeMismatch }
    let rest = matching(condition, order).dropFirst(offset)
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }

  /// All rows that fulfil a condition, in an order, ties by key; nothing is refused.
  func matching(_ condition: PlainCondition, _ order: [Order]) -> [[Plain]] {
    let order = order + key.map { Order(field: $0, isDescending: false) }
    return rows.filter { condition.holds($0) }.sorted { left, right in
      for entry in order {
        let result = Plain.order(left[entry.field], right[entry.field])
        if result != 0 { return entry.isDescending ? result > 0 : result < 0 }
      }
      return false
    }
  }

  /// The keys of rows.
  func keys(of rows: [[Plain]]) -> [[Plain]] { rows.map { row in key.map { row[$0] } } }

  /// Figures over the rows that fulfil a condition, in one row, or a row for each group: the
  /// group's values, then the figures, in ascending order.
  func figures(
    _ figures: [Figure],
    by groupFields: [Int] = [],
    _ condition: PlainCondition = .always
  ) throws(Refusal) -> [[Plain]] {
    try condition.check(kinds)
    for figure in figures {
      switch figure {
      case .count: break
      case .sum(let field), .average(let field):
        if !kinds[field].isNumber { throw .typeMismatch }
      case .smallest(let field), .largest(let field):
        if !kinds[field].isOrdered { throw .typeMismatch }
      }
    }
    let members = rows.filter { condition.holds($0) }
    if groupFields.isEmpty { return [try compute(figures, members)] }
    func group(_ row: [Plain]) -> [Plain] { groupFields.map { row[$0] } }
    let sorted = members.sorted { Plain.order(group($0), group($1)) < 0 }
    var answer: [[Plain]] = []
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, Plain.order(group(sorted[start]), group(sorted[end])) == 0 {
        end += 1
      }
      answer.append(group(sorted[start]) + (try compute(figures, Array(sorted[start..<end]))))
      start = end
    }
    return answer
  }

  private func compute(_ figures: [Figure], _ rows: [[Plain]]) throws(Refusal) -> [Plain] {
    var answer: [Plain] = []
    for figure in figures {
      switch figure {
      case .count: answer.append(.integer(Int64(rows.count)))
      case .sum(let field):
        let total = PlainTotal(rows.map { $0[field] })
        answer.append(kinds[field] == .integer ? try total.integer() : total.real())
      case .average(let field): answer.append(PlainTotal(rows.map { $0[field] }).mean())
      case .smallest(let field): answer.append(ordered(rows, field).first ?? .nothing)
      case .largest(let field): answer.append(ordered(rows, field).last ?? .nothing)
      }
    }
    return answer
  }

  private func ordered(_ rows: [[Plain]], _ field: Int) -> [Plain] {
    rows.map { $0[field] }.filter { !$0.isNothing }.sorted { Plain.order($0, $1) < 0 }
  }
}
