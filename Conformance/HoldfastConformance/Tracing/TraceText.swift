import Holdfast

/// What the calls of a storage are about, in few words: long values and lists are cut.
enum TraceText {
  private static let longestValue = 40
  private static let mostFields = 12
  private static let mostValues = 5

  /// A key.
  static func key(_ key: RowView) -> String {
    "[\((0..<key.count).map { field($0, of: key) }.joined(separator: ", "))]"
  }

  /// A record in full, or its key.
  ///
  /// Parameter `automatic`: the key that the store gave it.
  static func row(
    _ row: RowView,
    _ collection: Collection,
    automatic: Int64? = nil,
    isFull: Bool
  ) -> String {
    func text(_ position: Int) -> String {
      if let automatic, position == collection.automaticKeyPosition { return "\(automatic)" }
      return field(position, of: row)
    }
    guard isFull else {
      return "[\(collection.keyPositions.map(text).joined(separator: ", "))]"
    }
    var parts = (0..<min(row.count, mostFields)).map {
      "\(collection.fields[$0].name): \(text($0))"
    }
    if row.count > mostFields { parts.append("… \(row.count) fields") }
    return "{\(parts.joined(separator: ", "))}"
  }

  private static func field(_ position: Int, of row: RowView) -> String {
    switch row.kind(position) {
    case .null: return "null"
    case .integer: return "\(row.integer(position))"
    case .real: return "\(row.real(position))"
    case .text:
      let bytes = row.bytes(position)
      let shown = String(decoding: bytes.prefix(longestValue), as: UTF8.self)
      return cut(ExactText.quoted(shown), bytes.count)
    case .blob:
      let bytes = row.bytes(position)
      return cut("x'\(ExactText.hex(Array(bytes.prefix(longestValue / 2))))'", bytes.count * 2)
    }
  }

  private static func cut(_ text: String, _ length: Int) -> String {
    length > longestValue ? "\(text)…" : text
  }

  private static func values(_ values: [Value]) -> String {
    let buffer = RowBuffer(count: min(values.count, mostValues))
    for (index, value) in values.prefix(mostValues).enumerated() { buffer.set(index, value) }
    let shown = key(buffer.view)
    return values.count > mostValues ? "\(shown.dropLast()), … \(values.count)]" : shown
  }

  /// A collection with its fields, key, indexes and references.
  static func definition(_ definition: CollectionDefinition) -> String {
    let fields = definition.fields.prefix(mostFields).map { "\($0.name) \($0.type.rawValue)" }
    let more = definition.fields.count > mostFields ? ["… \(definition.fields.count) fields"] : []
    let parts =
      ["\(definition.name): " + (fields + more).joined(separator: ", ")]
      + ["key (\(definition.key.joined(separator: ", ")))"]
      + definition.indexes.map {
        "\($0.isUnique ? "unique" : "index") (\($0.fields.joined(separator: ", ")))"
      }
      + definition.references.map {
        "(\($0.fields.joined(separator: ", "))) to \($0.target) \($0.onDelete.rawValue)"
      }
    return parts.joined(separator: "; ")
  }

  // MARK: Reading

  /// Where a scan leads.
  static func scan(_ scan: Scan) -> String {
    var words: [String] = []
    if let index = scan.index {
      words.append("by index \(scan.collection.indexes[index].definition.name)")
    }
    if let lower = scan.lower {
      words.append("\(lower.isInclusive ? "from" : "after") \(values(lower.values))")
    }
    if let upper = scan.upper {
      words.append("\(upper.isInclusive ? "to" : "before") \(values(upper.values))")
    }
    if scan.isReversed { words.append("reversed") }
    return words.joined(separator: " ")
  }

  /// A query's filter, order and limit.
  static func query(_ query: BoundQuery) -> String {
    let order = query.order.map {
      "\($0.isDescending ? "-" : "")\(query.collection.fields[$0.position].name)"
    }
    var text = filter(query.filter, query.collection, isPart: false)
    text += "\(text.isEmpty ? "" : " ")by \(order.joined(separator: ", "))"
    if let limit = query.limit { text += " limit \(limit)" }
    if query.offset > 0 { text += " offset \(query.offset)" }
    return text
  }

  /// The figures, groups and filter of an aggregate.
  static func aggregate(_ aggregate: BoundAggregate) -> String {
    let names = aggregate.collection.fields.map(\.name)
    let figures = aggregate.functions.map { function in
      switch function {
      case .count: "count"
      case .sum(let position): "sum(\(names[position]))"
      case .average(let position): "average(\(names[position]))"
      case .minimum(let position): "minimum(\(names[position]))"
      case .maximum(let position): "maximum(\(names[position]))"
      }
    }
    var words = [figures.joined(separator: ", ")]
    if !aggregate.groupBy.isEmpty {
      words.append("for each \(aggregate.groupBy.map { names[$0] }.joined(separator: ", "))")
    }
    words.append(filter(aggregate.filter, aggregate.collection, isPart: false))
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func filter(
    _ filter: BoundFilter,
    _ collection: Collection,
    isPart: Bool
  ) -> String {
    func name(_ position: Int) -> String { collection.fields[position].name }
    func joined(_ parts: [BoundFilter], _ word: String) -> String {
      let shown = parts.prefix(mostValues).map { self.filter($0, collection, isPart: true) }
      let more = parts.count > mostValues ? ["… \(parts.count) parts"] : []
      let text = (shown + more).joined(separator: " \(word) ")
      return isPart ? "(\(text))" : text
    }
    let text: String
    switch filter {
    case .all: return isPart ? "true" : ""
    case .none: text = "false"
    case .compare(let position, let comparison, let value):
      let sign =
        switch comparison {
        case .equal: "="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
      text = "\(name(position)) \(sign) \(values([value]).dropFirst().dropLast())"
    case .isIn(let position, let set):
      text = "\(name(position)) in \(values((set.containsNull ? [.null] : []) + set.values))"
    case .startsWith(let position, let bytes):
      text = "\(name(position)) begins with \(values([.blob(bytes)]))"
    case .contains(let position, let bytes):
      text = "\(name(position)) contains \(values([.blob(bytes)]))"
    case .json(let position, let condition):
      text = ReportText.clipped(
        "\(([name(position)] + condition.path).joined(separator: ".")) "
          + "\(condition.test)",
        200
      )
    case .and(let parts): text = joined(parts, "and")
    case .or(let parts): text = joined(parts, "or")
    case .not(let part): text = "not \(self.filter(part, collection, isPart: true))"
    }
    return isPart ? text : "where \(text)"
  }
}
