/// A cursor over one table of a ``MemoryEngine``.
public final class MemoryCursor: KeyValueCursor {
  private struct Level {
    var node: Unmanaged<MemoryNode>
    var index: Int
  }

  // Only this cursor's own calls touch these, one at a time.
  @exclusivity(unchecked) private var snapshot: MemorySnapshot?
  private let table: KeyValueTable
  /// The way from the root to the current entry's leaf.
  ///
  /// The snapshot keeps the nodes alive while its
  /// count of changes is ``changes``.
  @exclusivity(unchecked) private var path: [Level] = []
  @exclusivity(unchecked) private var changes = -1

  init(_ snapshot: MemorySnapshot, _ table: KeyValueTable) {
    self.snapshot = snapshot
    self.table = table
    path.reserveCapacity(8)
  }

  /// Moves to the first entry.
  public func first() throws(StorageError) -> Bool {
    guard let root = try start() else { return false }
    descend(from: root) { _ in 0 }
    return settleForward()
  }

  /// Moves to the last entry.
  public func last() throws(StorageError) -> Bool {
    guard let root = try start() else { return false }
    descend(from: root) { $0.count - 1 }
    return settleBackward()
  }

  /// Moves to the first entry whose key is not before `key`.
  public func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard let root = try start() else { return false }
    let key = MemoryKey(key)
    descend(from: root) { $0.height > 0 ? $0.child(for: key) : $0.position(of: key).index }
    return settleForward()
  }

  /// Moves to the next entry.
  ///
  /// - Throws: ``StorageError/Code/transactionClosed`` if something was written since the last seek.
  public func next() throws(StorageError) -> Bool {
    try check()
    guard !path.isEmpty else { return false }
    path[path.count - 1].index += 1
    return settleForward()
  }

  /// Moves to the previous entry.
  ///
  /// - Throws: ``StorageError/Code/transactionClosed`` if something was written since the last seek.
  public func previous() throws(StorageError) -> Bool {
    try check()
    guard !path.isEmpty else { return false }
    path[path.count - 1].index -= 1
    return settleBackward()
  }

  /// The current entry's key; empty if there is none.
  public var key: UnsafeRawBufferPointer {
    guard let level = current else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return level.node._withUnsafeGuaranteedRef { $0.entries[level.index].key }
  }

  /// The current entry's value; empty if there is none.
  public var value: UnsafeRawBufferPointer {
    guard let level = current else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return level.node._withUnsafeGuaranteedRef { $0.entries[level.index].value }
  }

  /// Lets the snapshot go.
  ///
  /// Idempotent.
  public func close() {
    snapshot = nil
    path.removeAll()
  }

  // MARK: Parts

  private var current: Level? {
    guard let snapshot, snapshot.changes == changes else { return nil }
    return path.last
  }

  private func check() throws(StorageError) {
    guard let snapshot, snapshot.changes == changes else { throw MemorySnapshot.closedError }
  }

  private func start() throws(StorageError) -> MemoryNode? {
    guard let snapshot, snapshot.isOpen else { throw MemorySnapshot.closedError }
    changes = snapshot.changes
    path.removeAll(keepingCapacity: true)
    return snapshot.content.trees[table.number].root
  }

  private func descend(from root: MemoryNode, _ choose: (MemoryNode) -> Int) {
    var node = Unmanaged.passUnretained(root)
    while true {
      let (index, child) = node._withUnsafeGuaranteedRef { node in
        let index = choose(node)
        return (
          index, node.height > 0 ? Unmanaged.passUnretained(node.children[index]) : nil
        )
      }
      path.append(Level(node: node, index: index))
      guard let child else { return }
      node = child
    }
  }

  /// Moves on from behind a leaf's last entry to the next leaf's first.
  @inline(__always)
  private func settleForward() -> Bool {
    guard let level = path.last else { return false }
    if level.index < level.node._withUnsafeGuaranteedRef({ $0.count }) { return true }
    return climbForward()
  }

  private func climbForward() -> Bool {
    while let level = path.last {
      let (count, isLeaf) = level.node._withUnsafeGuaranteedRef { ($0.count, $0.height == 0) }
      if level.index < count {
        if isLeaf { return true }
        let child = level.node._withUnsafeGuaranteedRef {
          Unmanaged.passUnretained($0.children[level.index])
        }
        path.append(Level(node: child, index: 0))
      } else {
        path.removeLast()
        if !path.isEmpty { path[path.count - 1].index += 1 }
      }
    }
    return false
  }

  /// Moves on from before a leaf's first entry to the previous leaf's last.
  @inline(__always)
  private func settleBackward() -> Bool {
    guard let level = path.last else { return false }
    if level.index >= 0, level.node._withUnsafeGuaranteedRef({ $0.height == 0 }) { return true }
    return climbBackward()
  }

  private func climbBackward() -> Bool {
    while let level = path.last {
      if level.index >= 0 {
        let child = level.node._withUnsafeGuaranteedRef { node in
          node.height > 0 ? Unmanaged.passUnretained(node.children[level.index]) : nil
        }
        guard let child else { return true }
        path.append(
          Level(node: child, index: child._withUnsafeGuaranteedRef { $0.count } - 1)
        )
      } else {
        path.removeLast()
        if !path.isEmpty { path[path.count - 1].index -= 1 }
      }
    }
    return false
  }
}
