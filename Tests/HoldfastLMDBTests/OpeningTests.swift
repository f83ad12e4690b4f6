import Foundation
import Holdfast
import HoldfastLMDB
import Testing

@Suite struct OpeningTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  private func options(_ change: (inout StorageOptions) -> Void) -> StorageOptions {
    var options = StorageOptions()
    options.timeout = .milliseconds(100)
    change(&options)
    return options
  }

  private func opening(_ path: String, _ options: StorageOptions = StorageOptions()) throws
    -> StorageError
  {
    try #require(throws: StorageError.self) { _ = try LMDBEngine(path: path, options: options) }
  }

  @Test func `a store that is missing is created only if asked for`() throws {
    #expect(try opening(path, options { $0.createsIfMissing = false }).code == .cannotOpen)
    #expect(try opening(path, options { $0.isReadOnly = true }).code == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try opening(path + "/deeper/still").code == .cannotOpen)
    try LMDBEngine(path: path).close()
    try LMDBEngine(path: path, options: options { $0.createsIfMissing = false }).close()
  }

  @Test func `other things at the path are named`() throws {
    let files = FileManager.default
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.path("text")))
    try Data("SQLite format 3\u{0}more".utf8).write(
      to: URL(fileURLWithPath: folder.path("app.db"))
    )
    try files.createDirectory(
      atPath: folder.path("archive"),
      withIntermediateDirectories: false
    )
    try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.path("archive/catalog.json")))
    try files.createDirectory(
      atPath: folder.path("odd/data.mdb"),
      withIntermediateDirectories: true
    )
    for (name, word) in [
      ("text", "file"), ("app.db", "SQLite"), ("archive", "archive"), ("odd", "data.mdb"),
      (".", "folder"),
    ] {
      let error = try opening(folder.path(name))
      #expect(error.code == .wrongKind)
      #expect(error.message.contains(word))
    }
    #expect(
      try files.contentsOfDirectory(atPath: folder.path("archive")) == ["catalog.json"]
    )
  }

  @Test func `opened twice it is one environment, through a link too`() throws {
    let first = try LMDBEngine(path: path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"),
      withDestinationPath: path
    )
    let second = try LMDBEngine(path: folder.path("link"))
    let table = try first.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("a", "1", in: table)
      return table
    }
    #expect(try second.openTable("c1") == table)
    #expect(try second.read { try $0.keys(in: table) } == ["a"])
    try first.close()
    try second.write { try $0.put("b", "2", in: table) }
    #expect(try second.read { try $0.keys(in: table) } == ["a", "b"])
    try second.close()
    #expect(try LMDBEngine(path: path).openTable("c1") != nil)
  }

  @Test func `other options while it is open are refused`() throws {
    let engine = try LMDBEngine(path: path)
    #expect(try opening(path, options { $0.durability = .none }).code == .alreadyOpen)
    #expect(try opening(path, options { $0.mapSize = 1 << 24 }).code == .alreadyOpen)
    #expect(try opening(path, options { $0.isReadOnly = true }).code == .alreadyOpen)
    try engine.close()
    try LMDBEngine(path: path, options: options { $0.durability = .none }).close()
  }

  @Test(arguments: StorageOptions.Durability.allCases)
  func `every durability keeps its commits over a close`(
    _ durability: StorageOptions.Durability
  ) throws {
    let options = options { $0.durability = durability }
    let engine = try LMDBEngine(path: path, options: options)
    try engine.write { writer in
      try writer.put("a", "1", in: try writer.createTable("c1"))
    }
    try engine.close()
    let again = try LMDBEngine(path: path, options: options)
    let table = try #require(try again.openTable("c1"))
    #expect(try again.read { try $0.value("a", in: table) } == "1")
  }

  @Test func `a second writer is busy after the timeout, through another engine too`() throws {
    let first = try LMDBEngine(path: path)
    let second = try LMDBEngine(path: path)
    let writer = try first.beginWriting(timeout: .seconds(1))
    let start = ContinuousClock.now
    #expect(code { _ = try second.beginWriting(timeout: .milliseconds(80)) } == .busy)
    #expect(ContinuousClock.now - start >= .milliseconds(80))
    try second.read { _ in }
    writer.end()
    try second.write { _ in }
  }

  @Test func `a writer of another process is waited for until the timeout`() throws {
    let engine = try LMDBEngine(path: path)
    // Another descriptor on the lock's file is to the system what another process is.
    let descriptor = open(path + "/write.lock", O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(code { _ = try engine.beginWriting(timeout: .milliseconds(80)) } == .busy)
    #expect(flock(descriptor, LOCK_UN) == 0)
    try engine.write { _ in }
  }

  @Test func `a read-only store reads and refuses to write`() throws {
    let engine = try LMDBEngine(path: path)
    try engine.write { writer in
      try writer.put("a", "1", in: try writer.createTable("c1"))
    }
    try engine.close()
    let reading = try LMDBEngine(path: path, options: options { $0.isReadOnly = true })
    let table = try #require(try reading.openTable("c1"))
    #expect(try reading.read { try $0.value("a", in: table) } == "1")
    #expect(code { _ = try reading.beginWriting(timeout: .zero) } == .readOnly)
  }

  @Test func `a store carried over a fork is refused in the child`() throws {
    typealias Fork = @convention(c) () -> pid_t
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let engine = try LMDBEngine(path: path)
    let reader = try engine.beginReading(timeout: .seconds(1))
    let child = fork()
    if child == 0 {
      let isRefused =
        code { _ = try engine.beginReading(timeout: .zero) } == .closed
        && code { _ = try engine.beginWriting(timeout: .zero) } == .closed
      reader.end()
      _exit(isRefused ? 0 : 1)
    }
    try #require(child > 0)
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 0)
    // The child's end did not let the parent's slot go.
    reader.end()
    try engine.read { _ in }
  }
}
