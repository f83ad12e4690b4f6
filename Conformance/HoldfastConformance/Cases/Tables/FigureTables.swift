import Holdfast

/// Figures over the values of each type, in all and by groups.
enum FigureTables {
  static let all: [QueryTable] =
    FieldType.allCases.map { type in
      TypeTable.table(
        "query.figures.\(type.rawValue)",
        "Figures of \(type.rawValue) leave nulls out and are of the exact total, rounded once.",
        type
      ) { questions(type) }
    } + [sums]

  private static func questions(_ type: FieldType) -> [Question] {
    let isOrdered = type != .decimal && type != .json
    return TypeTable.columns(type).flatMap { column -> [Question] in
      var filters: [Filter] = [.all, .isNull(column), .notEqual(column, .null), .or([])]
      for (index, operand) in TypeTable.operands(type).enumerated()
      where index % 3 == 0 || type == .real {
        filters.append(isOrdered ? .lessOrEqual(column, operand) : .notEqual(column, operand))
        filters.append(isOrdered ? .greater(column, operand) : .equal(column, operand))
        filters.append(.greater("id", .integer(Int64(index * 2))))
      }
      // A figure that the type does not have is refused, so each is asked for alone too.
      let single: [Aggregate] = [
        .sum(column), .average(column), .minimum(column), .maximum(column),
      ]
      let figures = [.count] + single.filter { has($0, type) }
      var asked = single.map { Question.figures([$0], by: [], .all) }
      for filter in filters {
        asked.append(.figures(figures, by: [], filter))
        asked.append(.figures(figures, by: ["label"], filter))
      }
      if type != .any {
        asked.append(.figures(figures, by: [column], .all))
        asked.append(.figures([], by: [column, "label"], .all))
        asked.append(.figures([.count], by: ["label", column], .greater("id", 7)))
      }
      return asked
    }
  }

  private static func has(_ figure: Aggregate, _ type: FieldType) -> Bool {
    switch figure {
    case .count: true
    case .sum, .average: type == .integer || type == .real
    case .minimum, .maximum: type != .decimal && type != .json
    }
  }

  /// Random reals of every size and integers that nearly overflow, in many subsets.
  private static let sums = QueryTable(
    id: "query.sums",
    statement: "Sums and averages depend neither on the engine nor on row order."
  ) { generator in
    let rows = (0..<120).map { id -> [String: Value] in
      let bits = generator.next()
      let near = Double(Int(bits % 2001) - 1000) / 10
      let real = Double(bitPattern: bits)
      let isUsual = id % 3 > 0 || !real.isFinite
      return [
        "id": .integer(Int64(id)), "name": .text("g\(bits % 5)"),
        "rank": .integer(Int64(bitPattern: generator.next()) >> Int64(id % 4)),
        "score": .real(isUsual ? near : real),
      ]
    }
    let figures: [Aggregate] = [.sum("score"), .average("score"), .average("rank")]
    var questions: [Question] = []
    for _ in 0..<120 {
      let low = Int64(generator.below(120))
      let filter = Filter.between("id", .integer(low), .integer(low + Int64(generator.below(40))))
      questions.append(.figures(figures, by: [], filter))
      questions.append(.figures([.sum("rank")], by: [], filter))
      questions.append(.figures(figures, by: ["name"], filter))
    }
    return QueryTable.Content(definition: Shapes.item(), rows: rows, questions: questions)
  }
}
