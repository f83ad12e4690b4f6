/// A branch or leaf page of LMDB 0.9, read without LMDB.
///
/// A header of 16 bytes (number, pad, flags, lower and upper end of the free space), the offsets of
/// the nodes, and the nodes at the end. Borrows its bytes.
struct DataPage {
  /// An entry of a page.
  struct Node {
    /// What a leaf's node holds.
    enum Kind {
      case inline
      /// A long value, in pages of its own.
      case elsewhere(page: UInt64, size: Int)
      case tree(DataFile.Tree)
      /// Several values for one key.
      case values
    }

    var kind: Kind
    var key: UnsafeRawBufferPointer
    /// A leaf's value.
    var data: UnsafeRawBufferPointer
    /// The page that a branch's node leads to.
    var child: UInt64
  }

  static let headerSize = 16
  private static let nodeSize = 8
  private static let branchFlag: UInt16 = 0x01
  private static let leafFlag: UInt16 = 0x02
  private static let overflowFlag: UInt16 = 0x04
  private static let fixedLeafFlag: UInt16 = 0x20
  private static let treeSize = 48

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The page's own number.
  var number: UInt64 { bytes.loadUnaligned(as: UInt64.self) }
  /// Whether the page holds bare keys of one size, as some trees of other programs do.
  var hasFixedEntries: Bool { flags & Self.fixedLeafFlag != 0 }
  /// How many entries the page has.
  var count: Int { (lower - Self.headerSize) / 2 }

  private var flags: UInt16 { load(10) }
  private var lower: Int { Int(load(12)) }
  private var upper: Int { Int(load(14)) }

  /// Whether the header is that of a page of this kind, and the nodes fit.
  func isSound(isLeaf: Bool, _ mayBeFixed: Bool) -> Bool {
    if isLeaf, mayBeFixed, flags == Self.leafFlag | Self.fixedLeafFlag { return true }
    guard flags == (isLeaf ? Self.leafFlag : Self.branchFlag), lower >= Self.headerSize,
      lower % 2 == 0, lower <= upper, upper <= bytes.count, count >= (isLeaf ? 1 : 2)
    else { return false }
    return true
  }

  /// Whether an entry of a leaf is sound and its value in the page, told in less time than by
  /// ``node(_:)``.
  func isInline(_ index: Int) -> Bool {
    let offset = Int(load(Self.headerSize + index * 2))
    guard offset >= upper, offset + Self.nodeSize <= bytes.count, load(offset + 4) == 0 else {
      return false
    }
    let keySize = Int(load(offset + 6))
    let size = Int(load(offset)) | Int(load(offset + 2)) << 16
    return keySize > 0 && offset + Self.nodeSize + keySize + size <= bytes.count
  }

  /// An entry; nil if it makes no sense.
  func node(_ index: Int) -> Node? {
    let offset = Int(load(Self.headerSize + index * 2))
    guard offset >= upper, offset + Self.nodeSize <= bytes.count else { return nil }
    let low = load(offset)
    let high = load(offset + 2)
    let nodeFlags = load(offset + 4)
    let keyEnd = offset + Self.nodeSize + Int(load(offset + 6))
    guard keyEnd <= bytes.count else { return nil }
    let key = UnsafeRawBufferPointer(rebasing: bytes[offset + Self.nodeSize..<keyEnd])
    if flags & Self.branchFlag != 0 {
      let child = UInt64(low) | UInt64(high) << 16 | UInt64(nodeFlags) << 32
      return Node(kind: .inline, key: key, data: key, child: child)
    }
    let size = Int(low) | Int(high) << 16
    // A long value leaves the number of its first page.
    let isElsewhere = nodeFlags == 0x01
    guard !key.isEmpty, keyEnd + (isElsewhere ? 8 : size) <= bytes.count else { return nil }
    let data = UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<keyEnd + (isElsewhere ? 8 : size)])
    switch nodeFlags {
    case 0: return Node(kind: .inline, key: key, data: data, child: 0)
    case 0x01:
      let page = data.loadUnaligned(as: UInt64.self)
      return Node(kind: .elsewhere(page: page, size: size), key: key, data: data, child: 0)
    case 0x02, 0x06:
      guard size == Self.treeSize else { return nil }
      return Node(kind: .tree(DataFile.Tree(data)), key: key, data: data, child: 0)
    case 0x04: return Node(kind: .values, key: key, data: data, child: 0)
    default: return nil
    }
  }

  /// The number of pages of a long value by its first page's header; nil if that is not one.
  static func overflowCount(_ header: UnsafeRawBufferPointer, number: UInt64) -> UInt64? {
    guard header.loadUnaligned(as: UInt64.self) == number,
      header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == overflowFlag
    else { return nil }
    let count = UInt64(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    return count > 0 ? count : nil
  }

  private func load(_ offset: Int) -> UInt16 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }
}
