import Holdfast

/// The rules' own answers, for comparison: the library's values and filters, taken apart as data
/// and handed to the oracle, whose code knows nothing of the library.
enum Oracle {
  /// A value as the oracle sees it; in a field whose type has several spellings of one value, what
  /// the spelling means.
  static func plain(_ value: Value, _ type: FieldType? = nil) -> Plain {
    switch type.map({ Pools.meaning(of: value, as: $0) }) ?? value {
    case .null: .nothing
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(Array(text.utf8))
    case .blob(let blob): .blob(blob)
    }
  }

  /// A value of the oracle's as one of the library's.
  static func value(_ plain: Plain) -> Value {
    switch plain {
    case .nothing: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): .blob(bytes)
    }
  }

  /// A filter as the oracle's condition.
  ///
  /// `field` gives the position of a field by its name; `types` are the fields' types, empty where
  /// no field has several spellings.
  static func condition(
    _ filter: Filter,
    _ field: (String) -> Int,
    _ types: [FieldType] = []
  ) -> PlainCondition {
    func literal(_ value: Value, _ field: Int) -> Plain {
      plain(value, types.isEmpty ? nil : types[field])
    }
    switch filter {
    case .all: return .always
    case .compare(let name, let comparison, let value):
      return .compare(field(name), relation(comparison), literal(value, field(name)))
    case .isIn(let name, let list):
      let position = field(name)
      return .oneOf(position, list.map { literal($0, position) })
    case .startsWith(let name, let value): return .begins(field(name), plain(value))
    case .contains(let name, let value): return .includes(field(name), plain(value))
    case .json(let name, let condition):
      return .json(field(name), path: condition.path.map { Array($0.utf8) }, test(condition.test))
    case .and(let parts): return .every(parts.map { condition($0, field, types) })
    case .or(let parts): return .some(parts.map { condition($0, field, types) })
    case .not(let part): return .inverse(condition(part, field, types))
    }
  }

  private static func test(_ test: JSONCondition.Test) -> PlainJSONTest {
    switch test {
    case .compare(let comparison, let literal): .compare(relation(comparison), plain(literal))
    case .isIn(let values): .oneOf(values.map { plain($0) })
    case .startsWith(let text): .begins(Array(text.utf8))
    case .contains(let text): .includes(Array(text.utf8))
    case .equals(let json): .equals(PlainJSON(Array(json.utf8)))
    case .count(let comparison, let count): .count(relation(comparison), Int64(count))
    case .element(let test): .element(Self.test(test))
    }
  }

  private static func relation(_ comparison: Comparison) -> PlainCondition.Relation {
    switch comparison {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }

  /// Orders two values.
  static func order(_ left: Value, _ right: Value) -> Int { Plain.order(plain(left), plain(right)) }

  /// Orders two lists part by part.
  static func order(_ left: [Value], _ right: [Value]) -> Int {
    Plain.order(left.map { plain($0) }, right.map { plain($0) })
  }

  /// Whether a record, given by field name, matches a filter.
  static func matches(_ filter: Filter, _ record: [String: Value]) -> Bool {
    let names = Array(record.keys)
    let row = names.map { plain(record[$0] ?? .null) } + [.nothing]
    return condition(filter) { names.firstIndex(of: $0) ?? names.count }.holds(row)
  }

  /// The keys of records that match, in an order, ties by key.
  static func ids(
    _ records: [[String: Value]],
    _ filter: Filter = .all,
    sort: [Sort] = [],
    key: String = "id"
  ) -> [Value] {
    var positions: [String: Int] = [:]
    for record in records {
      for name in record.keys where positions[name] == nil { positions[name] = positions.count }
    }
    // Fields that no record gives are null in all.
    let missing = positions.count
    let names = positions.sorted { $0.value < $1.value }.map(\.key)
    let table = PlainTable(
      kinds: Array(repeating: .any, count: missing + 1),
      key: [positions[key] ?? missing],
      rows: records.map { record in names.map { plain(record[$0] ?? .null) } + [.nothing] }
    )
    let condition = condition(filter) { positions[$0] ?? missing }
    let order = sort.map {
      PlainTable.Order(field: positions[$0.field] ?? missing, isDescending: $0.isDescending)
    }
    return table.keys(of: table.matching(condition, order)).map { value($0[0]) }
  }
}
