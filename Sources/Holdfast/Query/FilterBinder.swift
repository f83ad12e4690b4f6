/// Binds filters to collections: resolves names, checks types, and turns every literal into the
/// field's own stored kind, so that all engines compare like with like.
enum FilterBinder {
  /// How deep filters may nest.
  static let maximumDepth = 500

  /// Throws ``StorageError/Code/invalidQuery`` for a part that lies too deep.
  static func checkDepth(_ depth: Int) throws(StorageError) {
    if depth < maximumDepth { return }
    throw StorageError(
      .invalidQuery,
      "the filter nests deeper than \(maximumDepth) levels; simplify it"
    )
  }

  /// Binds a filter.
  ///
  /// - Throws: ``StorageError/Code/unknownField``, ``StorageError/Code/typeMismatch``,
  ///   ``StorageError/Code/invalidValue``, ``StorageError/Code/invalidQuery`` (nested too deep).
  static func bind(_ filter: Filter, to collection: Collection, depth: Int = 0)
    throws(StorageError) -> BoundFilter
  {
    try checkDepth(depth)
    switch filter {
    case .all: return .all
    case .compare(let field, let comparison, let value):
      return try compare(collection, try collection.position(of: field), comparison, value)
    case .isIn(let field, let values):
      return try isIn(collection, try collection.position(of: field), values)
    case .startsWith(let field, let value):
      return try match(collection, field, value, BoundFilter.startsWith)
    case .contains(let field, let value):
      return try match(collection, field, value, BoundFilter.contains)
    case .json(let field, let condition):
      let position = try collection.position(of: field)
      let bound = try condition.bound(to: collection.fields[position], of: collection)
      return .json(position, bound)
    case .and(let parts):
      var bound: [BoundFilter] = []
      for part in parts { bound.append(try bind(part, to: collection, depth: depth + 1)) }
      return .all(of: bound)
    case .or(let parts):
      var bound: [BoundFilter] = []
      for part in parts { bound.append(try bind(part, to: collection, depth: depth + 1)) }
      return .any(of: bound)
    case .not(let part):
      switch try bind(part, to: collection, depth: depth + 1) {
      case .all: return .none
      case .none: return .all
      case .not(let inner): return inner
      case .compare(let position, .equal, let value): return .compare(position, .notEqual, value)
      case .compare(let position, .notEqual, let value): return .compare(position, .equal, value)
      case let inner: return .not(inner)
      }
    }
  }

  private static func mismatch(_ collection: Collection, _ position: Int, _ what: String)
    -> StorageError
  {
    let field = collection.fields[position]
    return StorageError(
      .typeMismatch,
      "field \(field.name) of \(collection.name) is \(field.type) and cannot be compared with \(what)"
    )
  }

  static func compare(
    _ collection: Collection,
    _ position: Int,
    _ comparison: Comparison,
    _ value: Value
  ) throws(StorageError) -> BoundFilter {
    let field = collection.fields[position]
    if case .real(let real) = value, real.isNaN {
      throw StorageError(
        .invalidValue,
        "field \(field.name) of \(collection.name) cannot be compared with NaN"
      )
    }
    let isEquality = comparison == .equal || comparison == .notEqual
    if !isEquality, !field.type.isOrdered {
      throw mismatch(collection, position, "<, <=, > or >=, only for equality")
    }
    let literal = field.lenient(value)
    switch (field.type.storedKind, literal) {
    case (_, .null):
      return isEquality ? .compare(position, comparison, .null) : .none
    case (nil, _):
      return .compare(position, comparison, literal)
    case (.integer, .real(let real)):
      return integerField(position, comparison, real)
    case (.real, .integer(let integer)):
      return realField(position, comparison, integer)
    case (let kind?, let literal):
      guard kind == literal.kind else {
        throw mismatch(collection, position, "a literal of kind \(literal.kind)")
      }
      if field.type == .date, case .text(let text) = literal, DateCoding.decode(text) == nil {
        throw mismatch(collection, position, "a text that is no RFC 3339 date")
      }
      if field.type == .uuid, case .blob(let bytes) = literal, bytes.count != 16 {
        throw mismatch(collection, position, "a blob that has not 16 bytes")
      }
      return .compare(position, comparison, literal)
    }
  }

  /// An integer field against a real literal that is no integer, by their mathematical values.
  private static func integerField(_ position: Int, _ comparison: Comparison, _ real: Double)
    -> BoundFilter
  {
    if let exact = Int64(exactly: real) {
      return .compare(position, comparison, .integer(exact))
    }
    let all = BoundFilter.compare(position, .notEqual, .null)
    switch comparison {
    case .equal: return .none
    case .notEqual: return .all
    case .less, .lessOrEqual:
      if real >= 0x1p63 { return all }
      if real < -0x1p63 { return .none }
      return .compare(position, .lessOrEqual, .integer(Int64(real.rounded(.down))))
    case .greater, .greaterOrEqual:
      if real >= 0x1p63 { return .none }
      if real < -0x1p63 { return all }
      return .compare(position, .greater, .integer(Int64(real.rounded(.down))))
    }
  }

  /// A real field against an integer literal, exactly even where no double equals it.
  private static func realField(_ position: Int, _ comparison: Comparison, _ integer: Int64)
    -> BoundFilter
  {
    let nearest = Double(integer)
    let side = Value.compareReal(nearest, toInteger: integer)
    if side == 0 { return .compare(position, comparison, .real(nearest)) }
    switch comparison {
    case .equal: return .none
    case .notEqual: return .all
    case .less, .lessOrEqual:
      return .compare(position, side > 0 ? .less : .lessOrEqual, .real(nearest))
    case .greater, .greaterOrEqual:
      return .compare(position, side > 0 ? .greaterOrEqual : .greater, .real(nearest))
    }
  }

  private static func isIn(_ collection: Collection, _ position: Int, _ values: [Value])
    throws(StorageError) -> BoundFilter
  {
    var kept: [Value] = []
    kept.reserveCapacity(values.count)
    for value in values {
      switch try compare(collection, position, .equal, value) {
      case .compare(_, _, let literal): kept.append(literal)
      default: break
      }
    }
    if kept.isEmpty { return .none }
    return .isIn(position, ValueSet(kept))
  }

  private static func match(
    _ collection: Collection,
    _ field: String,
    _ value: Value,
    _ make: (Int, [UInt8]) -> BoundFilter
  ) throws(StorageError) -> BoundFilter {
    let position = try collection.position(of: field)
    let bytes: [UInt8]
    switch (collection.fields[position].type, value) {
    case (.text, .text(let text)), (.date, .text(let text)): bytes = Array(text.utf8)
    case (.blob, .blob(let blob)): bytes = blob
    case (.text, .null), (.date, .null), (.blob, .null): return .none
    default:
      throw mismatch(
        collection,
        position,
        "STARTS WITH or CONTAINS a literal of kind \(value.kind)"
      )
    }
    return bytes.isEmpty ? .compare(position, .notEqual, .null) : make(position, bytes)
  }
}

extension BoundFilter {
  /// Both hold.
  func and(_ other: BoundFilter) -> BoundFilter { .all(of: [self, other]) }
  /// One of two holds.
  func or(_ other: BoundFilter) -> BoundFilter { .any(of: [self, other]) }

  /// All hold; constants fold away and nested conjunctions flatten.
  ///
  /// O(n).
  static func all(of parts: [BoundFilter]) -> BoundFilter {
    var flat: [BoundFilter] = []
    for part in parts {
      switch part {
      case .all: break
      case .none: return .none
      case .and(let inner): flat += inner
      default: flat.append(part)
      }
    }
    return flat.isEmpty ? .all : flat.count == 1 ? flat[0] : .and(flat)
  }

  /// One holds; constants fold away and nested disjunctions flatten.
  ///
  /// O(n).
  static func any(of parts: [BoundFilter]) -> BoundFilter {
    var flat: [BoundFilter] = []
    for part in parts {
      switch part {
      case .none: break
      case .all: return .all
      case .or(let inner): flat += inner
      default: flat.append(part)
      }
    }
    return flat.isEmpty ? .none : flat.count == 1 ? flat[0] : .or(flat)
  }
}
