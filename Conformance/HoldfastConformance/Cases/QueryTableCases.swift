import Holdfast

/// Every operator over every type, generated: rows with null among them, null among the operands,
/// each asked plainly, over an index, negated and counted, against the oracle.
enum QueryTableCases {
  /// An operator: its name and its filters over a field, given the operands to try.
  private struct Operator: Sendable {
    let name: String
    let types: [FieldType]
    let filters: @Sendable (_ field: String, _ operands: [Value]) -> [Filter]
  }

  private static let ordered: [FieldType] = [.integer, .real, .text, .bool, .date, .blob, .uuid]
  private static let bytes: [FieldType] = [.text, .blob]

  private static let operators: [Operator] = [
    Operator(name: "equal", types: ordered + [.decimal, .json]) { field, operands in
      operands.map { .equal(field, $0) }
    },
    Operator(name: "notEqual", types: ordered + [.decimal, .json]) { field, operands in
      operands.map { .notEqual(field, $0) }
    },
    Operator(name: "less", types: ordered) { field, operands in
      operands.map { .less(field, $0) }
    },
    Operator(name: "lessOrEqual", types: ordered) { field, operands in
      operands.map { .lessOrEqual(field, $0) }
    },
    Operator(name: "greater", types: ordered) { field, operands in
      operands.map { .greater(field, $0) }
    },
    Operator(name: "greaterOrEqual", types: ordered) { field, operands in
      operands.map { .greaterOrEqual(field, $0) }
    },
    Operator(name: "between", types: ordered) { field, operands in
      pairs(operands).map { .between(field, $0, $1) }
    },
    Operator(name: "in", types: ordered + [.decimal, .json]) { field, operands in
      lists(operands).map { .isIn(field, $0) }
    },
    Operator(name: "notIn", types: ordered + [.decimal, .json]) { field, operands in
      lists(operands).map { .not(.isIn(field, $0)) }
    },
    Operator(name: "startsWith", types: bytes) { field, operands in
      (operands + parts(operands)).map { .startsWith(field, $0) }
    },
    Operator(name: "contains", types: bytes) { field, operands in
      (operands + parts(operands)).map { .contains(field, $0) }
    },
  ]

  /// Operands paired with others a few places on, both ways round.
  private static func pairs(_ operands: [Value]) -> [(Value, Value)] {
    operands.indices.flatMap { index in
      [0, 1, 3, operands.count - 1].map {
        (operands[index], operands[(index + $0) % operands.count])
      }
    }
  }

  /// Lists of no, one, two and many operands, with null and with repetitions.
  private static func lists(_ operands: [Value]) -> [[Value]] {
    var lists: [[Value]] = [[], [.null], operands, operands + operands]
    for index in operands.indices {
      lists.append([operands[index]])
      lists.append([operands[index], operands[(index + 2) % operands.count], operands[index]])
      lists.append([operands[index], .null])
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

  static let all: [ConformanceCase] = operators.flatMap { entry in
    entry.types.map { type in
      ConformanceCase(
        "query.\(entry.name).\(type.rawValue)",
        "The operator \(entry.name) over \(type.rawValue), null rows and null operands included."
      ) { context in
        let operands = Pools.values(of: type) + [.null]
        let records = rows(type)
        let store = try await fill(context, type, records)
        let plain = entry.filters("value", operands)
        let indexed = entry.filters("indexed", operands)
        let got = try await store.read { transaction in
          try (plain + indexed).map { filter in
            [
              try transaction.ids(Query("table", where: filter)),
              try transaction.ids(Query("table", where: .not(filter))),
              [.integer(Int64(try transaction.count("table", where: filter)))],
            ]
          }
        }
        for (filter, answers) in zip(plain + indexed, got) {
          let expected = Oracle.ids(records, filter)
          context.expect(answers[0], expected, "\(filter)")
          context.expect(answers[1], Oracle.ids(records, .not(filter)), "NOT \(filter)")
          context.expect(answers[2], [.integer(Int64(expected.count))], "count \(filter)")
          if !context.failures.isEmpty { break }
        }
      }
    }
  }

  /// Each value of the type twice, and null rows between.
  private static func rows(_ type: FieldType) -> [[String: Value]] {
    let pool = Pools.values(of: type)
    let values = [Value.null] + pool + [.null] + pool.reversed() + [.null]
    return values.enumerated().map {
      ["id": .integer(Int64($0.offset)), "value": $0.element, "indexed": $0.element]
    }
  }

  private static func fill(
    _ context: ConformanceContext,
    _ type: FieldType,
    _ records: [[String: Value]]
  ) async throws -> Store {
    let definition = CollectionDefinition(
      "table",
      fields: [
        FieldDefinition("id", .integer), FieldDefinition("value", type, optional: true),
        FieldDefinition("indexed", type, optional: true),
      ],
      key: ["id"],
      indexes: [IndexDefinition(["indexed"])]
    )
    let store = try await context.open(creating: definition)
    var generator = context.generator()
    let shuffled = records.shuffled(using: &generator)
    try await store.write { transaction in
      for record in shuffled { try transaction.insert(record, into: "table") }
    }
    return store
  }
}
