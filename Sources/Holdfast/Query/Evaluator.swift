/// The one evaluator: whether a row matches a bound filter, for every engine that does not run the
/// filter itself.
extension BoundFilter {
  /// Whether `row` matches.
  public func matches(_ row: RowView) throws(StorageError) -> Bool {
    switch self {
    case .all: return true
    case .none: return false
    case .compare(let position, let comparison, let value):
      return Self.compare(row, position, comparison, value)
    case .isIn(let position, let set):
      if row.isNull(position) { return set.containsNull }
      return set.contains(try row.value(position))
    case .startsWith(let position, let prefix):
      guard row.kind(position) == .text || row.kind(position) == .blob else { return false }
      let bytes = row.bytes(position)
      guard bytes.count >= prefix.count else { return false }
      return prefix.withUnsafeBytes { Bytes.compare($0, .init(rebasing: bytes[..<$0.count])) == 0 }
    case .contains(let position, let needle):
      guard row.kind(position) == .text || row.kind(position) == .blob else { return false }
      return needle.withUnsafeBytes { Bytes.contains(row.bytes(position), $0) }
    case .json(let position, let condition): return condition.matches(row, position)
    case .and(let parts):
      for part in parts where try !part.matches(row) { return false }
      return true
    case .or(let parts):
      for part in parts where try part.matches(row) { return true }
      return false
    case .not(let part): return try !part.matches(row)
    }
  }

  private static func compare(
    _ row: RowView,
    _ position: Int,
    _ comparison: Comparison,
    _ value: Value
  ) -> Bool {
    let isNull = row.isNull(position)
    if isNull || value.isNull {
      switch comparison {
      case .equal: return isNull && value.isNull
      case .notEqual: return isNull != value.isNull
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    }
    return comparison.holds(row.compare(position, value))
  }
}

extension RowView {
  /// Orders field `index` against an owned value, as ``Value/compare(_:_:)`` does.
  func compare(_ index: Int, _ value: Value) -> Int {
    switch (kind(index), value) {
    case (.integer, .integer(let right)):
      let left = integer(index)
      return left < right ? -1 : left == right ? 0 : 1
    case (.integer, .real(let right)): return -Value.compareReal(right, toInteger: integer(index))
    case (.real, .real(let right)): return Value.compareReals(real(index), right)
    case (.real, .integer(let right)): return Value.compareReal(real(index), toInteger: right)
    case (.text, .text(var right)):
      return right.withUTF8 { Bytes.compare(bytes(index), UnsafeRawBufferPointer($0)) }
    case (.blob, .blob(let right)):
      return right.withUnsafeBytes { Bytes.compare(bytes(index), $0) }
    case (let left, _): return Value.rank(left) - Value.rank(value.kind)
    }
  }

  /// Orders field `index` of two rows, as ``Value/compare(_:_:)`` does.
  func compare(_ index: Int, with other: RowView) -> Int {
    compare(index, with: other, at: index)
  }

  /// Orders field `index` against field `otherIndex` of another row.
  @inline(__always)
  func compare(_ index: Int, with other: RowView, at otherIndex: Int) -> Int {
    switch (kind(index), other.kind(otherIndex)) {
    case (.integer, .integer):
      let left = integer(index)
      let right = other.integer(otherIndex)
      return left < right ? -1 : left == right ? 0 : 1
    case (.real, .real): return Value.compareReals(real(index), other.real(otherIndex))
    case (.integer, .real):
      return -Value.compareReal(other.real(otherIndex), toInteger: integer(index))
    case (.real, .integer):
      return Value.compareReal(real(index), toInteger: other.integer(otherIndex))
    case (.text, .text), (.blob, .blob):
      return Bytes.compare(bytes(index), other.bytes(otherIndex))
    case (let left, let right): return Value.rank(left) - Value.rank(right)
    }
  }
}
