import Foundation
import Synchronization

/// Turns the expression tree of a `#Predicate` into a ``Filter``, completely or not at all.
///
/// `docs/Predicates.md` lists what it knows. Everything else is an error that names the expression.
final class PredicateTranslator {
  /// What an expression stands for.
  enum Operand {
    /// The model itself.
    case model
    /// A stored property, or a part of one.
    case place(Place)
    /// A number computed from a stored one and constants.
    case number(Arithmetic)
    /// How many elements a stored list has.
    case count(Place)
    /// A literal or captured value, nil included.
    case constant(Any)
    /// True or false.
    case filter(Filter)
    /// The first where the filter holds, else the second: `??`, `?.`, `if let`, `? :`.
    indirect case choice(Filter, Operand, Operand)
    /// A range between two ends.
    indirect case range(Operand, Operand, isClosed: Bool)
  }

  let layout: RowLayout
  private let schema: any KeyPathResolver
  /// The variable that stands for the model.
  private let model: PredicateExpressions.VariableID?
  /// Those that stand for something within an expression.
  @exclusivity(unchecked) private var bindings:
    [(id: PredicateExpressions.VariableID, operand: Operand)] = []

  private init<M: Model>(
    _ schema: ResolvedSchema<M>,
    model: PredicateExpressions.VariableID? = nil
  ) {
    layout = schema.layout
    self.schema = schema
    self.model = model
  }

  /// The filter of a predicate's expression, in which a variable stands for a model.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` naming what cannot be translated.
  static func filter<M: Model>(
    _ expression: some StandardPredicateExpression<Bool>,
    of variable: PredicateExpressions.VariableID,
    _ schema: ResolvedSchema<M>
  ) throws -> Filter {
    try PredicateTranslator(schema, model: variable).filter(expression)
  }

  /// The filter of a condition on a key path.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` naming the key path.
  static func filter<M: Model>(
    on path: AnyKeyPath,
    _ schema: ResolvedSchema<M>,
    _ body: (PredicateTranslator, Place, KeyPathOperator) throws -> Filter
  ) throws -> Filter {
    let translator = PredicateTranslator(schema)
    let place = try translator.place(of: path, in: nil)
    return try body(translator, place, KeyPathOperator(anyKeyPath: path))
  }

  // MARK: Expressions

  func operand<E: PredicateExpression>(_ expression: E) throws -> Operand {
    do {
      guard let type = TranslatableTypes.known(E.self) else { throw refusal(expression) }
      return try withUnsafePointer(to: expression) { try type.operand(at: $0, self) }
    } catch {
      return try constant(expression, orThrow: error)
    }
  }

  /// The value of what does not depend on the model.
  @inline(never)
  private func constant(_ expression: some PredicateExpression, orThrow error: any Error) throws
    -> Operand
  {
    guard let value = try? expression.evaluate(PredicateBindings()) else { throw error }
    return .constant(value)
  }

  func filter(_ expression: some PredicateExpression) throws -> Filter {
    try filter(operand(expression), expression)
  }

  func filter(_ operand: Operand, _ expression: some PredicateExpression) throws -> Filter {
    switch operand {
    case .filter(let filter): return filter
    case .place(let place) where !place.path.isEmpty || isBool(place):
      return isTrue(place)
    case .constant(let value as Bool): return value ? .all : .nothing
    case .choice(let test, let first, let second):
      return .either(test, try filter(first, expression), try filter(second, expression))
    default: throw refusal(expression)
    }
  }

  /// What a variable stands for; nil if it is no known one.
  func variable(_ id: PredicateExpressions.VariableID) -> Operand? {
    for index in bindings.indices.reversed() where bindings[index].id == id {
      return bindings[index].operand
    }
    return id == model ? .model : nil
  }

  func bind(_ id: PredicateExpressions.VariableID, to operand: Operand) {
    bindings.append((id, operand))
  }

  func place(of path: AnyKeyPath, in parent: Place?) throws(StorageError) -> Place {
    do {
      return try schema.place(of: path, in: parent)
    } catch {
      throw StorageError(.invalidQuery, error.message, underlying: error)
    }
  }

  /// The error for an expression that has no translation.
  func refusal(_ expression: some PredicateExpression, _ reason: String? = nil) -> StorageError {
    var name = String(describing: type(of: expression))
    if let generics = name.firstIndex(of: "<") { name = String(name[..<generics]) }
    if let path = (expression as? any KeyPathExpression)?.anyKeyPath { name += " \(path)" }
    return StorageError(
      .invalidQuery,
      "the predicate's expression \(name) cannot be translated for \(layout.collection)"
        + (reason.map { ": \($0)" } ?? "") + "; compare stored properties with values"
    )
  }

  // MARK: Places

  func name(_ place: Place) -> String { layout.names[place.position] }

  func isNull(_ place: Place) -> Filter { test(place, .compare(.equal, .null)) }
  func isPresent(_ place: Place) -> Filter { test(place, .compare(.notEqual, .null)) }
  func isTrue(_ place: Place) -> Filter { test(place, .compare(.equal, 1)) }
  func isFalse(_ place: Place) -> Filter { test(place, .compare(.equal, 0)) }
  func isBool(_ place: Place) -> Bool {
    place.path.isEmpty && layout.types[place.position] == .bool
  }

  /// A condition on a place, as one on a field where it is a whole field.
  func test(_ place: Place, _ test: JSONCondition.Test) -> Filter {
    if place.path.isEmpty {
      switch test {
      case .compare(let comparison, let value): return .compare(name(place), comparison, value)
      case .startsWith(let text): return .startsWith(name(place), .text(text))
      case .contains(let text): return .contains(name(place), .text(text))
      case .isIn, .equals, .count, .element: break
      }
    }
    return .json(name(place), JSONCondition(place.path, test))
  }

  /// Applies `body` to both sides of every choice.
  func distribute(_ operand: Operand, _ body: (Operand) throws -> Filter) rethrows -> Filter {
    guard case .choice(let test, let first, let second) = operand else { return try body(operand) }
    return .either(test, try distribute(first, body), try distribute(second, body))
  }
}

/// Knows where a model keeps what its key paths read.
protocol KeyPathResolver: AnyObject {
  /// The place of a key path of the model, or of the value at `parent`.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` naming the key path if it reads nothing stored.
  func place(of path: AnyKeyPath, in parent: Place?) throws(StorageError) -> Place
}

/// An expression of Foundation's that has a meaning in a store.
protocol TranslatableExpression: SendableMetatype {
  func operand(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand
}

extension TranslatableExpression {
  /// What the expression in memory of this type stands for.
  fileprivate static func operand(
    at memory: UnsafeRawPointer,
    _ translator: PredicateTranslator
  ) throws -> PredicateTranslator.Operand {
    try memory.assumingMemoryBound(to: Self.self).pointee.operand(translator)
  }
}

/// The types of expressions that have a meaning in a store, as they are met.
///
/// There are as many as a program has forms of predicates. Looking one up here is much cheaper than a
/// dynamic cast of the expression.
private enum TranslatableTypes {
  private static let types = Mutex(TypeTable())

  /// A type as one that has a meaning; nil if it has none.
  static func known(_ type: Any.Type) -> (any TranslatableExpression.Type)? {
    let id = ObjectIdentifier(type)
    if let known = types.withLock({ $0[id] }) { return known }
    guard let translatable = type as? any TranslatableExpression.Type else { return nil }
    types.withLock { $0.insert(id, translatable) }
    return translatable
  }
}

/// Types by their addresses, which are hashed by a multiplication: nobody chooses them, as it is
/// feared of the keys of a `Dictionary`.
private struct TypeTable {
  private var slots: [(id: ObjectIdentifier, type: any TranslatableExpression.Type)?]
  private var count = 0

  init() { slots = Array(repeating: nil, count: 64) }

  subscript(id: ObjectIdentifier) -> (any TranslatableExpression.Type)? {
    slots[slot(of: id)]?.type
  }

  /// The slot that holds a type, or else the one that would.
  private func slot(of id: ObjectIdentifier) -> Int {
    let mask = slots.count - 1
    // 2^64 divided by the golden ratio: Knuth, The Art of Computer Programming, volume 3, 6.4.
    let hash = UInt(bitPattern: id).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15).low
    var slot = Int(truncatingIfNeeded: hash >> 40) & mask
    while let found = slots[slot], found.id != id { slot = (slot + 1) & mask }
    return slot
  }

  mutating func insert(_ id: ObjectIdentifier, _ type: any TranslatableExpression.Type) {
    if count * 2 >= slots.count {
      let old = slots
      slots = Array(repeating: nil, count: old.count * 2)
      for case let entry? in old { slots[slot(of: entry.id)] = entry }
    }
    let slot = slot(of: id)
    if slots[slot] == nil { count += 1 }
    slots[slot] = (id, type)
  }
}

/// Lets an error name the key path.
protocol KeyPathExpression {
  var anyKeyPath: AnyKeyPath { get }
}

extension Filter {
  /// No record.
  static var nothing: Filter { .or([]) }

  /// Whether this is ``nothing``.
  private var isNothing: Bool {
    if case .or(let parts) = self { parts.isEmpty } else { false }
  }

  private var isAll: Bool {
    if case .all = self { true } else { false }
  }

  /// `first` where `test` holds, else `second`.
  static func either(_ test: Filter, _ first: Filter, _ second: Filter) -> Filter {
    both(test, first).or(both(test.negated, second))
  }

  static func both(_ left: Filter, _ right: Filter) -> Filter {
    if left.isNothing || right.isNothing { return .nothing }
    if left.isAll { return right }
    if right.isAll { return left }
    return .and([left, right])
  }

  func or(_ other: Filter) -> Filter {
    if isAll || other.isAll { return .all }
    if isNothing { return other }
    if other.isNothing { return self }
    return .or([self, other])
  }

  /// The complement.
  var negated: Filter {
    switch self {
    case .all: .nothing
    case .not(let inner): inner
    case .compare(let field, .equal, let value): .compare(field, .notEqual, value)
    case .compare(let field, .notEqual, let value): .compare(field, .equal, value)
    case _ where isNothing: .all
    default: .not(self)
    }
  }
}
