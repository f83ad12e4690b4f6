/// How a query without native support runs: scans in order, what is left to check on each row, and
/// whether the rows come in the query's order.
struct Plan {
  /// The scans, one after the other; no row occurs in two of them.
  var scans: [Scan]
  /// What the scans' ranges do not say already.
  var residual: BoundFilter
  /// Whether the rows come in the query's order.
  var isOrdered: Bool
  /// The position of the index that is walked, or nil for the primary key.
  var index: Int?
  /// How many of the walked fields are fixed to values, before one that has a range.
  var fixedCount: Int

  /// Whether every row of the collection is read.
  var isFullScan: Bool { scans.count == 1 && scans[0].lower == nil && scans[0].upper == nil }
}

/// Chooses between the primary key and the indexes: equalities first, then a range, then an order
/// that saves a sort.
enum Planner {
  /// The most scans that an `in` may turn into.
  private static let maximumScans = 10_000

  static func plan(_ query: BoundQuery) -> Plan {
    let conjuncts = query.filter.conjuncts
    var best = candidate(query, conjuncts, index: nil)
    for index in query.collection.indexes.indices {
      let other = candidate(query, conjuncts, index: index)
      if other.score > best.score { best = other }
    }
    return best.plan
  }

  private static func candidate(_ query: BoundQuery, _ conjuncts: [BoundFilter], index: Int?)
    -> (plan: Plan, score: Int)
  {
    let collection = query.collection
    let positions = index.map { collection.indexes[$0].positions } ?? collection.keyPositions
    var remaining = conjuncts
    var prefixes: [[Value]] = [[]]
    var fixed: [Int] = []
    var score = 0
    var depth = 0
    while depth < positions.count {
      let position = positions[depth]
      if let (at, value) = equality(remaining, position) {
        remaining.remove(at: at)
        for prefix in prefixes.indices { prefixes[prefix].append(value) }
        fixed.append(position)
        score += 40
      } else if let (at, values) = membership(remaining, position),
        prefixes.count * values.count <= maximumScans
      {
        remaining.remove(at: at)
        prefixes = prefixes.flatMap { prefix in values.map { prefix + [$0] } }
        score += 30
      } else {
        break
      }
      depth += 1
    }
    var lower: Scan.Bound?
    var upper: Scan.Bound?
    if depth < positions.count {
      (lower, upper, remaining) = range(
        remaining,
        positions[depth],
        collection.fields[positions[depth]].type.storedKind
      )
      score += (lower == nil ? 0 : 10) + (upper == nil ? 0 : 10)
    }
    let direction = orderDirection(
      query.order,
      path: positions + (index == nil ? [] : collection.keyPositions),
      fixed
    )
    let isReversed = direction == .descending
    if direction != nil { score += 5 }
    // A full walk of an index costs a lookup a row: only worth it for its order.
    if index != nil { score -= 1 }
    var scans = prefixes.map { prefix in
      Scan(
        collection,
        index: index,
        lower: bound(prefix, lower),
        upper: bound(prefix, upper),
        reversed: isReversed
      )
    }
    if isReversed { scans.reverse() }
    var residual = BoundFilter.all
    for part in remaining { residual = residual.and(part) }
    let plan = Plan(
      scans: scans,
      residual: residual,
      isOrdered: direction != nil,
      index: index,
      fixedCount: depth
    )
    return (plan, score)
  }

  private static func bound(_ prefix: [Value], _ end: Scan.Bound?) -> Scan.Bound? {
    if let end { return Scan.Bound(prefix + end.values, inclusive: end.isInclusive) }
    return prefix.isEmpty ? nil : Scan.Bound(prefix, inclusive: true)
  }

  private static func equality(_ parts: [BoundFilter], _ position: Int) -> (Int, Value)? {
    for (at, part) in parts.enumerated() {
      if case .compare(position, .equal, let value) = part { return (at, value) }
    }
    return nil
  }

  private static func membership(_ parts: [BoundFilter], _ position: Int) -> (Int, [Value])? {
    for (at, part) in parts.enumerated() {
      if case .isIn(position, let set) = part {
        return (at, (set.containsNull ? [.null] : []) + set.values)
      }
    }
    return nil
  }

  /// The tightest range on one field, and what of the filter it leaves over.
  private static func range(_ parts: [BoundFilter], _ position: Int, _ kind: ValueKind?)
    -> (Scan.Bound?, Scan.Bound?, [BoundFilter])
  {
    var lower: Scan.Bound?
    var upper: Scan.Bound?
    var rest: [BoundFilter] = []
    func raise(_ value: Value, inclusive: Bool) {
      if let current = lower {
        let order = Value.compare(value, current.values[0])
        if order < 0 || (order == 0 && (inclusive || !current.isInclusive)) { return }
      }
      lower = Scan.Bound([value], inclusive: inclusive)
    }
    func lowerTo(_ value: Value, inclusive: Bool) {
      if let current = upper {
        let order = Value.compare(value, current.values[0])
        if order > 0 || (order == 0 && (inclusive || !current.isInclusive)) { return }
      }
      upper = Scan.Bound([value], inclusive: inclusive)
    }
    for part in parts {
      switch part {
      case .compare(position, .less, let value): lowerTo(value, inclusive: false)
      case .compare(position, .lessOrEqual, let value): lowerTo(value, inclusive: true)
      case .compare(position, .greater, let value): raise(value, inclusive: false)
      case .compare(position, .greaterOrEqual, let value): raise(value, inclusive: true)
      case .compare(position, .notEqual, .null): raise(.null, inclusive: false)
      case .startsWith(position, let prefix):
        guard let start = prefixRange(prefix, kind) else {
          rest.append(part)
          continue
        }
        raise(start.lower, inclusive: true)
        if let end = start.upper { lowerTo(end, inclusive: false) }
      default:
        rest.append(part)
      }
    }
    // An order against null is false, and null sorts first.
    if upper != nil, lower == nil { lower = Scan.Bound([.null], inclusive: false) }
    return (lower, upper, rest)
  }

  /// The range of values that begin with a prefix: from it to the next value that does not.
  private static func prefixRange(_ prefix: [UInt8], _ kind: ValueKind?)
    -> (lower: Value, upper: Value?)?
  {
    if kind == .blob {
      guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return (.blob(prefix), nil) }
      return (.blob(prefix), .blob(Array(prefix[..<last]) + [prefix[last] + 1]))
    }
    guard let text = prefix.withUnsafeBytes({ Bytes.text($0) }) else { return nil }
    var scalars = Array(text.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var successor = String.UnicodeScalarView()
        successor.append(contentsOf: scalars)
        return (.text(text), .text(String(successor)))
      }
    }
    return (.text(text), nil)
  }

  private enum Direction { case ascending, descending }

  /// The direction in which walking `path` yields `order`, or nil if it does not.
  private static func orderDirection(
    _ order: [BoundQuery.Order],
    path: [Int],
    _ fixed: [Int]
  ) -> Direction? {
    var depth = 0
    var direction: Direction?
    for entry in order where !fixed.contains(entry.position) {
      while depth < path.count, fixed.contains(path[depth]) { depth += 1 }
      guard depth < path.count, path[depth] == entry.position else { return nil }
      depth += 1
      let wanted: Direction = entry.isDescending ? .descending : .ascending
      if let direction, direction != wanted { return nil }
      direction = wanted
    }
    return direction ?? .ascending
  }
}

extension BoundFilter {
  /// The conditions that all have to hold.
  var conjuncts: [BoundFilter] {
    switch self {
    case .all: []
    case .and(let parts): parts
    default: [self]
    }
  }
}
