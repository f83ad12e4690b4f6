import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// Letting files go and taking them up again.
@Suite struct SuspensionTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  @Test func `a suspended engine holds nothing, and goes on with the same tables`() throws {
    let second = try LMDBEngine(path: path)
    try engine.suspend()
    #expect(code { _ = try engine.beginReading(timeout: .zero) } == .suspended)
    #expect(code { _ = try engine.beginWriting(timeout: .zero) } == .suspended)
    #expect(code { _ = try engine.openTable("c1") } == .suspended)
    #expect(code { _ = try engine.takeExternalChange() } == .suspended)
    #expect(code { try engine.suspend() } == .suspended)
    #expect(try second.read { try $0.count(in: table) } == 500)
    try second.suspend()
    #if os(Linux)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }
    #expect(!open.contains { $0.hasPrefix(path) })
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    #expect(!maps.contains(path))
    #endif
    try second.resume()
    #expect(code { _ = try engine.beginReading(timeout: .zero) } == .suspended)
    let third = try second.write { writer in
      try writer.put("more", "1", in: table)
      return try writer.createTable("c2")
    }
    try engine.resume()
    try engine.resume()
    #expect(try engine.read { try $0.value("more", in: table) } == "1")
    #expect(try engine.openTable("c2") == third)
    #expect(try engine.takeExternalChange())
    try engine.suspend()
    try engine.close()
    try second.close()
    #expect(code { try engine.resume() } == .closed)
    #expect(try LMDBEngine(path: path).openTable("c2") != nil)
  }

  @Test func `a transaction keeps an engine from being suspended`() throws {
    let reader = try engine.beginReading(timeout: .seconds(1))
    #expect(code { try engine.suspend() } == .busy)
    reader.end()
    let writer = try engine.beginWriting(timeout: .seconds(1))
    #expect(code { try engine.suspend() } == .busy)
    writer.end()
    try engine.suspend()
    try engine.resume()
  }

  @Test func `what others did to a suspended store is there after it`() throws {
    let dropped = try engine.write { writer in
      let table = try writer.createTable("c2")
      try writer.put("a", "1", in: table)
      return table
    }
    let kept = try engine.write { try $0.createTable("c3") }
    _ = try engine.takeExternalChange()
    try engine.suspend()
    let other = try store.startOther()
    try store.ask(other, "write c4")
    try other.end()
    let script = #"""
      import sys, lmdb
      with lmdb.open(sys.argv[1], max_dbs=99, map_size=1 << 30) as environment:
          with environment.begin(write=True) as transaction:
              transaction.drop(environment.open_db(b"c2", txn=transaction), delete=True)
              transaction.put(b"b", b"2", db=environment.open_db(b"c3", txn=transaction))
      """#
    _ = try Python.run(script, [path])
    try engine.resume()
    #expect(try engine.takeExternalChange())
    #expect(try engine.openTable("c2") == nil)
    #expect(code { try engine.read { _ = try $0.value("a", in: dropped) } } == .ioError)
    #expect(try engine.read { try $0.value("b", in: kept) } == "2")
    let found = try #require(try engine.openTable("c4"))
    #expect(try engine.read { try $0.value("a", in: found) } == "c4")
    // Compacted by somebody else while this process was away.
    try engine.suspend()
    let copy = folder.path("copy")
    _ = try Python.run(
      "import sys, os, lmdb\nos.mkdir(sys.argv[2])\nlmdb.open(sys.argv[1]).copy(sys.argv[2], compact=True)\n"
        + "os.rename(sys.argv[2] + '/data.mdb', sys.argv[1] + '/data.mdb')",
      [path, copy]
    )
    try engine.resume()
    #expect(try engine.takeExternalChange())
    #expect(try engine.read { try $0.value("b", in: kept) } == "2")
    try engine.write { try $0.put("c", "3", in: kept) }
    #expect(code { _ = try LMDBEngine(path: path).openTable("c3") } == nil)
  }

  @Test func `a store damaged or lost while suspended is refused, and stays suspended`() throws {
    try engine.suspend()
    let whole = try Data(contentsOf: URL(fileURLWithPath: data))
    try whole.prefix(20_000).write(to: URL(fileURLWithPath: data))
    #expect(code { try engine.resume() } == .corrupt)
    #expect(code { _ = try engine.beginReading(timeout: .zero) } == .suspended)
    try FileManager.default.removeItem(atPath: data)
    #expect(code { try engine.resume() } == .cannotOpen)
    try whole.write(to: URL(fileURLWithPath: data))
    try engine.resume()
    #expect(try engine.read { try $0.count(in: table) } == 500)
  }
}
