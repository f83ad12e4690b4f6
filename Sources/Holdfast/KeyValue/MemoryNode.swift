/// A node of a copy-on-write B+tree: a leaf of entries, or a branch of children.
///
/// A node that more than one tree refers to is never changed; a writer copies it first.
final class MemoryNode {
  static let capacity = 64
  /// Below this a node is joined with a neighbour, or filled from it.
  static let minimum = 16

  /// 0 for a leaf.
  let height: Int
  private(set) var count = 0
  /// ``MemoryKey/prefix(of:)`` of each entry.
  let prefixes: UnsafeMutablePointer<UInt64>
  /// A leaf's entries; a branch's lower bounds of its children, the first of which is not looked at.
  let entries: UnsafeMutablePointer<MemoryEntry>
  /// A branch's children.
  let children: UnsafeMutablePointer<MemoryNode>

  init(height: Int) {
    self.height = height
    prefixes = .allocate(capacity: Self.capacity)
    entries = .allocate(capacity: Self.capacity)
    children = .allocate(capacity: height == 0 ? 0 : Self.capacity)
  }

  deinit {
    entries.deinitialize(count: count)
    if height > 0 { children.deinitialize(count: count) }
    prefixes.deallocate()
    entries.deallocate()
    children.deallocate()
  }

  func copy() -> MemoryNode {
    let copy = MemoryNode(height: height)
    copy.prefixes.initialize(from: prefixes, count: count)
    copy.entries.initialize(from: entries, count: count)
    if height > 0 { copy.children.initialize(from: children, count: count) }
    copy.count = count
    return copy
  }

  // MARK: Searching

  /// Orders entry `index` against a key.
  @inline(__always)
  private func compare(_ index: Int, _ key: MemoryKey) -> Int {
    let prefix = prefixes[index]
    if prefix != key.prefix { return prefix < key.prefix ? -1 : 1 }
    return Bytes.compare(entries[index].key, key.bytes)
  }

  /// The first entry of a leaf that is not before `key`, and whether it is equal.
  @inline(__always)
  func position(of key: MemoryKey) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let order = compare(middle, key)
      if order < 0 {
        low = middle + 1
      } else if order == 0 {
        return (middle, true)
      } else {
        high = middle
      }
    }
    return (low, false)
  }

  /// The child of a branch in whose range `key` is.
  @inline(__always)
  func child(for key: MemoryKey) -> Int {
    var low = 1
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if compare(middle, key) <= 0 { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  // MARK: Changing, for a node of one owner

  func insert(_ entry: MemoryEntry, _ child: MemoryNode?, at index: Int) {
    let moved = count - index
    (prefixes + index + 1).update(from: prefixes + index, count: moved)
    (entries + index + 1).moveInitialize(from: entries + index, count: moved)
    prefixes[index] = MemoryKey.prefix(of: entry.key)
    (entries + index).initialize(to: entry)
    if let child {
      (children + index + 1).moveInitialize(from: children + index, count: moved)
      (children + index).initialize(to: child)
    }
    count += 1
  }

  func remove(at index: Int) {
    let moved = count - index - 1
    (entries + index).deinitialize(count: 1)
    (prefixes + index).update(from: prefixes + index + 1, count: moved)
    (entries + index).moveInitialize(from: entries + index + 1, count: moved)
    if height > 0 {
      (children + index).deinitialize(count: 1)
      (children + index).moveInitialize(from: children + index + 1, count: moved)
    }
    count -= 1
  }

  func replaceEntry(at index: Int, with entry: MemoryEntry) {
    entries[index] = entry
    prefixes[index] = MemoryKey.prefix(of: entry.key)
  }

  /// Moves what is at `index` and behind into a new node.
  func split(at index: Int) -> MemoryNode {
    let right = MemoryNode(height: height)
    right.take(from: self, at: index, count: count - index, to: 0)
    return right
  }

  /// Moves `moved` items of `other`, from `start` on, to `target` in this node, closing
  /// the hole that they leave.
  func take(from other: MemoryNode, at start: Int, count moved: Int, to target: Int) {
    let behind = count - target
    if behind > 0 {
      (prefixes + target + moved).update(from: prefixes + target, count: behind)
      (entries + target + moved).moveInitialize(from: entries + target, count: behind)
      if height > 0 {
        (children + target + moved).moveInitialize(from: children + target, count: behind)
      }
    }
    (prefixes + target).update(from: other.prefixes + start, count: moved)
    (entries + target).moveInitialize(from: other.entries + start, count: moved)
    if height > 0 {
      (children + target).moveInitialize(from: other.children + start, count: moved)
    }
    count += moved
    let rest = other.count - start - moved
    if rest > 0 {
      (other.prefixes + start).update(from: other.prefixes + start + moved, count: rest)
      (other.entries + start).moveInitialize(from: other.entries + start + moved, count: rest)
      if height > 0 {
        (other.children + start).moveInitialize(from: other.children + start + moved, count: rest)
      }
    }
    other.count -= moved
  }
}
