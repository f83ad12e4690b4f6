import Holdfast

extension ModelContent {
  /// A read that is done at once.
  func read(_ read: ModelRead) -> ModelExpectation {
    switch read {
    case .get(let name, let key):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      let codes = collection.faults(ofKey: key)
      if !codes.isEmpty { return .fails(codes) }
      let place = collection.find(collection.stored(key: key))
      return .done(place.map { ModelText.list(collection.rows[$0]) } ?? "nothing")
    case .query(let query):
      guard let collection = self[query.collection] else { return .fails([.unknownCollection]) }
      let codes = collection.faults(query)
      if !codes.isEmpty { return .fails(codes) }
      return .done(ModelText.rows(collection.rows(query)))
    case .count(let name, let filter):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      let codes = ModelRules.faults(filter, collection)
      if !codes.isEmpty { return .fails(codes) }
      return .done("\(collection.rows.count { collection.matches(filter, $0) })")
    case .aggregate(let name, let figures, let groups, let filter):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      return collection.aggregate(figures, by: groups, filter)
    }
  }
}

extension ModelCollection {
  func matches(_ filter: Filter, _ row: [Value]) -> Bool {
    if case .all = filter { return true }
    var record: [String: Value] = [:]
    for (field, value) in zip(definition.fields, row) { record[field.name] = value }
    return Oracle.matches(filter, record)
  }

  /// All codes with which a query may be refused.
  func faults(_ query: Query) -> [StorageError.Code] {
    var codes = ModelRules.faults(query.filter, self)
    if query.limit.map({ $0 < 0 }) ?? false || query.offset < 0 { codes.append(.invalidQuery) }
    for sort in query.sort {
      guard let field = field(sort.field) else {
        codes.append(.unknownField)
        continue
      }
      if field.type == .decimal || field.type == .json { codes.append(.typeMismatch) }
    }
    return codes
  }

  /// The fields by which a query's rows are ordered, the key's at the end.
  func order(_ query: Query) -> [(position: Int, isDescending: Bool)] {
    var order: [(position: Int, isDescending: Bool)] = []
    let sorts = query.sort.map { ($0.field, $0.isDescending) } + definition.key.map { ($0, false) }
    for (name, isDescending) in sorts {
      guard let position = position(name), !order.contains(where: { $0.position == position })
      else { continue }
      order.append((position, isDescending))
    }
    return order
  }

  /// Compares two rows in an order.
  static func compare(
    _ left: [Value],
    _ right: [Value],
    _ order: [(position: Int, isDescending: Bool)]
  ) -> Int {
    for (position, isDescending) in order {
      let result = Oracle.order(left[position], right[position])
      if result != 0 { return isDescending ? -result : result }
    }
    return 0
  }

  /// All rows in key order.
  func sorted() -> [[Value]] { rows(Query(definition.name)) }

  /// The rows of a query that is right, from the beginning or behind a row.
  func rows(_ query: Query, behind last: [Value]? = nil) -> [[Value]] {
    let order = order(query)
    var found = rows.filter { matches(query.filter, $0) }
    if let last { found = found.filter { Self.compare($0, last, order) > 0 } }
    found.sort { Self.compare($0, $1, order) < 0 }
    return Array(found.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  /// Figures over the records that match.
  func aggregate(_ figures: [Aggregate], by groups: [String], _ filter: Filter)
    -> ModelExpectation
  {
    var codes = ModelRules.faults(filter, self)
    for name in groups where field(name) == nil { codes.append(.unknownField) }
    for figure in figures { codes += faults(figure) }
    if !codes.isEmpty { return .fails(codes) }
    let found = rows.filter { matches(filter, $0) }
    let positions = positions(groups)
    var keys: [[Value]] = []
    for row in found {
      let key = positions.map { row[$0] }
      if !keys.contains(where: { Oracle.order($0, key) == 0 }) { keys.append(key) }
    }
    keys.sort { Oracle.order($0, $1) < 0 }
    if groups.isEmpty { keys = [[]] }
    var results: [[Value]] = []
    for key in keys {
      let members = found.filter { row in Oracle.order(positions.map { row[$0] }, key) == 0 }
      var result = key
      for figure in figures {
        guard let value = self.value(of: figure, members) else { return .fails([.overflow]) }
        result.append(value)
      }
      results.append(result)
    }
    return .done(ModelText.rows(results))
  }

  private func faults(_ figure: Aggregate) -> [StorageError.Code] {
    switch figure {
    case .count: return []
    case .sum(let name), .average(let name):
      guard let field = field(name) else { return [.unknownField] }
      return field.type == .integer || field.type == .real ? [] : [.typeMismatch]
    case .minimum(let name), .maximum(let name):
      guard let field = field(name) else { return [.unknownField] }
      return field.type == .decimal || field.type == .json ? [.typeMismatch] : []
    }
  }

  /// One figure; nil if it does not fit.
  private func value(of figure: Aggregate, _ members: [[Value]]) -> Value? {
    func values(_ name: String) -> [Value] {
      let position = position(name) ?? 0
      return members.map { $0[position] }.filter { !ModelRules.isNull($0) }
    }
    switch figure {
    case .count: return .integer(Int64(members.count))
    case .sum(let name): return ModelSum(values(name)).total
    case .average(let name): return ModelSum(values(name)).mean
    case .minimum(let name): return values(name).min { Oracle.order($0, $1) < 0 } ?? .null
    case .maximum(let name): return values(name).max { Oracle.order($0, $1) < 0 } ?? .null
    }
  }
}
