/// A query over one collection: which records, in which order, which part of them.
public struct Query: Sendable, Hashable {
  /// The collection's name.
  public var collection: String
  /// Which records.
  public var filter: Filter
  /// The order; ties, and everything where it is empty, by ascending primary key.
  public var sort: [Sort]
  /// How many records at most; nil for no limit, 0 for none.
  ///
  /// Negative is an error.
  public var limit: Int?
  /// How many records to skip first.
  ///
  /// Negative is an error.
  public var offset: Int
  /// Begin after the record at which an earlier page of this same query ended.
  public var after: PageToken?

  /// Creates a query.
  public init(
    _ collection: String,
    where filter: Filter = .all,
    sort: [Sort] = [],
    limit: Int? = nil,
    offset: Int = 0,
    after: PageToken? = nil
  ) {
    self.collection = collection
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.after = after
  }
}

/// One field of an order.
public struct Sort: Sendable, Hashable {
  /// The field's stored name.
  public var field: String
  /// Whether the largest comes first.
  ///
  /// Null sorts first ascending, last descending.
  public var isDescending: Bool

  /// Smallest first.
  public static func ascending(_ field: String) -> Sort { Sort(field: field, isDescending: false) }
  /// Largest first.
  public static func descending(_ field: String) -> Sort { Sort(field: field, isDescending: true) }

  /// Creates one field of an order.
  public init(field: String, isDescending: Bool) {
    self.field = field
    self.isDescending = isDescending
  }
}

/// Where a page ended: opaque text, portable between backends, stable under inserts and deletes.
public struct PageToken: Sendable, Hashable, CustomStringConvertible {
  /// The token's text, safe in URLs and on command lines.
  public let text: String
  /// Takes a token that ``Page/next`` gave; it is checked when a query uses it.
  public init(_ text: String) { self.text = text }
  /// The token's text.
  public var description: String { text }
}

/// One page of a query's results.
public struct Page<Element> {
  /// The elements, in the query's order.
  public var elements: [Element]
  /// Continues after the last element; nil at the end.
  public var next: PageToken?

  /// Creates a page.
  public init(elements: [Element], next: PageToken?) {
    self.elements = elements
    self.next = next
  }
}

extension Page: Sendable where Element: Sendable {}
