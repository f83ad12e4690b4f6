import Foundation

extension PredicateTranslator {
  /// A comparison of two operands of one Swift type; `native` compares two constants.
  func compare(
    _ left: Operand,
    _ comparison: Comparison,
    _ right: Operand,
    _ expression: some PredicateExpression,
    native: (Any, Any) -> Bool?
  ) throws -> Filter {
    switch (left, right) {
    case (.choice, _):
      return try distribute(left) {
        try compare($0, comparison, right, expression, native: native)
      }
    case (_, .choice):
      return try distribute(right) {
        try compare(left, comparison, $0, expression, native: native)
      }
    case (.constant(let first), .constant(let second)):
      guard let holds = native(first, second) else { throw refusal(expression) }
      return holds ? .all : .nothing
    case (.place(let place), .constant(let value)):
      return try compare(place, comparison, value, expression)
    case (.number(let number), .constant(let value)):
      return try number.compare(comparison, value, self, expression)
    case (.count(let place), .constant(let value as Int)):
      return test(place, .count(comparison, value))
    case (.filter(let filter), .constant(let value)):
      return try equate(comparison, expression) {
        switch value as? Bool {
        case true?: filter
        case false?: filter.negated
        case nil: .nothing
        }
      }
    case (.filter(let filter), .filter(let other)):
      return try equate(comparison, expression) { .either(filter, other, other.negated) }
    case (.place(let place), .filter(let filter)):
      return try equate(comparison, expression) {
        .either(filter, isTrue(place), isFalse(place))
      }
    case (.place(let place), .place(let other)) where isBool(place) && isBool(other):
      return try equate(comparison, expression) {
        Filter.both(isTrue(place), isTrue(other))
          .or(.both(isFalse(place), isFalse(other)))
          .or(.both(isNull(place), isNull(other)))
      }
    case (.filter, .place), (.constant, _):
      return try compare(right, comparison.mirrored, left, expression) { native($1, $0) }
    default:
      throw refusal(expression)
    }
  }

  private static func isNaN(_ value: Any) -> Bool {
    // Comparing types is much cheaper than a dynamic cast, and proves the bit cast right.
    func open<T>(_ value: T) -> Bool {
      if T.self == Double.self { return unsafeBitCast(value, to: Double.self).isNaN }
      if T.self == Int64.self || T.self == Int.self || T.self == String.self { return false }
      return (value as? Double)?.isNaN ?? false
    }
    return open(value)
  }

  private func equate(
    _ comparison: Comparison,
    _ expression: some PredicateExpression,
    _ equal: () -> Filter
  ) throws -> Filter {
    switch comparison {
    case .equal: return equal()
    case .notEqual: return equal().negated
    case .less, .lessOrEqual, .greater, .greaterOrEqual: throw refusal(expression)
    }
  }

  /// A stored property against a constant.
  func compare(
    _ place: Place,
    _ comparison: Comparison,
    _ value: Any,
    _ expression: some PredicateExpression
  ) throws -> Filter {
    if Self.isNaN(value) { return comparison == .notEqual ? .all : .nothing }
    if place.path.isEmpty {
      return .compare(name(place), comparison, try layout.literal(value, place.position))
    }
    switch try literal(value, expression) {
    case .scalar(let scalar):
      if value is Double || value is Float {
        return compare(part: place, comparison, real: scalar)
      }
      return test(place, .compare(comparison, scalar))
    case .json(let text):
      return try equate(comparison, expression) { test(place, .equals(json: text)) }
    }
  }

  /// A real part against a number: infinities are texts in JSON.
  private func compare(part place: Place, _ comparison: Comparison, real literal: Value) -> Filter {
    let high = test(place, .compare(.equal, "Infinity"))
    let low = test(place, .compare(.equal, "-Infinity"))
    let plain = test(place, .compare(comparison, literal))
    let isHigh = literal == "Infinity"
    guard isHigh || literal == "-Infinity" else {
      switch comparison {
      case .equal, .notEqual: return plain
      case .less, .lessOrEqual: return plain.or(low)
      case .greater, .greaterOrEqual: return plain.or(high)
      }
    }
    switch comparison {
    case .equal, .notEqual: return plain
    case .less: return isHigh ? .both(isPresent(place), high.negated) : .nothing
    case .lessOrEqual: return isHigh ? isPresent(place) : low
    case .greater: return isHigh ? .nothing : .both(isPresent(place), low.negated)
    case .greaterOrEqual: return isHigh ? high : isPresent(place)
    }
  }

  /// A constant as it stands within a `json` field.
  enum PartLiteral {
    case scalar(Value)
    case json(String)
  }

  func literal(_ value: Any, _ expression: some PredicateExpression) throws -> PartLiteral {
    if let text = value as? String { return .scalar(.text(text)) }
    if value is Decimal {
      throw refusal(expression, "a decimal number within json has no exact comparison")
    }
    guard let encodable = value as? any Encodable, let bytes = try? NestedJSON().encode(encodable)
    else { throw refusal(expression, "JSON has no place for the value") }
    if let scalar = bytes.withUnsafeBytes({ JSONScanner.scalar($0) }) { return .scalar(scalar) }
    return .json(String(decoding: bytes, as: UTF8.self))
  }

  // MARK: Lists and texts

  /// Whether a constant list holds what is stored at a place.
  func isIn(_ place: Place, _ list: any Sequence, _ expression: some PredicateExpression) throws
    -> Filter
  {
    if place.path.isEmpty {
      var values: [Value] = []
      for element in list {
        if Self.isNaN(element) { continue }
        values.append(try layout.literal(element, place.position))
      }
      return .isIn(name(place), values)
    }
    var scalars: Set<Value> = []
    var others: [Filter] = []
    for element in list {
      switch try literal(element, expression) {
      case .scalar(let scalar): scalars.insert(scalar)
      case .json(let text): others.append(test(place, .equals(json: text)))
      }
    }
    let isScalar = test(place, .isIn(scalars))
    return others.isEmpty ? isScalar : .or([isScalar] + others)
  }

  /// Whether a stored list holds a constant.
  func holds(_ place: Place, _ element: Any, _ expression: some PredicateExpression) throws
    -> Filter
  {
    switch try literal(element, expression) {
    case .scalar(let scalar): return test(place, .element(.compare(.equal, scalar)))
    case .json(let text): return test(place, .element(.equals(json: text)))
    }
  }

  /// Whether a stored text or data begins with, or holds, a constant.
  func match(
    _ base: Operand,
    _ part: Operand,
    atStart: Bool,
    _ expression: some PredicateExpression
  ) throws -> Filter {
    try distribute(base) { base in
      try distribute(part) { part in
        switch (base, part) {
        case (.place(let place), .constant(let value)):
          let type = layout.types[place.position]
          if type == .text || !place.path.isEmpty, let text = Self.text(value) {
            return test(place, atStart ? .startsWith(text) : .contains(text))
          }
          guard type == .blob, place.path.isEmpty, let bytes = Self.bytes(value) else { break }
          let blob = Value.blob(bytes)
          return atStart ? .startsWith(name(place), blob) : .contains(name(place), blob)
        case (.constant(let whole as String), .constant(let value)):
          guard let text = Self.text(value) else { break }
          let holds = atStart ? whole.starts(with: text) : whole.contains(text)
          return holds ? .all : .nothing
        default: break
        }
        throw refusal(expression)
      }
    }
  }

  private static func text(_ value: Any) -> String? {
    switch value {
    case let text as String: text
    case let text as any StringProtocol: String(text)
    case let character as Character: String(character)
    default: nil
    }
  }

  private static func bytes(_ value: Any) -> [UInt8]? {
    switch value {
    case let data as Data: Array(data)
    case let bytes as [UInt8]: bytes
    case let byte as UInt8: [byte]
    default: nil
    }
  }
}

/// Whether a type's own `<` is the order in which its values are stored.
enum StoredOrder {
  /// O(1) for plain types; for an enum that lists its cases, all pairs of them are compared.
  static func isNative<T: Comparable>(_ type: T.Type) -> Bool {
    if let leaf = LeafType.fieldType(type) {
      return leaf != .decimal && type != Duration.self && type != URL.self
    }
    guard let enumerable = type as? any (CaseIterable & Encodable & Comparable).Type else {
      return false
    }
    return agrees(enumerable)
  }

  private static func agrees<T: CaseIterable & Encodable & Comparable>(_ type: T.Type) -> Bool {
    let cases = Array(T.allCases.prefix(257))
    guard let first = cases.first, cases.count <= 256 else { return false }
    let field = FieldDefinition("case", SampleEncoder.ofWrapped(type, first))
    let layout = RowLayout(collection: "", fields: [field])
    guard field.type.isOrdered,
      let stored = try? cases.map({ try layout.value(of: $0, 0) })
    else { return false }
    for (left, value) in zip(cases, stored) {
      for (right, other) in zip(cases, stored) where (left < right) != (value < other) {
        return false
      }
    }
    return true
  }
}
