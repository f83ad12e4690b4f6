internal import Holdfast

/// A walk over all pages that LMDB's trees refer to, to see that each lies within the file.
///
/// LMDB does not write a page that its transaction freed again, so a sound file may be shorter than
/// its last page says. O(pages), which is why only such files are walked.
struct PageWalk {
  /// The size of a page in bytes.
  let pageSize: Int
  /// The number of whole pages in the file.
  let pages: UInt64

  private static let headerSize = 16
  private static let branchFlag: UInt16 = 0x01
  private static let leafFlag: UInt16 = 0x02
  private static let overflowFlag: UInt16 = 0x04
  private static let fixedLeafFlag: UInt16 = 0x20
  private static let bigDataFlag: UInt16 = 0x01
  private static let subTreeFlag: UInt16 = 0x02

  /// Walks the trees.
  ///
  /// - Throws: `StorageError.Code.corrupt` if a page is missing or makes no sense.
  func walk(_ trees: [DataFile.Tree], in file: borrowing DataFile) throws(StorageError) {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
    defer { page.deallocate() }
    var pending = trees.map(\.root).filter { $0 != DataFile.noPage }
    var visited: UInt64 = 0
    while let number = pending.popLast() {
      visited += 1
      // More visits than pages mean a circle.
      guard visited <= pages, try read(number, page, in: file) else {
        throw file.damage("page \(number) is missing")
      }
      let flags = load(page, 10, UInt16.self)
      if flags & Self.overflowFlag != 0 {
        let count = UInt64(load(page, 12, UInt32.self))
        guard count <= pages - number else { throw file.damage("a long value was cut") }
      } else if flags & (Self.branchFlag | Self.leafFlag) != 0 {
        guard collect(page, flags, &pending) else {
          throw file.damage("page \(number) makes no sense")
        }
      } else {
        throw file.damage("page \(number) is of an unknown kind")
      }
    }
  }

  /// Whether a tree's root is a page that can be its root.
  func isRoot(_ tree: DataFile.Tree, in file: borrowing DataFile) throws(StorageError) -> Bool {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
    defer { page.deallocate() }
    guard try read(tree.root, page, in: file) else { return false }
    let flags = load(page, 10, UInt16.self)
    let entries = (Int(load(page, 12, UInt16.self)) - Self.headerSize) / 2
    // A branch leads to two pages at least.
    let isKind =
      tree.depth == 1
      ? flags & Self.leafFlag != 0 : flags & Self.branchFlag != 0 && entries > 1
    var pending: [UInt64] = []
    return isKind && collect(page, flags, &pending)
  }

  /// Reads a page; false if the file lacks it or it is another page.
  private func read(
    _ number: UInt64,
    _ page: UnsafeMutableRawBufferPointer,
    in file: borrowing DataFile
  ) throws(StorageError) -> Bool {
    guard number >= 2, number < pages else { return false }
    guard try file.read(page, at: Int(number) * pageSize) == pageSize else { return false }
    return load(page, 0, UInt64.self) == number
  }

  /// Adds the pages that a branch or leaf refers to; false if the page makes no sense.
  private func collect(
    _ page: UnsafeMutableRawBufferPointer,
    _ flags: UInt16,
    _ pending: inout [UInt64]
  ) -> Bool {
    if flags & Self.fixedLeafFlag != 0 { return true }
    let lower = Int(load(page, 12, UInt16.self))
    guard lower >= Self.headerSize, lower <= pageSize else { return false }
    for slot in stride(from: Self.headerSize, to: lower, by: 2) {
      let node = Int(load(page, slot, UInt16.self))
      guard node >= lower, node + 8 <= pageSize else { return false }
      let low = UInt64(load(page, node, UInt16.self))
      let high = UInt64(load(page, node + 2, UInt16.self))
      let nodeFlags = load(page, node + 4, UInt16.self)
      if flags & Self.branchFlag != 0 {
        pending.append(low | high << 16 | UInt64(nodeFlags) << 32)
        continue
      }
      let data = node + 8 + Int(load(page, node + 6, UInt16.self))
      let isElsewhere = nodeFlags & Self.bigDataFlag != 0
      guard data + (isElsewhere ? 8 : Int(low | high << 16)) <= pageSize else { return false }
      if isElsewhere {
        pending.append(load(page, data, UInt64.self))
      } else if nodeFlags & Self.subTreeFlag != 0 {
        guard data + 48 <= pageSize else { return false }
        let root = load(page, data + 40, UInt64.self)
        if root != DataFile.noPage { pending.append(root) }
      }
    }
    return true
  }

  private func load<T: BitwiseCopyable>(
    _ page: UnsafeMutableRawBufferPointer,
    _ offset: Int,
    _ type: T.Type
  ) -> T {
    page.loadUnaligned(fromByteOffset: offset, as: type)
  }
}
