/// One way in which two stores differ.
public enum StoreDifference: Sendable, Hashable, CustomStringConvertible {
  /// Only the first store has the collection.
  case onlyInFirst(collection: String)
  /// Only the second store has the collection.
  case onlyInSecond(collection: String)
  /// The collection is defined otherwise: fields, key, indexes, references or defaults.
  case definition(collection: String)
  /// Only the first store has a record of that key.
  case recordOnlyInFirst(collection: String, key: Key)
  /// Only the second store has a record of that key.
  case recordOnlyInSecond(collection: String, key: Key)
  /// The record of that key differs in these fields.
  case record(collection: String, key: Key, fields: [String])
  /// The next automatic keys differ.
  case counter(collection: String)
  /// The applied migrations differ.
  case migrations

  /// The difference in one line, without values.
  public var description: String {
    switch self {
    case .onlyInFirst(let name): "collection \(name) is only in the first store"
    case .onlyInSecond(let name): "collection \(name) is only in the second store"
    case .definition(let name): "collection \(name) is defined otherwise"
    case .recordOnlyInFirst(let name, _): "a record of \(name) is only in the first store"
    case .recordOnlyInSecond(let name, _): "a record of \(name) is only in the second store"
    case .record(let name, _, let fields):
      "a record of \(name) differs in \(fields.joined(separator: ", "))"
    case .counter(let name): "the next automatic key of \(name) differs"
    case .migrations: "the applied migrations differ"
    }
  }
}

extension Store {
  /// Compares this store with another one on any backend, records and schema, each in one snapshot.
  ///
  /// O(n), with constant memory: both are walked in key order.
  /// - Parameters:
  ///   - other: the second store.
  ///   - report: called with each difference; it returns false to stop.
  /// - Throws: what either engine reports.
  @available(*, noasync, message: "use the asynchronous differences")
  public func compare(
    with other: Store,
    _ report: (StoreDifference) -> Bool
  ) throws {
    if other.shared === shared { return }
    try read { first in
      try other.read { second in
        try StoreComparison(first.reader, second.reader).run(report)
      }
    }
  }

  /// The first differences between this store and another one on any backend.
  public func differences(from other: Store, limit: Int = 100) async throws -> [StoreDifference] {
    try await onOwnThread { store in
      var found: [StoreDifference] = []
      try store.compare(with: other) { difference in
        found.append(difference)
        return found.count < limit
      }
      return found
    }
  }
}

/// A walk through two stores side by side.
private struct StoreComparison {
  let first: any StorageReader
  let second: any StorageReader

  init(_ first: any StorageReader, _ second: any StorageReader) {
    self.first = first
    self.second = second
  }

  private struct Stopped: Error {}

  func run(_ report: (StoreDifference) -> Bool) throws {
    func found(_ difference: StoreDifference) throws {
      if !report(difference) { throw Stopped() }
    }
    do {
      let others = second.catalog
      for collection in first.catalog.collections {
        guard let other = others.collection(named: collection.name) else {
          try found(.onlyInFirst(collection: collection.name))
          continue
        }
        if collection.definition != other.definition {
          try found(.definition(collection: collection.name))
        }
        try compareRecords(collection, other, found)
      }
      for other in others.collections
      where first.catalog.collection(named: other.name) == nil {
        try found(.onlyInSecond(collection: other.name))
      }
      if first.catalog.migrations != others.migrations { try found(.migrations) }
    } catch is Stopped {}
  }

  private func compareRecords(
    _ collection: Collection,
    _ other: Collection,
    _ found: (StoreDifference) throws -> Void
  ) throws {
    // Records of collections with other keys are not of one kind.
    guard collection.definition.key == other.definition.key,
      collection.keyPositions.map({ collection.fields[$0].type })
        == other.keyPositions.map({ other.fields[$0].type })
    else { return }
    let name = collection.name
    let firsts = try first.scan(Scan(collection))
    let seconds = try second.scan(Scan(other))
    defer {
      firsts.close()
      seconds.close()
    }
    let names = Set(collection.fields.map(\.name)).union(other.fields.map(\.name)).sorted()
    let pairs = names.map { (name: $0, collection.positions[$0], other.positions[$0]) }
    var left = try firsts.next()
    var right = try seconds.next()
    while left != nil || right != nil {
      let order = keyOrder(left, collection, right, other)
      if order < 0, let row = left {
        try found(.recordOnlyInFirst(collection: name, key: try collection.key(of: row)))
      } else if order > 0, let row = right {
        try found(.recordOnlyInSecond(collection: name, key: try other.key(of: row)))
      } else if let left, let right {
        let fields = pairs.filter { pair in
          let one = pair.1.map { left.slots[$0] } ?? .null
          let two = pair.2.map { right.slots[$0] } ?? .null
          return !RowView.Slot.areEqual(one, two)
        }
        if !fields.isEmpty {
          try found(
            .record(collection: name, key: try collection.key(of: left), fields: fields.map(\.name))
          )
        }
      }
      if order <= 0 { left = try firsts.next() }
      if order >= 0 { right = try seconds.next() }
    }
    if collection.automaticKeyPosition != nil, other.automaticKeyPosition != nil,
      try first.lastAutomaticKey(of: collection) != second.lastAutomaticKey(of: other)
    {
      try found(.counter(collection: name))
    }
  }

  private func keyOrder(
    _ left: RowView?,
    _ collection: Collection,
    _ right: RowView?,
    _ other: Collection
  ) -> Int {
    guard let left else { return 1 }
    guard let right else { return -1 }
    for (one, two) in zip(collection.keyPositions, other.keyPositions) {
      let order = left.compare(one, with: right, at: two)
      if order != 0 { return order }
    }
    return 0
  }
}
