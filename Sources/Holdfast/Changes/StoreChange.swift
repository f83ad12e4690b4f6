/// What a commit changed, or several commits of which a slow observer hears as one.
public struct StoreChange: Sendable {
  /// How many commits of this process it tells of; 0 where another process committed.
  public internal(set) var commits: Int
  /// What changed in each collection, by name.
  public internal(set) var collections: [String: CollectionChange]

  init(commits: Int, collections: [String: CollectionChange]) {
    self.commits = commits
    self.collections = collections
  }

  /// Takes in what came later.
  mutating func merge(_ later: StoreChange) {
    commits += later.commits
    for (name, change) in later.collections {
      collections[name, default: CollectionChange()].merge(change)
    }
  }

  /// The part that concerns some collections; nil if that is nothing.
  func restricted(to names: Set<String>?) -> StoreChange? {
    guard let names else { return self }
    // Of another process it is only known that it committed; it may have dropped what is asked for.
    if commits == 0 {
      let changes = names.map { ($0, CollectionChange(isComplete: false)) }
      return StoreChange(commits: 0, collections: Dictionary(uniqueKeysWithValues: changes))
    }
    let kept = collections.filter { names.contains($0.key) }
    return kept.isEmpty ? nil : StoreChange(commits: commits, collections: kept)
  }

  /// The number of keys that it holds.
  var keyCount: Int { collections.values.reduce(0) { $0 + $1.count } }
}

/// What changed in one collection: the keys of records, or only that something did.
public struct CollectionChange: Sendable, Hashable {
  enum Kind: Sendable {
    case inserted
    case updated
    case deleted

    /// What two changes of one record in a row come to; nil for nothing.
    static func merged(_ first: Kind?, _ second: Kind) -> Kind? {
      switch (first, second) {
      case (nil, _): second
      case (.inserted, .deleted): nil
      case (.inserted, _): .inserted
      case (.deleted, .inserted): .updated
      case (_, .deleted): .deleted
      case (_, _): .updated
      }
    }
  }

  /// Whether the keys are all there is; if not, anything in the collection may have changed.
  ///
  /// They are not above 10,000 keys in one commit, for commits of other processes, for transactions
  /// that were running when the observer subscribed, and for changes of the schema.
  public internal(set) var isComplete = true
  var kinds: [Key: Kind] = [:]

  init(isComplete: Bool = true) { self.isComplete = isComplete }

  /// The keys of inserted records, ascending.
  ///
  /// O(n log n).
  public var inserted: [Key] { keys(.inserted) }
  /// The keys of updated records, ascending.
  ///
  /// O(n log n).
  public var updated: [Key] { keys(.updated) }
  /// The keys of deleted records, ascending.
  ///
  /// O(n log n).
  public var deleted: [Key] { keys(.deleted) }
  /// How many records are named.
  public var count: Int { kinds.count }

  private func keys(_ kind: Kind) -> [Key] {
    kinds.compactMap { $0.value == kind ? $0.key : nil }.sorted { Key.compare($0, $1) < 0 }
  }

  mutating func merge(_ later: CollectionChange) {
    guard isComplete, later.isComplete, count + later.count <= ChangeLog.maximumKeys else {
      self = CollectionChange(isComplete: false)
      return
    }
    for (key, kind) in later.kinds { kinds[key] = Kind.merged(kinds[key], kind) }
  }
}

extension Key {
  /// Negative, zero or positive: the order of two keys of one collection.
  static func compare(_ left: Key, _ right: Key) -> Int {
    for index in 0..<min(left.count, right.count) {
      let order = Value.compare(left[index], right[index])
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
