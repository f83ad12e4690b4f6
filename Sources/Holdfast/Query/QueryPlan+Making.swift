extension QueryPlan {
  /// The plan of a query.
  init(
    _ query: BoundQuery,
    rangeSize: Int? = nil,
    isCounted: Bool = false,
    native: [String]? = nil
  ) {
    let collection = query.collection
    self.collection = collection.name
    self.rangeSize = rangeSize
    self.isCounted = isCounted
    self.native = native
    var isNothing = query.limit == 0
    if case .none = query.filter { isNothing = true }
    if isNothing {
      source = .nothing
      (fields, range, rangeCount, residual) = ([], .or([]), 0, .all)
      (sorts, isFullScan, helpfulIndex) = (false, false, nil)
      return
    }
    let plan = Planner.plan(query)
    let path = plan.index.map { collection.indexes[$0].positions } ?? collection.keyPositions
    source = plan.index.map { .index(collection.indexes[$0].definition.name) } ?? .key
    fields = path.map { collection.fields[$0].name }
    range = Self.range(of: plan, path, collection)
    rangeCount = plan.scans.count
    residual = plan.residual.unbound(collection)
    sorts = !plan.isOrdered
    isFullScan = plan.isFullScan && (residual != .all || (sorts && query.limit != nil))
    helpfulIndex = isFullScan ? Self.helpfulIndex(query, besides: path) : nil
  }

  /// The walked range as a filter.
  private static func range(of plan: Plan, _ path: [Int], _ collection: Collection) -> Filter {
    var parts: [Filter] = []
    for index in 0..<plan.fixedCount {
      var values: [Value] = []
      for scan in plan.scans {
        if let value = scan.lower?.values[index], !values.contains(value) { values.append(value) }
      }
      let name = collection.fields[path[index]].name
      parts.append(values.count == 1 ? .equal(name, values[0]) : .isIn(name, values))
    }
    if let scan = plan.scans.first, plan.fixedCount < path.count {
      let name = collection.fields[path[plan.fixedCount]].name
      let hasUpper = (scan.upper?.values.count ?? 0) > plan.fixedCount
      if let lower = scan.lower, lower.values.count > plan.fixedCount {
        let value = lower.values[plan.fixedCount]
        if !value.isNull {
          parts.append(.compare(name, lower.isInclusive ? .greaterOrEqual : .greater, value))
        } else if !hasUpper {
          parts.append(.notEqual(name, .null))
        }
      }
      if hasUpper, let upper = scan.upper {
        let value = upper.values[plan.fixedCount]
        parts.append(.compare(name, upper.isInclusive ? .lessOrEqual : .less, value))
      }
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .all : .and(parts)
  }

  /// Fields that are fixed first, then one with a range, else those of the order.
  private static func helpfulIndex(_ query: BoundQuery, besides walked: [Int]) -> [String]? {
    let collection = query.collection
    var fixed: [Int] = []
    var ranged: [Int] = []
    for condition in query.filter.conjuncts {
      switch condition {
      case .compare(let position, .equal, _), .isIn(let position, _): fixed.append(position)
      case .compare(let position, .notEqual, .null): ranged.append(position)
      case .compare(let position, let comparison, _) where comparison != .notEqual:
        ranged.append(position)
      case .startsWith(let position, _): ranged.append(position)
      default: break
      }
    }
    var positions: [Int] = []
    for position in fixed where !positions.contains(position) { positions.append(position) }
    if let range = ranged.first(where: { !positions.contains($0) }) {
      positions.append(range)
    } else {
      let isDescending = query.order.first?.isDescending
      for order in query.order where !positions.contains(order.position) {
        // What follows the key's own fields adds nothing, and one index has one direction.
        if collection.keyPositions.contains(order.position) || order.isDescending != isDescending {
          break
        }
        positions.append(order.position)
      }
    }
    if positions.isEmpty || walked.starts(with: positions) { return nil }
    return positions.map { collection.fields[$0].name }
  }

  /// The error for a query that reads everything.
  var refusal: StorageError {
    let advice =
      helpfulIndex.map { "add an index over (\($0.joined(separator: ", ")))" }
      ?? "ask by the key or a field that has an index"
    return StorageError(
      .fullScan,
      "the query would read every record of \(collection); \(advice), or allow scans"
    )
  }
}

extension BoundFilter {
  /// The filter by field names.
  func unbound(_ collection: Collection) -> Filter {
    func name(_ position: Int) -> String { collection.fields[position].name }
    func literal(_ position: Int, _ bytes: [UInt8]) -> Value {
      collection.fields[position].type.storedKind == .blob
        ? .blob(bytes) : .text(String(decoding: bytes, as: UTF8.self))
    }
    switch self {
    case .all: return .all
    case .none: return .or([])
    case .compare(let position, let comparison, let value):
      return .compare(name(position), comparison, value)
    case .isIn(let position, let set):
      return .isIn(name(position), (set.containsNull ? [.null] : []) + set.values)
    case .startsWith(let position, let bytes):
      return .startsWith(name(position), literal(position, bytes))
    case .contains(let position, let bytes):
      return .contains(name(position), literal(position, bytes))
    case .json(let position, let condition): return .json(name(position), condition)
    case .and(let parts): return .and(parts.map { $0.unbound(collection) })
    case .or(let parts): return .or(parts.map { $0.unbound(collection) })
    case .not(let part): return .not(part.unbound(collection))
    }
  }
}

extension ReadTransaction {
  /// How a query would run; none of its records is decoded.
  ///
  /// Reads the keys of up to ``QueryPlan/countingLimit`` records, to say how many there are to read.
  /// With `native` the engine is asked for its own plan too.
  ///
  /// - Throws: ``StorageError/Code/unsupported`` for a native plan from a backend that does not
  ///   declare ``Capabilities/explainsNatively``; as ``fetch(_:)``.
  public final func explain(_ query: Query, native: Bool = false) throws(StorageError) -> QueryPlan
  {
    let bound = try BoundQuery(query, try collection(query.collection))
    return try perform { () throws(StorageError) in
      QueryPlan(
        bound,
        rangeSize: try QueryExecutor.rangeSize(bound, on: reader, limit: QueryPlan.countingLimit),
        isCounted: true,
        native: native ? try reader.nativePlan(of: bound) : nil
      )
    }
  }

  /// Does with a query that reads everything what a policy says.
  final func check(_ query: Query, _ policy: ScanPolicy) throws(StorageError) {
    switch policy {
    case .allow: return
    case .warn, .forbid: break
    }
    let plan = QueryPlan(try BoundQuery(query, try collection(query.collection)))
    if !plan.isFullScan { return }
    guard case .warn(let report) = policy else { throw plan.refusal }
    report(plan)
  }
}
