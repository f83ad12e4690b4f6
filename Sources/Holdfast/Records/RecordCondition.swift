public import Foundation

/// What chooses records of one model: a `#Predicate`, or a ``Condition`` made of key paths.
///
/// Both are translated to a ``Filter``, completely or not at all, before a row is read.
public protocol RecordCondition<Record>: Sendable {
  /// The model whose records it chooses.
  associatedtype Record

  /// The filter that says the same.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` naming the expression that has no translation;
  ///   ``StorageError/Code/invalidSchema``; ``StorageError/Code/typeMismatch`` and
  ///   ``StorageError/Code/invalidValue`` for a value that the field cannot hold.
  func filter<M: Model>(for model: M.Type) throws -> Filter
}

extension Predicate: RecordCondition {
  /// The predicate's one input.
  public typealias Record = (repeat each Input)

  /// The filter that says the same; text is compared by bytes, where Swift's own operators see
  /// characters, and `!` on null gives no match, where Swift would trap.
  ///
  /// - Throws: as ``RecordCondition/filter(for:)``.
  public func filter<M: Model>(for model: M.Type) throws -> Filter {
    // Without a `Predicate<M>`, whose type would be looked up and whose copy be made.
    var model: PredicateExpressions.VariableID?
    var others = 0
    for variable in repeat each variable {
      if model == nil { model = variable.key } else { others += 1 }
    }
    for input in repeat (each Input).self {
      if ObjectIdentifier(input) != ObjectIdentifier(M.self) { others += 1 }
    }
    guard let model, others == 0 else {
      throw StorageError(.invalidQuery, "the predicate is not one on \(M.self) alone")
    }
    return try PredicateTranslator.filter(expression, of: model, try M.schema.resolved())
  }
}

/// Which records of a model, written with key paths.
///
/// ```swift
/// let some = try await users.fetch(where: \.city == "London" && \.age >= 18)
/// let listed = try await users.fetch(where: ["London", "York"] ~= \.city || 3...5 ~= \.stars)
/// ```
///
/// `==` with nil asks for null, `!=` is its complement, an order against null is false, as in a
/// `#Predicate`. Text is compared by its UTF-8 bytes.
public struct Condition<M: Model>: RecordCondition {
  /// The model.
  public typealias Record = M

  private indirect enum Form {
    case predicate(Predicate<M>)
    case property(PropertyCondition<M>)
    case both(Condition, Condition)
    case either(Condition, Condition)
    case not(Condition)
  }
  private let form: Form

  /// Takes a predicate over, to join it with conditions on key paths.
  public init(_ predicate: Predicate<M>) { form = .predicate(predicate) }

  /// States something about one property, stored or nested in a stored one.
  init<V>(
    _ property: any KeyPath<M, V> & Sendable,
    evaluate: @escaping @Sendable (V) -> Bool,
    translate:
      @escaping @Sendable (PredicateTranslator, Place, KeyPathOperator) throws -> Filter
  ) {
    form = .property(
      PropertyCondition(
        property: property,
        evaluate: { evaluate($0[keyPath: property]) },
        translate: translate
      )
    )
  }

  private init(_ form: Form) { self.form = form }

  /// Both hold.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(.both(left, right))
  }

  /// One of two holds.
  public static func || (left: Condition, right: Condition) -> Condition {
    Condition(.either(left, right))
  }

  /// Does not hold.
  public static prefix func ! (condition: Condition) -> Condition { Condition(.not(condition)) }

  /// Whether a model meets it, in memory.
  ///
  /// - Throws: what Foundation's evaluation throws.
  public func evaluate(_ model: M) throws -> Bool {
    switch form {
    case .predicate(let predicate): try predicate.evaluate(model)
    case .property(let condition): condition.evaluate(model)
    case .both(let left, let right): try left.evaluate(model) && right.evaluate(model)
    case .either(let left, let right): try left.evaluate(model) || right.evaluate(model)
    case .not(let condition): try !condition.evaluate(model)
    }
  }

  /// The filter that says the same.
  ///
  /// - Throws: as ``RecordCondition/filter(for:)``.
  public func filter<Model: Holdfast.Model>(for model: Model.Type) throws -> Filter {
    switch form {
    case .predicate(let predicate): try predicate.filter(for: model)
    case .property(let condition):
      try PredicateTranslator.filter(
        on: condition.property,
        try M.schema.resolved(),
        condition.translate
      )
    case .both(let left, let right):
      .both(try left.filter(for: model), try right.filter(for: model))
    case .either(let left, let right):
      try left.filter(for: model).or(try right.filter(for: model))
    case .not(let condition): try condition.filter(for: model).negated
    }
  }
}

/// What a condition states about one property.
private struct PropertyCondition<M: Model>: Sendable {
  let property: any PartialKeyPath<M> & Sendable
  let evaluate: @Sendable (M) -> Bool
  let translate: @Sendable (PredicateTranslator, Place, KeyPathOperator) throws -> Filter
}

/// Stands for an operator on a key path where an error names an expression.
///
/// Foundation's own expressions take key paths of one component only.
struct KeyPathOperator: PredicateExpression, KeyPathExpression {
  let anyKeyPath: AnyKeyPath

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    throw StorageError(.invalidQuery, "a condition on \(anyKeyPath) has no value without a model")
  }
}
