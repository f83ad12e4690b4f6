import Holdfast

/// A query as SQL with the values to bind, built piece by piece.
struct SQLQuery {
  var text: SQLText
  var parameters: [SQLParameter] = []
  private let collection: Collection
  private let limits: SQLLimits

  init(_ start: SQLText, _ collection: Collection, limits: SQLLimits) {
    text = start
    self.collection = collection
    self.limits = limits
    // As many as most queries have.
    parameters.reserveCapacity(4)
  }

  /// Appends `WHERE`, leaving out of a conjunction what SQLite cannot take.
  ///
  /// - Returns: whether all of the filter is in it.
  mutating func appendWhere(_ filter: BoundFilter) -> Bool {
    if case .all = filter { return true }
    let parts: [BoundFilter]
    if case .and(let conjuncts) = filter { parts = conjuncts } else { parts = [filter] }
    var isComplete = true
    var isFirst = true
    for part in parts {
      // Not a copy to go back to: what is appended would then be appended to another one.
      let (length, count) = (text.bytes.count, parameters.count)
      text.append(isFirst ? " WHERE " : " AND ")
      let depth = append(part, isNegated: false, nesting: 0)
      if let depth, depth + parts.count < limits.depth, parameters.count <= limits.parameters {
        isFirst = false
      } else {
        text.truncate(to: length)
        parameters.removeLast(parameters.count - count)
        isComplete = false
      }
    }
    return isComplete
  }

  /// Appends `ORDER BY`.
  mutating func appendOrder(_ order: [BoundQuery.Order]) {
    for (index, entry) in order.enumerated() {
      text.append(index == 0 ? " ORDER BY " : ", ")
      appendField(entry.position)
      if entry.isDescending { text.append(" DESC") }
    }
  }

  /// Appends `LIMIT` and `OFFSET`.
  mutating func appendLimit(_ limit: Int?, offset: Int) {
    if limit == nil, offset == 0 { return }
    text.append(" LIMIT ?")
    parameters.append(.value(.integer(limit.map { Int64($0) } ?? -1)))
    if offset > 0 {
      text.append(" OFFSET ?")
      parameters.append(.value(.integer(Int64(offset))))
    }
  }

  // MARK: Filters

  /// The longest chain of one operator that is written without brackets inside.
  private static let chainLength = 64
  /// How deep brackets may nest: SQLite's parser has a stack of 100 entries.
  private static let bracketDepth = 16

  /// Appends a condition that is never null where that would matter: negations go down to the
  /// comparisons, so that indexes still serve them.
  ///
  /// - Returns: the depth of the expression; nil if brackets nest too deep.
  private mutating func append(_ filter: BoundFilter, isNegated: Bool, nesting: Int) -> Int? {
    if nesting > Self.bracketDepth { return nil }
    switch filter {
    case .all: return append(constant: !isNegated)
    case .none: return append(constant: isNegated)
    case .compare(let position, let comparison, let value):
      return append(position, comparison, value, isNegated: isNegated)
    case .isIn(let position, let set): return append(position, isIn: set, isNegated: isNegated)
    case .startsWith(let position, let prefix):
      return append(position, startsWith: prefix, isNegated: isNegated)
    case .contains(let position, let bytes):
      text.append("(instr(")
      appendField(position)
      text.append(", ?) > 0)")
      parameters.append(bytesParameter(position, bytes))
      if isNegated { text.append(" IS NOT TRUE") }
      return 4
    // SQLite's own JSON functions stop at U+0000 and know other numbers.
    case .json: return nil
    case .and(let parts):
      return append(parts[...], isNegated ? " OR " : " AND ", isNegated: isNegated, nesting)
    case .or(let parts):
      return append(parts[...], isNegated ? " AND " : " OR ", isNegated: isNegated, nesting)
    case .not(let part): return append(part, isNegated: !isNegated, nesting: nesting)
    }
  }

  private mutating func append(constant: Bool) -> Int {
    text.append(constant ? "1" : "0")
    return 1
  }

  /// Appends a chain; a long one as a tree, since SQLite nests a level for each operator.
  private mutating func append(
    _ parts: ArraySlice<BoundFilter>,
    _ operator: String,
    isNegated: Bool,
    _ nesting: Int
  ) -> Int? {
    if nesting > Self.bracketDepth { return nil }
    text.append("(")
    defer { text.append(")") }
    var deepest = 0
    if parts.count <= Self.chainLength {
      for (index, part) in parts.enumerated() {
        if index > 0 { text.append(`operator`) }
        guard let depth = append(part, isNegated: isNegated, nesting: nesting + 1) else {
          return nil
        }
        deepest = max(deepest, depth)
      }
      return deepest + parts.count
    }
    let size = (parts.count + Self.chainLength - 1) / Self.chainLength
    var start = parts.startIndex
    var count = 0
    while start < parts.endIndex {
      let end = min(start + size, parts.endIndex)
      if count > 0 { text.append(`operator`) }
      guard let depth = append(parts[start..<end], `operator`, isNegated: isNegated, nesting + 1)
      else { return nil }
      deepest = max(deepest, depth)
      start = end
      count += 1
    }
    return deepest + count
  }

  private mutating func append(
    _ position: Int,
    _ comparison: Comparison,
    _ value: Value,
    isNegated: Bool
  ) -> Int {
    let isOptional = collection.fields[position].isOptional
    if value.isNull {
      switch comparison {
      case .equal, .notEqual:
        appendField(position)
        text.append((comparison == .equal) != isNegated ? " IS NULL" : " IS NOT NULL")
        return 2
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return append(constant: isNegated)
      }
    }
    let symbol: String
    var admitsNull = false
    switch comparison {
    case .equal, .notEqual:
      let isEqual = (comparison == .equal) != isNegated
      symbol = isEqual ? " = ?" : isOptional ? " IS NOT ?" : " <> ?"
    case .less: symbol = isNegated ? " >= ?" : " < ?"
    case .lessOrEqual: symbol = isNegated ? " > ?" : " <= ?"
    case .greater: symbol = isNegated ? " <= ?" : " > ?"
    case .greaterOrEqual: symbol = isNegated ? " < ?" : " >= ?"
    }
    if isNegated, comparison != .equal, comparison != .notEqual { admitsNull = isOptional }
    if admitsNull { text.append("(") }
    appendField(position)
    text.append(symbol)
    parameters.append(.value(value))
    if admitsNull { appendOrNull(position) }
    return 4
  }

  private mutating func append(_ position: Int, isIn set: ValueSet, isNegated: Bool) -> Int? {
    guard parameters.count + set.values.count <= limits.parameters else { return nil }
    if set.values.isEmpty {
      if !set.containsNull { return append(constant: isNegated) }
      appendField(position)
      text.append(isNegated ? " IS NOT NULL" : " IS NULL")
      return 2
    }
    let needsOr = set.containsNull != isNegated && collection.fields[position].isOptional
    text.append("(")
    appendField(position)
    text.append(isNegated ? " NOT IN (?" : " IN (?")
    parameters.reserveCapacity(parameters.count + set.values.count)
    parameters.append(.value(set.values[0]))
    for value in set.values.dropFirst() {
      text.append(",?")
      parameters.append(.value(value))
    }
    text.append(")")
    if needsOr {
      appendOrNull(position)
    } else {
      text.append(")")
    }
    return 4
  }

  private mutating func append(_ position: Int, startsWith prefix: [UInt8], isNegated: Bool) -> Int
  {
    let end = Self.end(ofPrefix: prefix)
    text.append("(")
    appendField(position)
    text.append(isNegated ? " < ?" : " >= ?")
    parameters.append(bytesParameter(position, prefix))
    if let end {
      text.append(isNegated ? " OR " : " AND ")
      appendField(position)
      text.append(isNegated ? " >= ?" : " < ?")
      parameters.append(bytesParameter(position, end))
    }
    if isNegated, collection.fields[position].isOptional {
      appendOrNull(position)
    } else {
      text.append(")")
    }
    return 5
  }

  /// The smallest bytes above everything that begins with `prefix`; nil if there are none.
  private static func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    return Array(prefix[..<last]) + [prefix[last] + 1]
  }

  private func bytesParameter(_ position: Int, _ bytes: [UInt8]) -> SQLParameter {
    collection.fields[position].type.storedKind == .blob ? .value(.blob(bytes)) : .textBytes(bytes)
  }

  private mutating func appendOrNull(_ position: Int) {
    text.append(" OR ")
    appendField(position)
    text.append(" IS NULL)")
  }

  mutating func appendField(_ position: Int) {
    text.appendName(collection.fields[position].name)
  }
}

/// How much one statement may hold.
struct SQLLimits {
  /// The most values to bind.
  var parameters: Int
  /// The deepest expression.
  var depth: Int
}
