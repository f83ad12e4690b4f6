import Holdfast

extension Scan {
  /// The same rows in the same order as a query.
  var query: BoundQuery {
    let path = index.map { collection.indexes[$0].positions } ?? collection.keyPositions
    var positions = path
    for position in collection.keyPositions where !positions.contains(position) {
      positions.append(position)
    }
    return BoundQuery(
      collection: collection,
      filter: range(path),
      order: positions.map { BoundQuery.Order($0, descending: isReversed) },
      limit: nil,
      offset: 0
    )
  }

  /// The range as a condition: first what both ends share, as equalities, then each end.
  private func range(_ path: [Int]) -> BoundFilter {
    var parts: [BoundFilter] = []
    var shared = 0
    if let lower, let upper {
      while shared < min(lower.values.count, upper.values.count),
        lower.values[shared] == upper.values[shared]
      {
        parts.append(.compare(path[shared], .equal, lower.values[shared]))
        shared += 1
      }
    }
    if let lower { parts += end(lower, path, from: shared, isLower: true) }
    if let upper { parts += end(upper, path, from: shared, isLower: false) }
    return parts.isEmpty ? .all : .and(parts)
  }

  /// What entries on the inner side of one end meet.
  private func end(_ bound: Bound, _ path: [Int], from start: Int, isLower: Bool) -> [BoundFilter] {
    guard start < bound.values.count else { return bound.isInclusive ? [] : [.none] }
    let last = bound.values.count - 1
    var condition: BoundFilter?
    for index in (start...last).reversed() {
      let beyond = side(path[index], bound.values[index], isLower: isLower)
      let equal = BoundFilter.compare(path[index], .equal, bound.values[index])
      if index == last {
        condition = bound.isInclusive ? .or([beyond, equal]) : beyond
      } else if let inner = condition {
        condition = .or([beyond, .and([equal, inner])])
      }
    }
    if start == last, bound.isInclusive {
      return [inclusive(path[last], bound.values[last], isLower: isLower)]
    }
    guard let condition else { return [] }
    if start == last { return [condition] }
    // Says nothing new, but lets an index range begin here.
    return [inclusive(path[start], bound.values[start], isLower: isLower), condition]
  }

  /// Strictly above or below a value; null is below everything.
  private func side(_ position: Int, _ value: Value, isLower: Bool) -> BoundFilter {
    switch (isLower, value.isNull) {
    case (true, true): return .compare(position, .notEqual, .null)
    case (true, false): return .compare(position, .greater, value)
    case (false, true): return .none
    case (false, false):
      return orNull(position, .compare(position, .less, value))
    }
  }

  private func inclusive(_ position: Int, _ value: Value, isLower: Bool) -> BoundFilter {
    switch (isLower, value.isNull) {
    case (true, true): return .all
    case (true, false): return .compare(position, .greaterOrEqual, value)
    case (false, true): return .compare(position, .equal, .null)
    case (false, false):
      return orNull(position, .compare(position, .lessOrEqual, value))
    }
  }

  private func orNull(_ position: Int, _ condition: BoundFilter) -> BoundFilter {
    guard collection.fields[position].isOptional else { return condition }
    // A lower end on the same field has shut null out already.
    if let lower, let first = lower.values.first,
      !first.isNull || (!lower.isInclusive && lower.values.count == 1),
      (index.map { collection.indexes[$0].positions } ?? collection.keyPositions).first == position
    {
      return condition
    }
    return .or([condition, .compare(position, .equal, .null)])
  }
}
