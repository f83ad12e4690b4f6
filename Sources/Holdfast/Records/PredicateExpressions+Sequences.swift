import Foundation

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    let sequence = try translator.operand(sequence)
    let element = try translator.operand(element)
    let filter = try translator.distribute(sequence) { sequence in
      try translator.distribute(element) { element in
        switch (sequence, element) {
        case (.constant(let list as LHS.Output), .place(let place)):
          return try translator.isIn(place, list, self)
        case (.constant(let list as LHS.Output), .constant(let value as RHS.Output)):
          return list.contains(value) ? .all : .nothing
        case (.place(let place), .constant(let value)) where LHS.Output.self is any StoredList.Type:
          if translator.layout.types[place.position] == .json {
            return try translator.holds(place, value, self)
          }
          return try translator.match(sequence, element, atStart: false, self)
        default:
          return try translator.match(sequence, element, atStart: false, self)
        }
      }
    }
    return .filter(filter)
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.match(
        try translator.operand(base),
        try translator.operand(other),
        atStart: false,
        self
      )
    )
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .filter(
      try translator.match(
        try translator.operand(base),
        try translator.operand(prefix),
        atStart: true,
        self
      )
    )
  }
}
