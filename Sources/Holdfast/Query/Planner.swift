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
  static func plan(_ query: BoundQuery) -> Plan {
    let conjuncts = query.filter.conjuncts
    var best = Candidate(query, conjuncts, index: nil)
    for index in query.collection.indexes.indices {
      let other = Candidate(query, conjuncts, index: index)
      if other.score > best.score { best = other }
    }
    return best.plan(query.collection, conjuncts)
  }
}

/// One way to walk a collection, and how far it answers a query.
///
/// Takes memory only for what it answers: most are weighed and dropped.
private struct Candidate {
  private enum Direction { case ascending, descending }

  /// The most scans that lists of values may turn into.
  private static let maximumScans = 10_000

  private let index: Int?
  /// The conditions that fix the first of the walked fields, by their places.
  private var fixing: [Int] = []
  /// The range on the field behind those.
  private let range: FieldRange
  /// The direction that yields the query's order, or nil if none does.
  private let direction: Direction?
  private(set) var score = 0

  init(_ query: BoundQuery, _ conjuncts: [BoundFilter], index: Int?) {
    let collection = query.collection
    let positions = index.map { collection.indexes[$0].positions } ?? collection.keyPositions
    self.index = index
    var scanCount = 1
    while fixing.count < positions.count,
      let place = Self.place(fixing: positions[fixing.count], conjuncts, scanCount)
    {
      if case .isIn(_, let set) = conjuncts[place] {
        scanCount *= set.count
        score += 30
      } else {
        score += 40
      }
      fixing.append(place)
    }
    if fixing.count < positions.count {
      let position = positions[fixing.count]
      range = FieldRange(position, collection.fields[position].type.storedKind, conjuncts)
      score += (range.lower == nil ? 0 : 10) + (range.upper == nil ? 0 : 10)
    } else {
      range = FieldRange()
    }
    direction = Self.direction(
      query.order,
      conjuncts,
      positions,
      then: index == nil ? [] : collection.keyPositions
    )
    if direction != nil { score += 5 }
    // A full walk of an index costs a lookup a row: only worth it for its order.
    if index != nil { score -= 1 }
  }

  /// Where the condition is that fixes a field: an equality, else a list of values that does not make
  /// too many scans.
  private static func place(
    fixing position: Int,
    _ conjuncts: [BoundFilter],
    _ scanCount: Int
  ) -> Int? {
    var list: Int?
    for place in conjuncts.indices {
      switch conjuncts[place] {
      case .compare(position, .equal, _): return place
      case .isIn(position, let set) where list == nil && scanCount * set.count <= maximumScans:
        list = place
      default: break
      }
    }
    return list
  }

  /// The direction in which walking some fields, then others, yields an order, or nil if it does not.
  ///
  /// A field that has one value in all records that match plays no part.
  private static func direction(
    _ order: [BoundQuery.Order],
    _ conjuncts: [BoundFilter],
    _ positions: [Int],
    then others: [Int]
  ) -> Direction? {
    func isFixed(_ position: Int) -> Bool {
      for part in conjuncts { if case .compare(position, .equal, _) = part { return true } }
      return false
    }
    var depth = 0
    var direction: Direction?
    for entry in order where !isFixed(entry.position) {
      var next: Int?
      while next == nil, depth < positions.count + others.count {
        let position = depth < positions.count ? positions[depth] : others[depth - positions.count]
        if !isFixed(position) { next = position }
        depth += 1
      }
      guard next == entry.position else { return nil }
      let wanted: Direction = entry.isDescending ? .descending : .ascending
      if let direction, direction != wanted { return nil }
      direction = wanted
    }
    return direction ?? .ascending
  }

  func plan(_ collection: Collection, _ conjuncts: [BoundFilter]) -> Plan {
    var prefixes: [[Value]] = [[]]
    for place in fixing {
      switch conjuncts[place] {
      case .compare(_, _, let value):
        for prefix in prefixes.indices { prefixes[prefix].append(value) }
      case .isIn(_, let set):
        let values = (set.containsNull ? [.null] : []) + set.values
        prefixes = prefixes.flatMap { prefix in values.map { prefix + [$0] } }
      default: break
      }
    }
    let isReversed = direction == .descending
    var scans = prefixes.map { prefix in
      Scan(
        collection,
        index: index,
        lower: Self.bound(prefix, range.lower),
        upper: Self.bound(prefix, range.upper),
        reversed: isReversed
      )
    }
    if isReversed { scans.reverse() }
    var residual: [BoundFilter] = []
    for place in conjuncts.indices where !fixing.contains(place) {
      if !range.covers(conjuncts[place]) { residual.append(conjuncts[place]) }
    }
    return Plan(
      scans: scans,
      residual: .all(of: residual),
      isOrdered: direction != nil,
      index: index,
      fixedCount: fixing.count
    )
  }

  private static func bound(_ prefix: [Value], _ end: Scan.Bound?) -> Scan.Bound? {
    if let end { return Scan.Bound(prefix + end.values, inclusive: end.isInclusive) }
    return prefix.isEmpty ? nil : Scan.Bound(prefix, inclusive: true)
  }
}

/// The tightest range on one field that conditions make together.
private struct FieldRange {
  private var position: Int?
  private var kind: ValueKind?
  private(set) var lower: Scan.Bound?
  private(set) var upper: Scan.Bound?

  /// No range on any field.
  init() {}

  /// The range on a field of stored kind `kind`, nil for any.
  init(_ position: Int, _ kind: ValueKind?, _ conjuncts: [BoundFilter]) {
    self.position = position
    self.kind = kind
    for part in conjuncts { take(part) }
    // An order against null is false, and null sorts first.
    if upper != nil, lower == nil { lower = Scan.Bound([.null], inclusive: false) }
  }

  private mutating func take(_ part: BoundFilter) {
    switch part {
    case .compare(position, .less, let value): lowerTo(value, inclusive: false)
    case .compare(position, .lessOrEqual, let value): lowerTo(value, inclusive: true)
    case .compare(position, .greater, let value): raise(value, inclusive: false)
    case .compare(position, .greaterOrEqual, let value): raise(value, inclusive: true)
    case .compare(position, .notEqual, .null): raise(.null, inclusive: false)
    case .startsWith(position, let prefix):
      guard let start = Self.prefixRange(prefix, kind) else { return }
      raise(start.lower, inclusive: true)
      if let end = start.upper { lowerTo(end, inclusive: false) }
    default: break
    }
  }

  /// Whether every value in the range meets a condition.
  func covers(_ part: BoundFilter) -> Bool {
    switch part {
    case .compare(position, let comparison, let value):
      switch comparison {
      case .less, .lessOrEqual, .greater, .greaterOrEqual: true
      case .notEqual: value.isNull
      case .equal: false
      }
    case .startsWith(position, let prefix): Self.prefixRange(prefix, kind) != nil
    default: false
    }
  }

  private mutating func raise(_ value: Value, inclusive: Bool) {
    if let current = lower {
      let order = Value.compare(value, current.values[0])
      if order < 0 || (order == 0 && (inclusive || !current.isInclusive)) { return }
    }
    lower = Scan.Bound([value], inclusive: inclusive)
  }

  private mutating func lowerTo(_ value: Value, inclusive: Bool) {
    if let current = upper {
      let order = Value.compare(value, current.values[0])
      if order > 0 || (order == 0 && (inclusive || !current.isInclusive)) { return }
    }
    upper = Scan.Bound([value], inclusive: inclusive)
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
