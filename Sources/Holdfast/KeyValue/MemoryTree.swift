/// An ordered map from bytes to bytes: a B+tree whose copies share all nodes until one is changed.
///
/// Copying is O(1). get, put and remove are O(log n); what a writer changes that no copy shares is
/// changed in place.
struct MemoryTree: @unchecked Sendable {
  // Unchecked: nodes that two copies share are never changed.
  private(set) var root: MemoryNode?
  /// The number of entries.
  private(set) var count = 0

  init() {}

  /// The value of a key, valid until the tree that holds it is changed or released.
  func get(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let root else { return nil }
    let key = MemoryKey(bytes)
    var node = Unmanaged.passUnretained(root)
    while true {
      enum Step {
        case down(Unmanaged<MemoryNode>)
        case done(UnsafeRawBufferPointer?)
      }
      let step: Step = node._withUnsafeGuaranteedRef { node in
        if node.height > 0 {
          return .down(Unmanaged.passUnretained(node.children[node.child(for: key)]))
        }
        let (index, isFound) = node.position(of: key)
        return .done(isFound ? node.entries[index].value : nil)
      }
      switch step {
      case .down(let child): node = child
      case .done(let value): return value
      }
    }
  }

  /// Sets the value of a key.
  ///
  /// A value that is there is replaced if `replaces` says so.
  ///
  /// - Returns: whether the key was there.
  @discardableResult
  mutating func put(
    _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer,
    replaces: Bool = true
  ) -> Bool {
    guard root != nil else {
      let leaf = MemoryNode(height: 0)
      leaf.insert(MemoryEntry.make(key, value), nil, at: 0)
      root = leaf
      count = 1
      return false
    }
    switch Self.put(MemoryKey(key), value, replaces, into: &root) {
    case .wasThere: return true
    case .added: break
    case .split(let separator, let right):
      guard let left = root else { break }
      let branch = MemoryNode(height: left.height + 1)
      branch.insert(separator, left, at: 0)
      branch.insert(separator, right, at: 1)
      root = branch
    }
    count += 1
    return false
  }

  /// Removes a key.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ key: UnsafeRawBufferPointer) -> Bool {
    guard get(key) != nil else { return false }
    Self.remove(MemoryKey(key), from: &root)
    count -= 1
    while let node = root, node.height > 0, node.count == 1 { root = node.children[0] }
    if root?.count == 0 { root = nil }
    return true
  }

  // MARK: Parts

  private enum Outcome {
    case wasThere
    case added
    case split(separator: MemoryEntry, right: MemoryNode)
  }

  @inline(__always)
  private static func makeUnique(_ node: inout MemoryNode) {
    if !isKnownUniquelyReferenced(&node) { node = node.copy() }
  }

  private static func put(
    _ key: MemoryKey,
    _ value: UnsafeRawBufferPointer,
    _ replaces: Bool,
    into root: inout MemoryNode?
  ) -> Outcome {
    guard var node = root.take() else { return .added }
    defer { root = node }
    return put(key, value, replaces, into: &node)
  }

  private static func put(
    _ key: MemoryKey,
    _ value: UnsafeRawBufferPointer,
    _ replaces: Bool,
    into node: inout MemoryNode
  ) -> Outcome {
    makeUnique(&node)
    if node.height > 0 {
      let index = node.child(for: key)
      let outcome = put(key, value, replaces, into: &node.children[index])
      guard case .split(let separator, let right) = outcome else { return outcome }
      return add(separator, right, at: index + 1, to: node)
    }
    let (index, isFound) = node.position(of: key)
    if isFound {
      if replaces { node.replaceEntry(at: index, with: MemoryEntry.make(key.bytes, value)) }
      return .wasThere
    }
    return add(MemoryEntry.make(key.bytes, value), nil, at: index, to: node)
  }

  private static func add(
    _ entry: MemoryEntry,
    _ child: MemoryNode?,
    at index: Int,
    to node: MemoryNode
  ) -> Outcome {
    if node.count < MemoryNode.capacity {
      node.insert(entry, child, at: index)
      return .added
    }
    // Entries that arrive in ascending order leave full nodes behind.
    let middle = index == node.count ? node.count - 1 : node.count / 2
    let right = node.split(at: middle)
    if index < middle {
      node.insert(entry, child, at: index)
    } else {
      right.insert(entry, child, at: index - middle)
    }
    let first = right.entries[0]
    let separator =
      right.height > 0 ? first : MemoryEntry.make(first.key, .init(start: nil, count: 0))
    return .split(separator: separator, right: right)
  }

  private static func remove(_ key: MemoryKey, from root: inout MemoryNode?) {
    guard var node = root.take() else { return }
    remove(key, from: &node)
    root = node
  }

  private static func remove(_ key: MemoryKey, from node: inout MemoryNode) {
    makeUnique(&node)
    guard node.height > 0 else {
      let (index, isFound) = node.position(of: key)
      if isFound { node.remove(at: index) }
      return
    }
    let index = node.child(for: key)
    remove(key, from: &node.children[index])
    if node.children[index].count < MemoryNode.minimum, node.count > 1 {
      refill(node, index)
    }
  }

  /// Joins a child that has become small with a neighbour, or evens them out.
  private static func refill(_ node: MemoryNode, _ index: Int) {
    let leftIndex = index > 0 ? index - 1 : 0
    makeUnique(&node.children[leftIndex])
    makeUnique(&node.children[leftIndex + 1])
    let left = node.children[leftIndex]
    let right = node.children[leftIndex + 1]
    if right.height > 0, right.count > 0 {
      right.replaceEntry(at: 0, with: node.entries[leftIndex + 1])
    }
    let total = left.count + right.count
    if total <= MemoryNode.capacity {
      left.take(from: right, at: 0, count: right.count, to: left.count)
      node.remove(at: leftIndex + 1)
      return
    }
    let target = total / 2
    if left.count < target {
      left.take(from: right, at: 0, count: target - left.count, to: left.count)
    } else {
      let moved = left.count - target
      right.take(from: left, at: target, count: moved, to: 0)
    }
    let first = right.entries[0]
    node.replaceEntry(
      at: leftIndex + 1,
      with: right.height > 0 ? first : MemoryEntry.make(first.key, .init(start: nil, count: 0))
    )
  }
}
