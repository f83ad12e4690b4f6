import Foundation

/// Makes random predicates of the nodes that `#Predicate` makes.
struct PredicateGenerator {
  typealias Condition = any StandardPredicateExpression<Bool>
  typealias Root = PredicateExpressions.Variable<Item>
  typealias Property<V> = PredicateExpressions.KeyPath<Root, V>
  typealias Part<V> = PredicateExpressions.KeyPath<Property<Item.Address>, V>
  typealias Literal<V> = PredicateExpressions.Value<V>
  typealias Node<V> = StandardPredicateExpression<V>

  var random: SeededRandom
  private let item: Root

  private init(_ random: SeededRandom, _ item: Root) {
    self.random = random
    self.item = item
  }

  static func predicate(_ random: inout SeededRandom) -> Predicate<Item> {
    let seed = random.next()
    return Predicate { item in
      var generator = PredicateGenerator(SeededRandom(state: seed), item)
      return generator.condition(depth: 1 + generator.random.below(3))
    }
  }

  // MARK: Logic

  private mutating func condition(depth: Int) -> Condition {
    if depth == 0 { return leaf() }
    let first = condition(depth: depth - 1)
    switch random.below(8) {
    case 0, 1: return both(first, condition(depth: depth - 1))
    case 2, 3: return either(first, condition(depth: depth - 1))
    case 4: return not(first)
    case 5: return choice(leaf(), first, condition(depth: depth - 1))
    case 6: return same(first, leaf())
    default: return leaf()
    }
  }

  private func both(_ left: some Node<Bool>, _ right: some Node<Bool>) -> Condition {
    PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
  }
  private func either(_ left: some Node<Bool>, _ right: some Node<Bool>) -> Condition {
    PredicateExpressions.build_Disjunction(lhs: left, rhs: right)
  }
  private func not(_ condition: some Node<Bool>) -> Condition {
    PredicateExpressions.build_Negation(condition)
  }
  private func choice(
    _ test: some Node<Bool>,
    _ first: some Node<Bool>,
    _ second: some Node<Bool>
  ) -> Condition { PredicateExpressions.build_Conditional(test, first, second) }
  private func same(_ left: some Node<Bool>, _ right: some Node<Bool>) -> Condition {
    PredicateExpressions.build_Equal(lhs: left, rhs: right)
  }

  // MARK: Parts of conditions

  private func property<V>(_ path: any KeyPath<Item, V> & Sendable) -> Property<V> {
    PredicateExpressions.build_KeyPath(root: item, keyPath: path)
  }
  private func part<V>(_ path: any KeyPath<Item.Address, V> & Sendable) -> Part<V> {
    PredicateExpressions.build_KeyPath(root: property(\.address), keyPath: path)
  }

  private mutating func equality<E: Node<V>, V: Equatable & Codable & Sendable>(
    _ value: E,
    _ literal: V
  ) -> Condition {
    switch random.below(3) {
    case 0: PredicateExpressions.build_Equal(lhs: value, rhs: Literal(literal))
    case 1: PredicateExpressions.build_NotEqual(lhs: value, rhs: Literal(literal))
    default: PredicateExpressions.build_Equal(lhs: Literal(literal), rhs: value)
    }
  }

  private mutating func order<E: Node<V>, V: Comparable & Codable & Sendable>(
    _ value: E,
    _ literal: V
  ) -> Condition {
    if random.below(4) == 0 { return equality(value, literal) }
    let operation = random.pick([
      PredicateExpressions.ComparisonOperator.lessThan, .lessThanOrEqual, .greaterThan,
      .greaterThanOrEqual,
    ])
    if random.bool() {
      return PredicateExpressions.build_Comparison(lhs: value, rhs: Literal(literal), op: operation)
    }
    return PredicateExpressions.build_Comparison(lhs: Literal(literal), rhs: value, op: operation)
  }

  private mutating func range<E: Node<V>, V: Comparable & Codable & Sendable>(
    _ value: E,
    _ one: V,
    _ other: V
  ) -> Condition {
    let (low, high) = (min(one, other), max(one, other))
    if random.bool() { return PredicateExpressions.build_contains(Literal(low...high), value) }
    return PredicateExpressions.build_contains(Literal(low..<high), value)
  }

  private mutating func text<E: Node<String>>(_ value: E) -> Condition {
    let literal = random.text()
    switch random.below(5) {
    case 0: return PredicateExpressions.build_contains(value, Literal(literal))
    case 1: return PredicateExpressions.build_starts(value, with: Literal(literal))
    case 2: return PredicateExpressions.build_KeyPath(root: value, keyPath: \.isEmpty)
    case 3:
      let list = (0..<random.below(4)).map { _ in random.text() }
      return PredicateExpressions.build_contains(Literal(list), value)
    default: return order(value, literal)
    }
  }

  /// What is done with an optional: `?.`, `??`, `if let`, nil.
  private mutating func optional<E: Node<V?>, V: Comparable & Codable & Sendable>(
    _ value: E,
    _ literal: V,
    _ fallback: V
  ) -> Condition {
    switch random.below(5) {
    case 0: return equality(value, random.optional(literal))
    case 1:
      return order(
        PredicateExpressions.build_NilCoalesce(lhs: value, rhs: Literal(fallback)),
        literal
      )
    case 2:
      var inner = self
      let test = PredicateExpressions.build_flatMap(value) {
        PredicateExpressions.build_Comparison(lhs: $0, rhs: Literal(literal), op: .greaterThan)
      }
      return equality(test, inner.random.optional(inner.random.bool()))
    case 3:
      let test = PredicateExpressions.build_flatMap(value) {
        PredicateExpressions.build_NotEqual(lhs: $0, rhs: Literal(literal))
      }
      return PredicateExpressions.build_NilCoalesce(lhs: test, rhs: Literal(random.bool()))
    default:
      let list: [V?] = [literal, fallback] + (random.bool() ? [nil] : [])
      return PredicateExpressions.build_contains(Literal(list), value)
    }
  }

  private mutating func arithmetic<E: Node<V>, V: Numeric & Comparable & Codable & Sendable>(
    _ value: E,
    _ first: V,
    _ second: V
  ) -> Condition where V: SignedNumeric {
    let product = PredicateExpressions.build_Arithmetic(
      lhs: value,
      rhs: Literal(first),
      op: .multiply
    )
    switch random.below(5) {
    case 0:
      return order(
        PredicateExpressions.build_Arithmetic(lhs: product, rhs: Literal(second), op: .add),
        first
      )
    case 1:
      return order(
        PredicateExpressions.build_Arithmetic(lhs: Literal(second), rhs: value, op: .subtract),
        first
      )
    case 2: return order(PredicateExpressions.build_UnaryMinus(value), second)
    case 3:
      return order(
        PredicateExpressions.build_Arithmetic(lhs: value, rhs: Literal(second), op: .subtract),
        first
      )
    default: return order(product, second)
    }
  }

  private mutating func list<E: Node<[V]>, V: Equatable & Codable & Sendable>(
    _ value: E,
    _ literal: V
  ) -> Condition {
    switch random.below(4) {
    case 0: return PredicateExpressions.build_contains(value, Literal(literal))
    case 1: return PredicateExpressions.build_KeyPath(root: value, keyPath: \.isEmpty)
    case 2:
      return order(
        PredicateExpressions.build_KeyPath(root: value, keyPath: \.count),
        random.below(3)
      )
    default: return equality(value, [literal])
    }
  }

  // MARK: Properties

  private mutating func leaf() -> Condition {
    switch random.below(22) {
    case 0, 1: return text(property(\.name))
    case 2: return optional(property(\.city), random.text(), random.text())
    case 3:
      let begins = PredicateExpressions.build_flatMap(property(\.city)) {
        [literal = random.text()] in
        PredicateExpressions.build_starts($0, with: Literal(literal))
      }
      return equality(begins, random.optional(random.bool()))
    case 4: return order(property(\.price), random.real())
    case 5: return range(property(\.price), random.real(), random.real())
    case 6: return order(property(\.rank), random.small())
    case 7: return range(property(\.rank), random.small(), random.small())
    case 8: return optional(property(\.level), random.small(), random.small())
    case 9: return arithmetic(property(\.rank), 1 + random.below(5), random.small())
    case 10:
      return arithmetic(property(\.price), random.pick([0.5, -3, 2]), random.pick([1, -0.25]))
    case 11:
      return order(
        PredicateExpressions.build_Division(
          lhs: property(\.rank),
          rhs: Literal(random.pick([1, 2, -3]))
        ),
        random.small()
      )
    case 12: return random.bool() ? property(\.isNew) : equality(property(\.isNew), random.bool())
    case 13:
      if random.bool() { return equality(property(\.isOld), random.optional(random.bool())) }
      return PredicateExpressions.build_NilCoalesce(
        lhs: property(\.isOld),
        rhs: Literal(random.bool())
      )
    case 14: return equality(property(\.mood), random.pick(Item.Mood.allCases))
    case 15: return order(property(\.made), random.date())
    case 16: return optional(property(\.gone), random.date(), random.date())
    case 17: return list(property(\.tags), random.text())
    case 18: return list(property(\.scores), random.small())
    case 19: return random.bool() ? text(part(\.street)) : order(part(\.floor), random.small())
    case 20:
      return random.bool()
        ? optional(part(\.zip), random.text(), random.text())
        : order(part(\.share), random.real())
    default: return equality(property(\.data), random.data())
    }
  }
}
