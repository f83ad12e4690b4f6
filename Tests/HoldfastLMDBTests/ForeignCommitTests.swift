import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// What other processes do while a store is open.
@Suite struct ForeignCommitTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  @Test func `commits of others are noticed once, and own ones never`() throws {
    #expect(try !engine.takeExternalChange())
    let second = try LMDBEngine(path: path)
    let third = try LMDBEngine(path: path)
    try engine.write { try $0.put("a", "1", in: table) }
    #expect(try !engine.takeExternalChange())
    #expect(try second.takeExternalChange())
    #expect(try !second.takeExternalChange())
    // One between two own ones, and transactions that change nothing or are rolled back.
    try engine.write { _ in }
    try engine.beginWriting(timeout: .seconds(1)).end()
    try second.write { try $0.put("a", "2", in: table) }
    try engine.write { _ in }
    try engine.write { try $0.put("a", "3", in: table) }
    #expect(try engine.takeExternalChange())
    #expect(try !engine.takeExternalChange())
    try engine.write { try $0.put("a", "4", in: table) }
    try engine.write { _ in }
    #expect(try !engine.takeExternalChange())
    #expect(try third.takeExternalChange())
    let other = try store.startOther()
    #expect(try !engine.takeExternalChange())
    try store.ask(other, "write c2")
    try engine.write { try $0.put("a", "5", in: table) }
    #expect(try engine.takeExternalChange())
    try other.end()
    try engine.compact(timeout: .seconds(5))
    #expect(try !engine.takeExternalChange())
    let writer = try engine.beginWriting(timeout: .seconds(1))
    try writer.put("a", "6", in: table)
    #expect(try !engine.takeExternalChange())
    try writer.commit()
    #expect(try !engine.takeExternalChange())
  }

  @Test func `dead readers are found when every slot is taken, and as the file grows`() throws {
    let others = try (0..<4).map { _ in
      try Python(
        #"""
        import sys, lmdb
        environment = lmdb.open(sys.argv[1], max_dbs=9, map_size=1 << 30, max_readers=510)
        readers = [environment.begin(buffers=True) for _ in range(127)]
        print("open", flush=True)
        sys.stdin.read()
        """#,
        [path]
      )
    }
    for other in others { #expect(try other.line() == "open") }
    let own = try (0..<2).map { _ in try engine.beginReading(timeout: .milliseconds(50)) }
    #expect(code { _ = try engine.beginReading(timeout: .milliseconds(50)) } == .busy)
    #expect(code { _ = try engine.openTable("no such table") } == nil)
    others[0].kill()
    #expect(try engine.read { try $0.count(in: table) } == 500)
    own.forEach { $0.end() }
    // Their snapshots keep freed pages from being used again, until somebody notices.
    for other in others.dropFirst() { other.kill() }
    let big = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<200 { try engine.write { try $0.put("big", big, in: table) } }
    #expect(try store.size(data) < 40 << 20)
  }
}
