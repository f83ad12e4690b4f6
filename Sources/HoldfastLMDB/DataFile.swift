import CLMDB
internal import Foundation
internal import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The file `data.mdb`, read without LMDB to see whether LMDB may map it.
///
/// LMDB maps a file that was cut and dies of SIGBUS when it touches what is missing. The layout is
/// LMDB 0.9's: two meta pages, each a page header of 16 bytes and the meta record.
struct DataFile: ~Copyable {
  /// The newer meta page's facts.
  struct Meta {
    var pageSize: Int
    var lastPage: UInt64
    var transaction: UInt64
    /// The tree of free pages and the tree of tables.
    var trees: [Tree]
    /// Whether the other meta page is of the commit before, as it is unless syncing was off.
    var isPaired = true
  }

  /// A tree as a meta page describes it.
  struct Tree {
    var flags: UInt16
    var depth: UInt16
    var root: UInt64

    /// Reads a tree's record.
    init(_ bytes: UnsafeRawBufferPointer) {
      flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
      depth = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
      root = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }
  }

  /// The root of a tree without pages.
  static let noPage = UInt64.max
  /// The largest file of which every leaf page is looked at when it is opened, which takes about a
  /// tenth of a second where the system has the file in memory.
  private static let deepSize = 256 << 20
  private static let unlockedLooks = 2
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let version: UInt32 = 1
  private static let metaEnd = 16 + 136
  private static let metaPageFlag: UInt16 = 0x08
  private static let integerKeyFlag: UInt16 = 0x08
  /// LMDB writes here, too, that the environment was created as a file without a folder.
  private static let noFolderFlag: UInt16 = 0x4000

  let path: String
  private let descriptor: Int32

  /// Opens the file for reading.
  init(path: String) throws(StorageError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .system(errno, "opening", path) }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Checks that LMDB can follow its trees: all pages of a small file, else the branch pages.
  ///
  /// - Parameter settle: called if the first looks find something odd: commits under way, or damage.
  ///   It takes the writers' lock while the trees are walked to tell which.
  /// - Throws: `StorageError.Code.wrongKind`, `StorageError.Code.corrupt`,
  ///   `StorageError.Code.newerFormat`.
  borrowing func check(
    settle: (() throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    for _ in 0..<Self.unlockedLooks where (try? walk()) != nil { return }
    let path = path
    try settle { () throws(StorageError) in try DataFile(path: path).walk() }
  }

  private borrowing func walk() throws(StorageError) {
    let meta = try readMeta()
    let isSmall = try neededSize(meta) <= Self.deepSize
    let isWhole = try size() >= neededSize(meta)
    var walk = try walk(meta, isDeep: !meta.isPaired || !isWhole || isSmall)
    try walk.walk(meta, in: self)
  }

  /// A walk over the pages that a meta page leads to.
  borrowing func walk(_ meta: Meta, isDeep: Bool = true) throws(StorageError) -> PageWalk {
    let held = try min(size(), neededSize(meta)) / meta.pageSize
    return PageWalk(
      pageSize: meta.pageSize,
      pages: UInt64(held),
      knownPages: meta.lastPage + 1,
      isDeep: isDeep
    )
  }

  /// The meta page of a commit; nil if later commits have written over it.
  ///
  /// - Throws: `StorageError.Code.corrupt`.
  borrowing func meta(of commit: Int) throws(StorageError) -> Meta? {
    try metas().first { $0.transaction == UInt64(commit) }
  }

  /// The number of the newest commit.
  borrowing func newestCommit() throws(StorageError) -> Int { Int(try readMeta().transaction) }

  /// The file's size in bytes.
  borrowing func size() throws(StorageError) -> Int { Int(try examine().size) }

  /// The state of the file, to compare with that at its last closing.
  borrowing func state() throws(StorageError) -> DataFileState {
    try DataFileState(examine(), commit: newestCommit())
  }

  private borrowing func examine() throws(StorageError) -> holdfast_file {
    var file = holdfast_file()
    let status = holdfast_examine_open(descriptor, &file)
    if status != 0 { throw .system(status, "examining", path) }
    return file
  }

  /// Reads `buffer.count` bytes; fewer at the file's end.
  borrowing func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError)
    -> Int
  {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = pread(descriptor, base + filled, buffer.count - filled, off_t(offset + filled))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(errno, "reading", path) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  private borrowing func neededSize(_ meta: Meta) throws(StorageError) -> Int {
    let (bytes, overflow) = (meta.lastPage &+ 1).multipliedReportingOverflow(
      by: UInt64(meta.pageSize)
    )
    guard meta.lastPage < UInt64.max, !overflow, let size = Int(exactly: bytes) else {
      throw damage("its meta page is damaged")
    }
    return size
  }

  /// The meta page of the newest commit.
  private borrowing func readMeta() throws(StorageError) -> Meta {
    let metas = try metas()
    var newer = metas[1].transaction > metas[0].transaction ? metas[1] : metas[0]
    let numbers = metas.map(\.transaction).sorted()
    newer.isPaired = numbers[1] - numbers[0] <= 1
    return newer
  }

  private borrowing func metas() throws(StorageError) -> [Meta] {
    if try size() == 0 { throw damage("it is empty") }
    let first = try readMeta(at: 0, isFirst: true)
    let second = try readMeta(at: first.pageSize, isFirst: false)
    // Commits write the two in turn; a new store has two of number 0.
    guard second.pageSize == first.pageSize, first.transaction & 1 == 0,
      second.transaction & 1 == 1 || (second.transaction == 0 && first.transaction == 0)
    else { throw damage("its meta pages contradict each other") }
    return [first, second]
  }

  private borrowing func readMeta(at offset: Int, isFirst: Bool) throws(StorageError) -> Meta {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.metaEnd, alignment: 8)
    defer { bytes.deallocate() }
    let count = try read(bytes, at: offset)
    let isMagic = count >= 20 && bytes.load(fromByteOffset: 16, as: UInt32.self) == Self.magic
    guard isMagic else {
      if !isFirst { throw damage("its second meta page is damaged") }
      throw StorageError(
        .wrongKind,
        "\(path) is not an LMDB data file; choose another path",
        backend: "lmdb"
      )
    }
    guard count == Self.metaEnd else { throw damage("it was cut") }
    let version = bytes.load(fromByteOffset: 20, as: UInt32.self)
    if version > Self.version {
      throw StorageError(
        .newerFormat,
        "\(path) has LMDB's format \(version); use a newer version of LMDB",
        backend: "lmdb"
      )
    }
    let pageSize = Int(bytes.load(fromByteOffset: 40, as: UInt32.self))
    let lastPage = bytes.load(fromByteOffset: 136, as: UInt64.self)
    let trees = [40, 88].map { offset in
      Tree(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 48]))
    }
    let areTreesSound = trees.allSatisfy { tree in
      if tree.root == Self.noPage { return tree.depth == 0 }
      return tree.root >= 2 && tree.root <= lastPage && (1...32).contains(tree.depth)
    }
    // The tree of free pages has integer keys; the tree of tables nothing special, and a map at a
    // fixed address, which would be a flag of the former, could land on this process's memory.
    let transaction = bytes.load(fromByteOffset: 144, as: UInt64.self)
    guard version == Self.version, transaction < UInt64(Int.max), (512...65536).contains(pageSize),
      pageSize & (pageSize - 1) == 0, trees[0].flags & ~Self.noFolderFlag == Self.integerKeyFlag,
      trees[1].flags == 0,
      areTreesSound, bytes.load(fromByteOffset: 10, as: UInt16.self) & Self.metaPageFlag != 0
    else { throw damage("a meta page is damaged") }
    return Meta(
      pageSize: pageSize,
      lastPage: lastPage,
      transaction: transaction,
      trees: trees
    )
  }

  /// Gives the newest commit of a copy that LMDB made another number.
  ///
  /// Both meta pages then describe it, as this commit and as the one before.
  ///
  /// - Parameters:
  ///   - descriptor: the copy, open for reading and writing.
  ///   - path: its path, for errors.
  ///   - commit: the number, above 0.
  /// - Throws: `StorageError.Code.corrupt` if LMDB's copy makes no sense; what the system reports.
  static func renumber(_ descriptor: Int32, _ path: String, to commit: Int) throws(StorageError) {
    let file = try DataFile(path: path)
    let meta = try file.readMeta()
    let record = UnsafeMutableRawBufferPointer.allocate(
      byteCount: metaEnd - DataPage.headerSize,
      alignment: 8
    )
    defer { record.deallocate() }
    let source = Int(meta.transaction & 1) * meta.pageSize + DataPage.headerSize
    guard try file.read(record, at: source) == record.count else { throw file.damage("it was cut") }
    for page in 0...1 {
      let number = UInt64(commit & 1 == page ? commit : commit - 1)
      record.storeBytes(of: number, toByteOffset: 144 - DataPage.headerSize, as: UInt64.self)
      let offset = off_t(page * meta.pageSize + DataPage.headerSize)
      guard pwrite(descriptor, record.baseAddress, record.count, offset) == record.count else {
        throw .system(errno, "writing", path)
      }
    }
  }

  /// An error of damage.
  borrowing func damage(_ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is damaged: \(what); restore a backup", backend: "lmdb")
  }
}
