import Holdfast

/// A generated table: a collection, its rows, and questions, each a check of its own against the
/// oracle.
struct QueryTable: Sendable {
  /// What a table holds.
  struct Content: Sendable {
    let definition: CollectionDefinition
    let rows: [[String: Value]]
    let questions: [Question]

    /// The rows as the oracle sees them.
    var plain: PlainTable {
      PlainTable(
        kinds: definition.fields.map { PlainTable.Kind(rawValue: $0.type.rawValue) ?? .any },
        key: definition.key.compactMap { name in
          definition.fields.firstIndex { $0.name == name }
        },
        rows: rows.map { row in
          definition.fields.map { Oracle.plain(row[$0.name] ?? .null, $0.type) }
        }
      )
    }

    /// The oracle's answers, one for each question.
    var answers: [Answer] {
      let plain = plain
      return questions.map { $0.answer(plain, definition) }
    }
  }

  /// The id of the table's case.
  let id: String
  /// The rule that it proves.
  let statement: String
  /// Makes the content; the same numbers give the same content.
  let make: @Sendable (_ generator: inout SeededGenerator) -> Content

  /// The case that asks a store every question.
  var conformanceCase: ConformanceCase {
    ConformanceCase(id, statement) { context in
      var generator = context.generator()
      let content = make(&generator)
      let store = try await context.open(creating: content.definition)
      let shuffled = content.rows.shuffled(using: &generator)
      let name = content.definition.name
      try await store.write { transaction in
        for row in shuffled { try transaction.insert(row, into: name) }
      }
      let answers = try await store.read { transaction in
        try content.questions.map { question in
          try question.ask(transaction, name, key: content.definition.key)
        }
      }
      content.compare(answers, context)
    }
  }
}

extension QueryTable.Content {
  /// Expects a store's answers to be the oracle's, each a check with the question in its failure.
  func compare(_ answers: [Answer], _ context: ConformanceContext) {
    let plain = plain
    context.expect(answers.count, questions.count, "questions answered")
    for (number, (question, got)) in zip(questions, answers).enumerated() {
      let expected = question.answer(plain, definition)
      context.expect(
        got,
        expected,
        "check \(number), \(question.text)\(difference(expected, got))"
      )
    }
  }

  /// The rows that only one of two answers holds, in full.
  private func difference(_ expected: Answer, _ got: Answer) -> String {
    guard case .rows(let expected) = expected, case .rows(let got) = got,
      expected.allSatisfy({ $0.count == definition.key.count })
    else { return "" }
    let missing = Set(expected.map(\.exactText)).subtracting(got.map(\.exactText))
    let extra = Set(got.map(\.exactText)).subtracting(expected.map(\.exactText))
    var text = ""
    for row in rows {
      let key = definition.key.map { row[$0] ?? .null }.exactText
      guard missing.contains(key) || extra.contains(key) else { continue }
      let fields = definition.fields.map { "\($0.name): \((row[$0.name] ?? .null).exactText)" }
      text += missing.contains(key) ? "; missing {" : "; too much {"
      text += fields.joined(separator: ", ") + "}"
      if text.utf8.count > 1000 { return text + "…" }
    }
    return text
  }
}
