import Holdfast

/// A reader, or the reading half of a writer, with one thing wrong.
class MutantReader: StorageReader {
  let mutation: Mutation?
  private var first: (any StorageReader)?
  /// Begins another snapshot; nil inside a writer.
  private let begin: (() throws(StorageError) -> any StorageReader)?
  private let buffer = RowBuffer()
  /// Told of the end, once.
  var onEnd: (() -> Void)?

  init(
    _ mutation: Mutation?,
    first: (any StorageReader)?,
    begin: (() throws(StorageError) -> any StorageReader)?
  ) {
    self.mutation = mutation
    self.first = first
    self.begin = begin
  }

  private func base() throws(StorageError) -> any StorageReader {
    if let first { return first }
    guard let begun = try begin?() else {
      throw StorageError(.transactionClosed, "the transaction has ended; begin another one")
    }
    first = begun
    return begun
  }

  var catalog: Catalog {
    // Without a reader this is the catalog of nothing, which a late snapshot replaces.
    let begun = mutation == .catalogReadsLive && begin != nil ? try? begin?() : try? base()
    var catalog = begun?.catalog ?? Catalog(storeID: "")
    if mutation == .schemaVersionStays { catalog.schemaVersion = 1 }
    return catalog
  }

  func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    if mutation == .getReadsLive, let begin {
      let live = try begin()
      defer { live.end() }
      guard let row = try live.get(key, in: collection) else { return nil }
      buffer.copy(row)
      return buffer.view
    }
    guard let row = try base().get(key, in: collection) else { return nil }
    return try MutantCursor.changed(row, mutation, buffer)
  }

  func scan(_ scan: Scan) throws(StorageError) -> MutantCursor {
    var scan = scan
    if mutation == .exclusiveBoundIncluded { scan.lower?.isInclusive = true }
    if mutation == .upperBoundForgotten { scan.upper = nil }
    if mutation == .reversedScanForgotten { scan.isReversed = false }
    if mutation == .cursorReadsLive, scan.index == nil, let begin {
      return MutantCursor(LiveCursor(scan, begin: begin), mutation)
    }
    return MutantCursor(try base().scan(scan), mutation)
  }

  func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    if mutation == .counterReadsZero { return 0 }
    return try base().lastAutomaticKey(of: collection)
  }

  func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<MutantCursor>? {
    func whole(
      _ filter: BoundFilter = .all,
      limit: Int? = nil,
      handlesFilter: Bool = false,
      handlesOrder: Bool = false
    ) throws(StorageError) -> PushedQuery<MutantCursor> {
      let rows = try base().scan(Scan(query.collection))
      return PushedQuery(
        cursor: MutantCursor(rows, mutation, filter: filter, limit: limit),
        handlesFilter: handlesFilter,
        handlesOrder: handlesOrder,
        handlesLimit: false
      )
    }
    switch mutation {
    case .limitBeforeSort: return try whole(limit: query.limit.map { max($0, $0 &+ query.offset) })
    case .sortForgotten: return try whole(handlesOrder: true)
    case .filterForgotten: return try whole(handlesFilter: true)
    case .notEqualDropsNulls:
      return try whole(Self.droppingNulls(query.filter), handlesFilter: true)
    case .offsetForgotten where query.offset > 0: return try fromStart(query)
    case .descendingForgotten where query.order.first?.isDescending == true:
      let isByKey = query.order[0].position == query.collection.keyPositions[0]
      return isByKey ? try whole(handlesOrder: true) : nil
    case .pageRepeatsLast where query.limit != nil:
      return try whole(Self.inclusive(query.filter), handlesFilter: true)
    case .pageDropsTies: return try whole(Self.firstOfOr(query.filter), handlesFilter: true)
    default: return nil
    }
  }

  /// The rows of a query by key without a filter, from the first on.
  private func fromStart(_ query: BoundQuery) throws(StorageError) -> PushedQuery<MutantCursor>? {
    guard case .all = query.filter, query.order.map(\.position) == query.collection.keyPositions
    else { return nil }
    let rows = try base().scan(Scan(query.collection, reversed: query.order[0].isDescending))
    return PushedQuery(
      cursor: MutantCursor(rows, mutation, limit: query.limit),
      handlesFilter: true,
      handlesOrder: true,
      handlesLimit: true
    )
  }

  private static func inclusive(_ filter: BoundFilter) -> BoundFilter {
    switch filter {
    case .compare(let position, .greater, let value): .compare(position, .greaterOrEqual, value)
    case .compare(let position, .less, let value): .compare(position, .lessOrEqual, value)
    case .and(let parts): .and(parts.map(inclusive))
    case .or(let parts): .or(parts.map(inclusive))
    default: filter
    }
  }

  private static func droppingNulls(_ filter: BoundFilter) -> BoundFilter {
    switch filter {
    case .compare(let position, .notEqual, _):
      .and([filter, .compare(position, .notEqual, .null)])
    case .and(let parts): .and(parts.map(droppingNulls))
    case .or(let parts): .or(parts.map(droppingNulls))
    default: filter
    }
  }

  /// The filter with the first part of every OR alone, which in a page's condition has no ties.
  private static func firstOfOr(_ filter: BoundFilter) -> BoundFilter {
    switch filter {
    case .and(let parts): .and(parts.map(firstOfOr))
    case .or(let parts): parts[0]
    default: filter
    }
  }

  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    if mutation == .sumOfNothingIsZero, aggregate.groupBy.isEmpty {
      let rows = try base().scan(Scan(aggregate.collection))
      defer { rows.close() }
      if try rows.next() == nil { return [aggregate.functions.map { _ in 0 }] }
    }
    if mutation == .emptyInMatchesAll, case .none = aggregate.filter {
      return try countOfAll(aggregate)
    }
    if mutation == .countIgnoresFilter { return try countOfAll(aggregate) }
    return nil
  }

  func nativePlan(of query: BoundQuery) throws(StorageError) -> [String] {
    try base().nativePlan(of: query)
  }

  func lendNative() throws(StorageError) -> Any { try base().lendNative() }
  func takeBackNative() throws(StorageError) { try base().takeBackNative() }

  private func countOfAll(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    if aggregate.functions == [.count], aggregate.groupBy.isEmpty {
      let rows = try base().scan(Scan(aggregate.collection))
      defer { rows.close() }
      var count: Int64 = 0
      while try rows.next() != nil { count += 1 }
      return [[.integer(count)]]
    }
    return nil
  }

  func end() {
    first?.end()
    onEnd?()
    onEnd = nil
  }
}
