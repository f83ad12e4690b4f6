import Holdfast

/// The generated tables as JSON with the oracle's answers, for a second oracle in another language.
///
/// Integers are numbers, texts strings; `{"real": …}` holds the sixteen hexadecimal digits of a
/// double's bits, `{"blob": …}` the bytes. Filters are arrays that begin with their operator.
extension Conformance {
  /// All tables of a seed.
  package static func exportTables(seed: UInt64 = defaultSeed) -> String {
    let tables = QueryTables.all.map { table in
      var generator = SeededGenerator(seed: Self.seed(of: table.id, seed))
      return table.make(&generator).json(table.id)
    }
    return "{\"tables\":[\n\(tables.joined(separator: ",\n"))\n]}\n"
  }
}

extension QueryTable.Content {
  fileprivate func json(_ id: String) -> String {
    let fields = definition.fields.map { "[\(quoted($0.name)),\(quoted($0.type.rawValue))]" }
    let rows = rows.map { row in
      json(definition.fields.map { row[$0.name] ?? .null })
    }
    let questions = zip(questions, answers).map { question, answer in
      "{\(json(question)),\"answer\":\(json(answer))}"
    }
    return "{\"id\":\(quoted(id)),\"fields\":[\(fields.joined(separator: ","))],"
      + "\"key\":[\(definition.key.map(quoted).joined(separator: ","))],"
      + "\"rows\":[\(rows.joined(separator: ","))],"
      + "\"questions\":[\n\(questions.joined(separator: ",\n"))]}"
  }

  private func json(_ question: Question) -> String {
    switch question {
    case .keys(let query): return "\"keys\":\(json(query))"
    case .pages(let query): return "\"pages\":\(json(query))"
    case .count(let filter): return "\"count\":\(json(filter))"
    case .figures(let figures, let groups, let filter):
      let list = figures.map { figure in
        switch figure {
        case .count: "[\"count\"]"
        case .sum(let field): "[\"sum\",\(quoted(field))]"
        case .average(let field): "[\"average\",\(quoted(field))]"
        case .minimum(let field): "[\"minimum\",\(quoted(field))]"
        case .maximum(let field): "[\"maximum\",\(quoted(field))]"
        }
      }
      return "\"figures\":[\(list.joined(separator: ","))],"
        + "\"by\":[\(groups.map(quoted).joined(separator: ","))],\"where\":\(json(filter))"
    }
  }

  private func json(_ query: Query) -> String {
    let sort = query.sort.map { "[\(quoted($0.field)),\($0.isDescending)]" }
    return "{\"where\":\(json(query.filter)),\"sort\":[\(sort.joined(separator: ","))],"
      + "\"limit\":\(query.limit.map { "\($0)" } ?? "null"),\"offset\":\(query.offset)}"
  }

  private func json(_ filter: Filter) -> String {
    switch filter {
    case .all: "[\"all\"]"
    case .compare(let field, let comparison, let value):
      "[\"\(comparison.sign)\",\(quoted(field)),\(json(value))]"
    case .isIn(let field, let list): "[\"in\",\(quoted(field)),\(json(list))]"
    case .startsWith(let field, let value): "[\"startsWith\",\(quoted(field)),\(json(value))]"
    case .contains(let field, let value): "[\"contains\",\(quoted(field)),\(json(value))]"
    case .json(let field, let condition):
      "[\"json\",\(quoted(field)),[\(condition.path.map(quoted).joined(separator: ","))],"
        + "\(json(condition.test))]"
    case .and(let parts): "[\"and\"\(parts.map { "," + json($0) }.joined())]"
    case .or(let parts): "[\"or\"\(parts.map { "," + json($0) }.joined())]"
    case .not(let part): "[\"not\",\(json(part))]"
    }
  }

  private func json(_ test: JSONCondition.Test) -> String {
    switch test {
    case .compare(let comparison, let value): "[\"\(comparison.sign)\",\(json(value))]"
    case .isIn(let values):
      // A set has no order of its own.
      "[\"in\",[\(values.map(json).sorted().joined(separator: ","))]]"
    case .startsWith(let text): "[\"startsWith\",\(quoted(text))]"
    case .contains(let text): "[\"contains\",\(quoted(text))]"
    case .equals(let text): "[\"equals\",\(quoted(text))]"
    case .count(let comparison, let count): "[\"count\",\"\(comparison.sign)\",\(count)]"
    case .element(let test): "[\"element\",\(json(test))]"
    }
  }

  private func json(_ answer: Answer) -> String {
    switch answer {
    case .rows(let rows): "[\(rows.map(json).joined(separator: ","))]"
    case .error(let code): "{\"error\":\(quoted(code))}"
    }
  }

  private func json(_ values: [Value]) -> String {
    "[\(values.map(json).joined(separator: ","))]"
  }

  private func json(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): "{\"real\":\"\(String(real.bitPattern, radix: 16))\"}"
    case .text(let text): quoted(text)
    case .blob(let bytes): "{\"blob\":\"\(ExactText.hex(bytes))\"}"
    }
  }

  /// A string of JSON in ASCII alone.
  private func quoted(_ text: String) -> String {
    var out = "\""
    for unit in text.utf16 {
      if unit >= 0x20, unit < 0x7F, unit != 0x22, unit != 0x5C {
        out.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return out + "\""
  }
}
