import Holdfast

extension ModelGenerator {
  /// A name of a field, seldom one that is none.
  private mutating func fieldName(_ collection: ModelCollection) -> String {
    if chance(1) { return "nowhere" }
    return pick(collection.definition.fields)?.name ?? "nowhere"
  }

  /// Up to so many names of fields, with indexed ones more often.
  mutating func fieldNames(_ collection: ModelCollection, _ most: Int) -> [String] {
    if chance(40), let index = pick(collection.definition.indexes) { return index.fields }
    if chance(10) { return collection.definition.key }
    return (0..<random.below(most + 1)).map { _ in fieldName(collection) }
  }

  mutating func figure(_ collection: ModelCollection) -> Aggregate {
    if chance(20) { return .count }
    let numbers = collection.definition.fields.filter { $0.type == .integer || $0.type == .real }
    if chance(60), let field = pick(numbers) {
      return chance(50) ? .sum(field.name) : .average(field.name)
    }
    let name = fieldName(collection)
    switch random.below(10) {
    case 0: return .sum(name)
    case 1..<5: return .minimum(name)
    default: return .maximum(name)
    }
  }

  mutating func query(_ collection: ModelCollection) -> Query {
    var query = Query(collection.definition.name)
    if chance(70) { query.filter = filter(collection) }
    if chance(60) {
      for name in fieldNames(collection, 3) {
        query.sort.append(Sort(field: name, isDescending: chance(50)))
      }
      // All in one direction is what an index serves.
      if chance(50) {
        let isDescending = chance(50)
        for index in query.sort.indices { query.sort[index].isDescending = isDescending }
      }
    }
    if chance(40) { query.limit = random.below(6) }
    if chance(25) { query.offset = random.below(4) }
    if chance(1) { query.limit = -1 }
    return query
  }

  mutating func filter(_ collection: ModelCollection, depth: Int = 0) -> Filter {
    if depth < 3, chance(35) {
      let parts = (0..<random.below(4)).map { _ in filter(collection, depth: depth + 1) }
      switch random.below(3) {
      case 0: return .or(parts)
      case 1: return .not(filter(collection, depth: depth + 1))
      default: return .and(parts)
      }
    }
    // An equality on the first fields of an index and a range on the next is what plans look for.
    if depth == 0, chance(15), let index = pick(collection.definition.indexes) {
      return .and(
        index.fields.enumerated().map { place, name in
          .compare(
            name,
            place + 1 < index.fields.count ? .equal : comparison(),
            value(name, in: collection)
          )
        }
      )
    }
    let name = fieldName(collection)
    if chance(collection.field(name)?.type == .json ? 60 : 1) {
      return .json(name, JSONCondition(jsonPath(), jsonTest()))
    }
    let literal = literal(name, collection)
    switch random.below(100) {
    case 0..<60: return .compare(name, comparison(), literal)
    case 60..<75:
      return .isIn(name, (0..<random.below(5)).map { _ in self.literal(name, collection) })
    case 75..<80: return .between(name, literal, self.literal(name, collection))
    default:
      let isText = collection.field(name).map { [.text, .blob, .date].contains($0.type) } ?? false
      if !isText, chance(95) { return .compare(name, .equal, literal) }
      return chance(50) ? .startsWith(name, part(literal)) : .contains(name, part(literal))
    }
  }

  private mutating func comparison() -> Comparison {
    pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]) ?? .equal
  }

  private mutating func jsonPath() -> [String] {
    pick([[], [], ["a"], ["b"], ["a", "b"], ["nowhere"]]) ?? []
  }

  private mutating func jsonTest(depth: Int = 0) -> JSONCondition.Test {
    switch random.below(depth < 2 ? 9 : 7) {
    case 0..<3: return .compare(comparison(), jsonLiteral())
    case 3: return .isIn(Set((0..<random.below(4)).map { _ in jsonLiteral() }))
    case 4: return chance(50) ? .startsWith("a") : .contains("")
    case 5: return .count(comparison(), random.below(4))
    case 6:
      if chance(5) { return .equals(json: ModelRules.brokenJSON) }
      guard case .text(let json) = pools.value(.json, &random) else { return .equals(json: "{}") }
      return .equals(json: json)
    default: return .element(jsonTest(depth: depth + 1))
    }
  }

  private mutating func jsonLiteral() -> Value {
    if chance(3) { return ModelPools.wrong(&random) }
    return pick([.null, 0, 1, 2, 1.0, 1.5, "a", "", "ab"]) ?? .null
  }

  /// A literal to compare a field with: mostly one that could be there, also of the other kind of
  /// number.
  private mutating func literal(_ name: String, _ collection: ModelCollection) -> Value {
    switch collection.field(name)?.type {
    case .integer where chance(15): pools.value(.real, &random)
    case .real where chance(15): pools.value(.integer, &random)
    case .some: value(name, in: collection)
    case nil: .integer(1)
    }
  }

  /// The beginning or the end of a text or blob.
  private mutating func part(_ value: Value) -> Value {
    switch value {
    case .text(let text):
      let scalars = text.unicodeScalars
      let count = min(scalars.count, random.below(4))
      return .text(
        String(
          String.UnicodeScalarView(chance(50) ? scalars.prefix(count) : scalars.suffix(count))
        )
      )
    case .blob(let bytes):
      let count = min(bytes.count, random.below(4))
      return .blob(Array(chance(50) ? bytes.prefix(count) : bytes.suffix(count)))
    default: return value
    }
  }
}
