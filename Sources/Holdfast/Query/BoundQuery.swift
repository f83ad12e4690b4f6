/// A filter bound to a collection: names are positions, types have been checked, and literals are
/// of the field's own stored kind, so that no backend converts anything.
///
/// Two-valued: comparing null with `<`, `<=`, `>`, `>=`, `startsWith` or `contains` is false,
/// `!=` is the complement of `=`, and `not` is the plain complement.
public indirect enum BoundFilter: Sendable {
  /// Every row.
  case all
  /// No row.
  case none
  /// Field against a value of the field's kind. Null occurs with `equal` and `notEqual` only.
  case compare(Int, Comparison, Value)
  /// Field equals one of the values; a null among them matches null.
  case isIn(Int, ValueSet)
  /// Text or blob field begins with these bytes.
  case startsWith(Int, [UInt8])
  /// Text or blob field holds these bytes.
  case contains(Int, [UInt8])
  /// A `json` field, or a part of it, meets a condition.
  ///
  /// An engine whose own JSON functions do not do exactly this leaves it to the core.
  case json(Int, JSONCondition)
  /// All hold; never empty.
  case and([BoundFilter])
  /// One holds; never empty.
  case or([BoundFilter])
  /// Does not hold.
  case not(BoundFilter)
}

/// A comparison operator.
public enum Comparison: Sendable, Hashable {
  /// `=`; null equals null.
  case equal
  /// `!=`; the complement of `equal`.
  case notEqual
  /// `<`
  case less
  /// `<=`
  case lessOrEqual
  /// `>`
  case greater
  /// `>=`
  case greaterOrEqual
}

/// The list of an `in`: sorted distinct values, with a set for lookups.
public struct ValueSet: Sendable {
  /// The distinct values without null, ascending.
  public let values: [Value]
  /// Whether null was among them.
  public let containsNull: Bool
  private let lookup: Set<Value>

  /// Creates a set from a list.
  public init(_ list: [Value]) {
    lookup = Set(list)
    containsNull = lookup.contains(.null)
    values = lookup.filter { !$0.isNull }.sorted()
  }

  /// How many distinct values there are, null among them.
  var count: Int { lookup.count }

  /// Whether `value` is one of the values.
  ///
  /// O(1).
  public func contains(_ value: Value) -> Bool { lookup.contains(value) }
}

/// A query bound to a collection.
public struct BoundQuery: Sendable {
  /// The collection.
  public var collection: Collection
  /// Which rows.
  public var filter: BoundFilter
  /// The whole order, ties included: the last entries are the primary key's fields where they are
  /// not named before.
  ///
  /// Null sorts first ascending, last descending.
  public var order: [Order]
  /// How many rows at most; nil for no limit.
  public var limit: Int?
  /// How many rows to skip first.
  public var offset: Int

  /// One field of an order.
  public struct Order: Sendable, Hashable {
    /// The field's position.
    public var position: Int
    /// Whether the largest comes first.
    public var isDescending: Bool
    /// Creates one field of an order.
    public init(_ position: Int, descending: Bool = false) {
      self.position = position
      isDescending = descending
    }
  }

  /// Creates a bound query.
  public init(
    collection: Collection,
    filter: BoundFilter,
    order: [Order],
    limit: Int?,
    offset: Int
  ) {
    self.collection = collection
    self.filter = filter
    self.order = order
    self.limit = limit
    self.offset = offset
  }
}

/// A query as far as an engine runs it natively.
public struct PushedQuery<Cursor: StorageCursor> {
  /// The rows, all fields each.
  public var cursor: Cursor
  /// Whether the rows all match the filter already.
  public var handlesFilter: Bool
  /// Whether the rows come in the query's order already.
  public var handlesOrder: Bool
  /// Whether offset and limit have been applied; only where filter and order are handled.
  public var handlesLimit: Bool

  /// Creates a pushed query.
  public init(cursor: Cursor, handlesFilter: Bool, handlesOrder: Bool, handlesLimit: Bool) {
    self.cursor = cursor
    self.handlesFilter = handlesFilter
    self.handlesOrder = handlesOrder
    self.handlesLimit = handlesLimit
  }
}

/// Figures over the rows that match a filter, optionally a group at a time.
public struct BoundAggregate: Sendable {
  /// One figure.
  ///
  /// Nulls are left out; over nothing every figure is null, but `count` is 0.
  public enum Function: Sendable, Hashable {
    /// The number of rows.
    case count
    /// The exact total, rounded once; of integers ``StorageError/Code/overflow`` if it does not fit.
    case sum(Int)
    /// The exact mean as a real, rounded once.
    case average(Int)
    /// The smallest value.
    case minimum(Int)
    /// The largest value.
    case maximum(Int)
  }

  /// The collection.
  public var collection: Collection
  /// Which rows.
  public var filter: BoundFilter
  /// What to compute.
  public var functions: [Function]
  /// The positions of the fields to group by; empty for one group of everything.
  public var groupBy: [Int]

  /// Creates a bound aggregate.
  public init(
    collection: Collection,
    filter: BoundFilter,
    functions: [Function],
    groupBy: [Int] = []
  ) {
    self.collection = collection
    self.filter = filter
    self.functions = functions
    self.groupBy = groupBy
  }
}
