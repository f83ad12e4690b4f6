/// An ordered walk over a collection by its primary key or one of its indexes.
public struct Scan: Sendable {
  /// One end of a range: a prefix of the scanned fields' values.
  ///
  /// An inclusive bound takes in every entry that begins with the prefix, an exclusive one leaves
  /// them all out.
  public struct Bound: Sendable {
    /// Values of the first scanned fields, in order; kinds already checked.
    ///
    /// Null is allowed in an index and sorts first.
    public var values: [Value]
    /// Whether entries that begin with `values` belong to the range.
    public var isInclusive: Bool

    /// Creates a bound.
    public init(_ values: [Value], inclusive: Bool) {
      self.values = values
      isInclusive = inclusive
    }
  }

  /// The collection.
  public var collection: Collection
  /// The position of the index in ``Collection/indexes``, or nil for the primary key.
  public var index: Int?
  /// Where the range begins in ascending order; nil for the first entry.
  public var lower: Bound?
  /// Where the range ends in ascending order; nil for the last entry.
  public var upper: Bound?
  /// Whether to walk from the upper end down.
  ///
  /// Ties of an index run by primary key in the same direction.
  public var isReversed: Bool

  /// Creates a scan.
  public init(
    _ collection: Collection,
    index: Int? = nil,
    lower: Bound? = nil,
    upper: Bound? = nil,
    reversed: Bool = false
  ) {
    self.collection = collection
    self.index = index
    self.lower = lower
    self.upper = upper
    isReversed = reversed
  }
}
