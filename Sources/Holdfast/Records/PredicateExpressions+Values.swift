import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard let operand = translator.variable(key) else { throw translator.refusal(self) }
    return operand
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    .constant(Wrapped?.none as Any)
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression, KeyPathExpression {
  var anyKeyPath: AnyKeyPath { keyPath }

  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    try operand(of: try translator.operand(root), translator)
  }

  private func operand(
    of root: PredicateTranslator.Operand,
    _ translator: PredicateTranslator
  ) throws -> PredicateTranslator.Operand {
    switch root {
    case .model:
      return .place(try translator.place(of: keyPath, in: nil))
    case .constant(let value as Root.Output):
      return .constant(value[keyPath: keyPath])
    case .place(let place):
      if let property = try property(of: place, translator) { return property }
      return .place(try translator.place(of: keyPath, in: place))
    case .choice(let test, let first, let second):
      return .choice(test, try operand(of: first, translator), try operand(of: second, translator))
    default:
      throw translator.refusal(self)
    }
  }

  /// What a text or list is asked for that it does not store: whether it is empty, how long it is.
  private func property(of place: Place, _ translator: PredicateTranslator) throws
    -> PredicateTranslator.Operand?
  {
    switch kind {
    case .collectionIsEmpty?:
      if Root.Output.self is any StringProtocol.Type {
        return .filter(translator.test(place, .compare(.equal, "")))
      }
      if Root.Output.self is any StoredList.Type {
        return .filter(translator.test(place, .count(.equal, 0)))
      }
      if translator.layout.types[place.position] == .blob {
        return .filter(.equal(translator.name(place), .blob([])))
      }
    case .collectionCount? where Root.Output.self is any StoredList.Type: return .count(place)
    case nil: return nil
    default: break
    }
    throw translator.refusal(self)
  }
}

/// A list that encodes as a JSON array or object with as many elements.
protocol StoredList {}
extension Array: StoredList {}
extension ContiguousArray: StoredList {}
extension ArraySlice: StoredList {}
extension Set: StoredList {}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand {
    guard
      case (.place(let place), .constant(let key)) =
        (try translator.operand(wrapped), try translator.operand(key))
    else { throw translator.refusal(self) }
    var inner = place
    // Dictionaries by other keys are stored as arrays.
    switch key {
    case let key as String: inner.path.append(key)
    case let key as Int: inner.path.append(String(key))
    default: throw translator.refusal(self)
    }
    return .place(inner)
  }
}
