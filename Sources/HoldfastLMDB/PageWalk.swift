internal import Holdfast

/// A walk over the pages that LMDB's trees refer to, to see that LMDB can follow them.
///
/// LMDB keeps no checksums, follows what a page says, and ends the process where that leads nowhere.
/// Every branch page is looked at; leaf pages of records are left out of a shallow walk.
struct PageWalk {
  /// The size of a page in bytes.
  let pageSize: Int
  /// The number of whole pages in the file.
  let pages: UInt64
  /// The number of pages that the meta page knows; the file may lack freed ones at its end.
  let knownPages: UInt64
  /// Whether every leaf page is looked at.
  let isDeep: Bool

  /// Whether the keys of pages are compared, too.
  private var checksOrder = false
  private var pending: [Visit] = []
  private var used: PageSet
  private var freed: PageSet

  private static let duplicatesFlag: UInt16 = 0x04
  private static let persistentFlags: UInt16 = 0x7E

  /// What a tree is for, which decides what its leaves hold.
  private enum Role {
    case free
    case tables
    case records
    /// A tree of another program, with an order of its own.
    case others
    /// A tree of another program, with several values for a key.
    case duplicates
  }

  private struct Visit {
    var page: UInt64
    var level: UInt16
    var depth: UInt16
    var role: Role
  }

  init(pageSize: Int, pages: UInt64, knownPages: UInt64, isDeep: Bool) {
    self.pageSize = pageSize
    self.pages = pages
    self.knownPages = knownPages
    self.isDeep = isDeep
    used = PageSet(count: pages)
    freed = PageSet(count: pages)
  }

  /// Walks the trees of a meta page.
  ///
  /// - Throws: `StorageError.Code.corrupt` if a page is missing or makes no sense.
  mutating func walk(_ meta: DataFile.Meta, in file: borrowing DataFile) throws(StorageError) {
    try walk(meta, in: file) { (fault) throws(StorageError) in throw fault }
  }

  /// Walks the trees of a meta page and collects what makes no sense, up to a hundred faults.
  ///
  /// - Parameters:
  ///   - meta: the meta page.
  ///   - file: the file.
  ///   - isFirstEnough: whether to stop at the first.
  ///   - notes: takes what is no fault.
  /// - Returns: an error of each fault.
  /// - Throws: nothing of what it finds.
  mutating func faults(
    _ meta: DataFile.Meta,
    in file: borrowing DataFile,
    isFirstEnough: Bool,
    notes: ((String) -> Void)?
  ) throws(StorageError) -> [StorageError] {
    var faults: [StorageError] = []
    let limit = isFirstEnough ? 1 : 100
    checksOrder = true
    try walk(meta, in: file) { (fault) throws(StorageError) in
      faults.append(fault)
      return faults.count < limit
    }
    let lost = used.gaps(with: freed, in: 2..<pages)
    if faults.isEmpty, lost > 0 {
      notes?("\(lost) pages of \(file.path) are neither used nor free")
    }
    return faults
  }

  /// Walks on after a fault while `report` says so.
  private mutating func walk(
    _ meta: DataFile.Meta,
    in file: borrowing DataFile,
    _ report: (StorageError) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
    defer { memory.deallocate() }
    for (tree, role) in zip(meta.trees, [Role.free, .tables]) where tree.root != DataFile.noPage {
      pending.append(Visit(page: tree.root, level: 1, depth: tree.depth, role: role))
    }
    while let visit = pending.popLast() {
      do throws(StorageError) {
        try look(visit, memory, in: file)
      } catch {
        if try !report(error) { return }
      }
    }
    if used.intersects(freed) { _ = try report(file.damage("a page in use is listed as free")) }
  }

  private mutating func look(
    _ visit: Visit,
    _ memory: UnsafeMutableRawBufferPointer,
    in file: borrowing DataFile
  ) throws(StorageError) {
    let isLeaf = visit.level == visit.depth
    guard visit.page >= 2, visit.page < pages else {
      throw file.damage("page \(visit.page) is missing")
    }
    guard used.insert(visit.page) else { throw file.damage("page \(visit.page) is used twice") }
    if isLeaf, !isDeep, visit.role == .records || visit.role == .others { return }
    guard try file.read(memory, at: Int(visit.page) * pageSize) == pageSize else {
      throw file.damage("page \(visit.page) is missing")
    }
    let page = DataPage(UnsafeRawBufferPointer(memory))
    guard page.number == visit.page, page.isSound(isLeaf: isLeaf, visit.role == .duplicates)
    else { throw file.damage("page \(visit.page) makes no sense") }
    if page.hasFixedEntries { return }
    var last: UnsafeRawBufferPointer?
    let isPlain = isLeaf && visit.role == .records && !checksOrder
    for entry in 0..<page.count {
      if isPlain, page.isInline(entry) { continue }
      guard let node = page.node(entry) else {
        throw file.damage("page \(visit.page) makes no sense")
      }
      // A branch's first key stands for everything below the second.
      if checksOrder, visit.role == .records, isLeaf || entry > 0 {
        if let last, !last.lexicographicallyPrecedes(node.key) {
          throw file.damage("the keys in page \(visit.page) are out of order")
        }
        last = node.key
      }
      if isLeaf {
        try enter(node, visit, in: file)
      } else {
        pending.append(
          Visit(page: node.child, level: visit.level + 1, depth: visit.depth, role: visit.role)
        )
      }
    }
  }

  /// Follows what an entry of a leaf refers to.
  private mutating func enter(
    _ node: DataPage.Node,
    _ visit: Visit,
    in file: borrowing DataFile
  ) throws(StorageError) {
    switch node.kind {
    case .inline where visit.role == .free:
      guard list(node.data) else { throw file.damage("its list of free pages is damaged") }
    case .inline: break
    case .elsewhere(let first, let size):
      let data = try overflow(first, size, isRead: visit.role == .free, in: file)
      defer { data?.deallocate() }
      if let data, !list(UnsafeRawBufferPointer(data)) {
        throw file.damage("its list of free pages is damaged")
      }
    case .tree(let tree) where visit.role == .tables:
      let isSound =
        tree.flags & ~Self.persistentFlags == 0
        && (tree.flags == 0 || !TableName.isOwn(node.key))
      guard isSound else { throw file.damage("a table's description is damaged") }
      try enter(tree, role(of: tree), in: file)
    case .tree(let tree) where visit.role == .duplicates:
      try enter(tree, .duplicates, in: file)
    case .values where visit.role == .duplicates: break
    case .tree, .values:
      throw file.damage("page \(visit.page) makes no sense")
    }
  }

  private func role(of tree: DataFile.Tree) -> Role {
    if tree.flags & Self.duplicatesFlag != 0 { return .duplicates }
    return tree.flags == 0 ? .records : .others
  }

  private mutating func enter(
    _ tree: DataFile.Tree,
    _ role: Role,
    in file: borrowing DataFile
  ) throws(StorageError) {
    if tree.root == DataFile.noPage, tree.depth == 0 { return }
    guard (1...32).contains(tree.depth) else {
      throw file.damage("a table's description is damaged")
    }
    pending.append(Visit(page: tree.root, level: 1, depth: tree.depth, role: role))
  }

  /// Looks at the pages of a long value.
  ///
  /// - Returns: the value, if it is asked for; to be deallocated.
  private mutating func overflow(
    _ first: UInt64,
    _ size: Int,
    isRead: Bool,
    in file: borrowing DataFile
  ) throws(StorageError) -> UnsafeMutableRawBufferPointer? {
    guard first >= 2, first < pages else { throw file.damage("page \(first) is missing") }
    let header = UnsafeMutableRawBufferPointer.allocate(
      byteCount: DataPage.headerSize,
      alignment: 16
    )
    defer { header.deallocate() }
    let offset = Int(first) * pageSize
    guard try file.read(header, at: offset) == header.count,
      let count = DataPage.overflowCount(UnsafeRawBufferPointer(header), number: first),
      count <= pages - first, size <= Int(count) * pageSize - DataPage.headerSize
    else { throw file.damage("the long value in page \(first) makes no sense") }
    for page in first..<first + count where !used.insert(page) {
      throw file.damage("page \(page) is used twice")
    }
    if !isRead { return nil }
    let data = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    do throws(StorageError) {
      if try file.read(data, at: offset + DataPage.headerSize) == size { return data }
    } catch {
      data.deallocate()
      throw error
    }
    data.deallocate()
    throw file.damage("its list of free pages was cut")
  }

  /// Takes in a list of free pages: their count, then their numbers, the largest first.
  private mutating func list(_ data: UnsafeRawBufferPointer) -> Bool {
    guard data.count >= 8 else { return false }
    let count = data.loadUnaligned(as: UInt64.self)
    guard count < UInt64(data.count / 8) else { return false }
    var last = knownPages
    for index in 0..<Int(count) {
      let page = data.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self)
      guard page >= 2, page < last else { return false }
      last = page
      if page < pages, !freed.insert(page) { return false }
    }
    return true
  }
}

/// A set of page numbers, a bit each.
private struct PageSet {
  private var words: [UInt64]

  init(count: UInt64) { words = [UInt64](repeating: 0, count: Int(count / 64) + 1) }

  /// Adds a page; false if it was there.
  mutating func insert(_ page: UInt64) -> Bool {
    let word = Int(page / 64)
    let bit: UInt64 = 1 << (page % 64)
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  /// How many pages of a range are in neither set.
  func gaps(with other: PageSet, in range: Range<UInt64>) -> Int {
    var held = zip(words, other.words).reduce(0) { $0 + ($1.0 | $1.1).nonzeroBitCount }
    for page in 0..<min(range.lowerBound, range.upperBound) where holds(page) || other.holds(page) {
      held -= 1
    }
    return range.count - held
  }

  private func holds(_ page: UInt64) -> Bool { words[Int(page / 64)] >> (page % 64) & 1 == 1 }

  func intersects(_ other: PageSet) -> Bool {
    zip(words, other.words).contains { $0 & $1 != 0 }
  }
}

/// The names of the tables that Holdfast makes, as `KeyValueStorage` gives them.
private enum TableName {
  static func isOwn(_ name: UnsafeRawBufferPointer) -> Bool {
    if name.elementsEqual("catalog".utf8) || name.elementsEqual("sequence".utf8) { return true }
    guard let first = name.first, first == UInt8(ascii: "c") || first == UInt8(ascii: "i") else {
      return false
    }
    return name.count > 1 && name.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}
