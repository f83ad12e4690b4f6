import Foundation

/// Turns the expression tree of a `#Predicate` into a ``Filter``.
///
/// What it knows: fields by key path, literals and captured values, `==` `!=` `<` `<=` `>` `>=`,
/// `&&` `||` `!`, `nil`, `contains` and `starts(with:)` on text and data, `contains` of a captured
/// list or a range, `isEmpty` of text, `?? literal`, `?.` with `== true` or `?? false`, `if let`,
/// and `a ? b : c`. Everything else is an error that names the expression.
final class PredicateTranslator {
  /// What an expression stands for.
  indirect enum Operand {
    /// The model itself.
    case model
    /// A stored field, by position.
    case field(Int)
    /// A field, or a constant where it is null.
    case fieldOr(Int, Any)
    /// A literal or captured value.
    case constant(Any)
    /// True or false.
    case filter(Filter)
    /// True or false where `presence` holds, else nil.
    case optionalFilter(Filter, presence: Filter)
    /// A range with constant ends.
    case range(lower: Any, upper: Any, isClosed: Bool)
  }

  let layout: RowLayout
  private let resolve: (AnyKeyPath) throws(StorageError) -> Int
  private var bindings: [PredicateExpressions.VariableID: Operand] = [:]

  private init(
    layout: RowLayout,
    resolve: @escaping (AnyKeyPath) throws(StorageError) -> Int
  ) {
    self.layout = layout
    self.resolve = resolve
  }

  /// The filter of a predicate on a model.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` naming what cannot be translated.
  static func filter<M: Model>(_ predicate: Predicate<M>, _ schema: ResolvedSchema<M>) throws
    -> Filter
  {
    let translator = PredicateTranslator(layout: schema.layout) {
      path throws(StorageError) in
      guard let path = path as? PartialKeyPath<M> else {
        throw StorageError(.invalidQuery, "\(path) does not begin at \(M.self)")
      }
      return try schema.position(of: path)
    }
    translator.bindings[predicate.variable.key] = .model
    return try translator.filter(predicate.expression)
  }

  // MARK: Expressions

  func operand(_ expression: Any) throws -> Operand {
    do {
      guard let expression = expression as? any TranslatableExpression else {
        throw unknown(expression)
      }
      return try expression.operand(self)
    } catch {
      // Whatever does not depend on the model is a constant.
      guard let expression = expression as? any PredicateExpression,
        let value = try? expression.evaluate(PredicateBindings())
      else { throw error }
      return .constant(value)
    }
  }

  func filter(_ expression: Any) throws -> Filter {
    switch try operand(expression) {
    case .filter(let filter): return filter
    case .field(let position) where layout.types[position] == .bool:
      return .equal(layout.names[position], true)
    case .constant(let value as Bool): return value ? .all : .or([])
    default: throw unknown(expression)
    }
  }

  func variable(_ id: PredicateExpressions.VariableID, _ expression: Any) throws -> Operand {
    guard let operand = bindings[id] else { throw unknown(expression) }
    return operand
  }

  func bind(_ id: PredicateExpressions.VariableID, to operand: Operand) {
    bindings[id] = operand
  }

  func position(of path: AnyKeyPath) throws(StorageError) -> Int {
    do {
      return try resolve(path)
    } catch {
      throw StorageError(.invalidQuery, error.message, underlying: error)
    }
  }

  func unknown(_ expression: Any) -> StorageError {
    let name = String(describing: type(of: expression)).prefix { $0 != "<" }
    return StorageError(
      .invalidQuery,
      "the predicate's expression \(name) cannot be translated for \(layout.collection); "
        + "compare stored fields with values, or use a Filter"
    )
  }

  // MARK: Comparisons

  func name(_ position: Int) -> String { layout.names[position] }
  func isNull(_ position: Int) -> Filter { .isNull(layout.names[position]) }

  func compare(_ left: Operand, _ comparison: Comparison, _ right: Operand, _ expression: Any)
    throws -> Filter
  {
    switch (left, right) {
    case (.field(let position), .constant(let value)):
      return .compare(name(position), comparison, try layout.value(of: value, position))
    case (.fieldOr(let position, let other), .constant(let value)):
      let value = try layout.value(of: value, position)
      let other = try layout.value(of: other, position)
      return .or([
        .and([.not(isNull(position)), .compare(name(position), comparison, value)]),
        .and([isNull(position), comparison.holds(other, value) ? .all : .or([])]),
      ])
    case (.optionalFilter(let filter, let presence), .constant(let value)):
      guard comparison == .equal || comparison == .notEqual else { throw unknown(expression) }
      let equal: Filter =
        switch value as? Bool {
        case true?: .and([presence, filter])
        case false?: .and([presence, .not(filter)])
        case nil: .not(presence)
        }
      return comparison == .equal ? equal : .not(equal)
    case (.filter(let filter), .constant(let value as Bool)):
      guard comparison == .equal || comparison == .notEqual else { throw unknown(expression) }
      return value == (comparison == .equal) ? filter : .not(filter)
    case (.constant, .field), (.constant, .fieldOr), (.constant, .optionalFilter),
      (.constant, .filter):
      return try compare(right, comparison.mirrored, left, expression)
    default:
      throw unknown(expression)
    }
  }

  func isIn(_ position: Int, _ list: any Sequence) throws -> Filter {
    var values: [Value] = []
    for element in list { values.append(try layout.value(of: element, position)) }
    return .isIn(name(position), values)
  }

  /// The literal of a text or blob search.
  func pattern(_ value: Any, _ position: Int, _ expression: Any) throws -> Value {
    switch (layout.types[position], value) {
    case (.text, let text as any StringProtocol): return .text(String(text))
    case (.text, let character as Character): return .text(String(character))
    case (.blob, let data as Data): return .blob(Array(data))
    case (.blob, let bytes as [UInt8]): return .blob(bytes)
    default: throw unknown(expression)
    }
  }
}

/// An expression of Foundation's that has a meaning in a store.
protocol TranslatableExpression {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand
}

extension Comparison {
  /// The comparison with its sides exchanged.
  var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// Whether it holds between two values; an order against null never does.
  func holds(_ left: Value, _ right: Value) -> Bool {
    let order = Value.compare(left, right)
    switch self {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0 && !left.isNull && !right.isNull
    case .lessOrEqual: return order <= 0 && !left.isNull && !right.isNull
    case .greater: return order > 0 && !left.isNull && !right.isNull
    case .greaterOrEqual: return order >= 0 && !left.isNull && !right.isNull
    }
  }
}
