import Holdfast

/// A collection that holds the values of one type in four fields: optional and required, each
/// without an index and with one.
///
/// A field `label` puts the rows into groups.
enum TypeTable {
  static let name = "table"

  /// The fields that hold the values.
  static func columns(_ type: FieldType) -> [String] {
    type == .any ? ["value", "must"] : ["value", "indexed", "must", "mustIndexed"]
  }

  static func definition(_ type: FieldType) -> CollectionDefinition {
    CollectionDefinition(
      name,
      fields: [FieldDefinition("id", .integer), FieldDefinition("label", .text, optional: true)]
        + columns(type).map {
          FieldDefinition($0, type, optional: !$0.hasPrefix("must"))
        },
      key: ["id"],
      indexes: columns(type).filter { $0.lowercased().hasSuffix("indexed") }.map {
        IndexDefinition([$0])
      }
    )
  }

  /// Each value of the type twice, the second time in another spelling where it has one, and null
  /// rows between; required fields hold the first value instead of null.
  static func rows(_ type: FieldType) -> [[String: Value]] {
    let pool = Pools.values(of: type)
    let spelled = pool.reversed().map { value in
      Pools.spellings[type]?.first { $0.meaning.exactText == value.exactText }?.given ?? value
    }
    let labels: [Value] = ["b", .null, "a", "\u{E9}", "e\u{301}"]
    return ([.null] + pool + [.null] + spelled + [.null]).enumerated().map { id, value in
      var row: [String: Value] = [
        "id": .integer(Int64(id)), "label": labels[id % labels.count],
      ]
      for column in columns(type) {
        let isNull = value.exactText == Value.null.exactText
        row[column] = column.hasPrefix("must") && isNull ? pool[0] : value
      }
      return row
    }
  }

  /// The values to ask with: those of the pool, their other spellings, and null.
  static func operands(_ type: FieldType) -> [Value] {
    Pools.values(of: type) + (Pools.spellings[type] ?? []).map(\.given) + [.null]
  }

  /// A table of the type.
  static func table(
    _ id: String,
    _ statement: String,
    _ type: FieldType,
    _ questions: @escaping @Sendable () -> [Question]
  ) -> QueryTable {
    QueryTable(id: id, statement: statement) { _ in
      QueryTable.Content(definition: definition(type), rows: rows(type), questions: questions())
    }
  }
}
