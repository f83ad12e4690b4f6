import Holdfast

/// Every operator over every type: null among the rows and the operands, each asked plainly and
/// over an index, of an optional field and of a required one, negated, counted, and with an order
/// and a limit.
enum OperatorTables {
  /// An operator: its name, its rule, and its filters over a field.
  private struct Operator: Sendable {
    let name: String
    let rule: String
    let types: [FieldType]
    let filters: @Sendable (_ field: String, _ operands: [Value]) -> [Filter]
  }

  private static let ordered: [FieldType] = [
    .integer, .real, .text, .bool, .date, .blob, .uuid, .any,
  ]
  private static let everyType = ordered + [.decimal, .json]
  private static let bytes: [FieldType] = [.text, .date, .blob]

  private static let operators: [Operator] = [
    Operator(name: "equal", rule: "`x = null` asks for null", types: everyType) { field, list in
      list.map { .equal(field, $0) }
    },
    Operator(name: "notEqual", rule: "`null != x` is true", types: everyType) { field, list in
      list.map { .notEqual(field, $0) }
    },
    Operator(name: "less", rule: "`<` on null is false", types: ordered) { field, list in
      list.map { .less(field, $0) }
    },
    Operator(name: "lessOrEqual", rule: "`<=` on null is false", types: ordered) { field, list in
      list.map { .lessOrEqual(field, $0) }
    },
    Operator(name: "greater", rule: "`>` on null is false", types: ordered) { field, list in
      list.map { .greater(field, $0) }
    },
    Operator(name: "greaterOrEqual", rule: "`>=` on null is false", types: ordered) {
      field,
      list in
      list.map { .greaterOrEqual(field, $0) }
    },
    Operator(name: "between", rule: "both ends are included", types: ordered) { field, list in
      pairs(list).map { .between(field, $0, $1) }
    },
    Operator(name: "in", rule: "a null in a list matches null", types: everyType) { field, list in
      lists(list).map { .isIn(field, $0) }
    },
    Operator(name: "notIn", rule: "NOT IN is the complement of IN", types: everyType) {
      field,
      list in
      lists(list).map { .not(.isIn(field, $0)) }
    },
    Operator(name: "isNull", rule: "only null is null", types: everyType) { field, _ in
      [.isNull(field), .not(.notEqual(field, .null)), .isIn(field, [.null])]
    },
    Operator(name: "isNotNull", rule: "empty and zero are not null", types: everyType) { field, _ in
      [.notEqual(field, .null), .not(.isNull(field)), .not(.isIn(field, [.null]))]
    },
    Operator(name: "startsWith", rule: "bytes count, not characters", types: bytes) { field, list in
      (list + parts(list)).map { .startsWith(field, $0) }
    },
    Operator(name: "contains", rule: "bytes count, not characters", types: bytes) { field, list in
      (list + parts(list)).map { .contains(field, $0) }
    },
  ]

  static let all: [QueryTable] =
    operators.flatMap { entry in
      entry.types.map { type in
        TypeTable.table(
          "query.\(entry.name).\(type.rawValue)",
          "The operator \(entry.name) over \(type.rawValue): \(entry.rule).",
          type
        ) {
          let list = TypeTable.operands(type)
          return TypeTable.columns(type).flatMap { questions($0, entry.filters($0, list)) }
        }
      }
    } + [
      mixed("query.integerAgainstReal", .integer, integersAgainst),
      mixed("query.realAgainstInteger", .real, realsAgainst),
    ]

  private static func questions(_ column: String, _ filters: [Filter]) -> [Question] {
    if column.hasPrefix("must") {
      return filters.map { .keys(Query(TypeTable.name, where: $0)) }
    }
    return filters.enumerated().flatMap { index, filter -> [Question] in
      let whole = Query(TypeTable.name, where: filter)
      var asked: [Question] = [
        .keys(whole), .keys(Query(TypeTable.name, where: .not(filter))), .count(filter),
      ]
      if index % 4 == 0 {
        var part = whole
        part.limit = 1 + index % 7
        part.offset = index % 3
        asked.append(.keys(part))
      }
      return asked
    }
  }

  /// Operands paired with others a few places on, both ways round.
  private static func pairs(_ operands: [Value]) -> [(Value, Value)] {
    operands.indices.flatMap { index in
      [0, 3, operands.count - 1].map {
        (operands[index], operands[(index + $0) % operands.count])
      }
    }
  }

  /// Lists of no, one, two and many operands, with null and with repetitions.
  private static func lists(_ operands: [Value]) -> [[Value]] {
    var lists: [[Value]] = [[], [.null], operands, operands + operands]
    for index in operands.indices {
      switch index % 3 {
      case 0: lists.append([operands[index]])
      case 1:
        lists.append([operands[index], operands[(index + 2) % operands.count], operands[index]])
      default: lists.append([operands[index], .null])
      }
    }
    return lists
  }

  /// Pieces of text and blob operands.
  private static func parts(_ operands: [Value]) -> [Value] {
    operands.compactMap { value in
      switch value {
      case .text(let text) where text.unicodeScalars.count > 1:
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.dropFirst())
        return .text(String(scalars))
      case .blob(let blob) where blob.count > 1: return .blob(Array(blob.dropFirst()))
      default: return nil
      }
    }
  }

  // MARK: Numbers of both kinds

  private static let integersAgainst: [Value] = [
    -2.5, -1.0, 0.5, 1.0, 2.5, .real(0x1p53), .real(0x1p63), .real(-0x1p63), 1e300, -1e300,
    .real(.infinity), .real(-.infinity), .real(0x1.fffffffffffffp62), .real(-0.0),
    .real(.leastNonzeroMagnitude), .real(-.leastNonzeroMagnitude), 255.999, -256.001,
  ]

  private static let realsAgainst: [Value] = [
    -3, 0, 1, 2, .integer(1 << 53), .integer((1 << 53) + 1), .integer(-(1 << 53) - 1),
    .integer(.max), .integer(.min), .integer(.max - 1), .integer(.min + 1),
  ]

  private static func mixed(_ id: String, _ type: FieldType, _ literals: [Value]) -> QueryTable {
    TypeTable.table(id, "Integer against real compares numerically and exactly.", type) {
      TypeTable.columns(type).flatMap { column -> [Question] in
        let filters = literals.flatMap { literal -> [Filter] in
          [
            .equal(column, literal), .notEqual(column, literal), .less(column, literal),
            .lessOrEqual(column, literal), .greater(column, literal),
            .greaterOrEqual(column, literal), .isIn(column, [literal]),
            .isIn(column, [literal, 1, .null]), .between(column, literal, 1e17),
          ]
        }
        return questions(column, filters)
      }
    }
  }
}
