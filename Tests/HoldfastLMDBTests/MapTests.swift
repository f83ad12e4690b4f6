import Foundation
import Holdfast
import HoldfastLMDB
import Testing

@Suite struct MapTests {
  let folder: TemporaryFolder
  let path: String
  private let block = [UInt8](repeating: 7, count: 64 << 10)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  private func options(mapSize: Int?) -> StorageOptions {
    var options = StorageOptions()
    options.mapSize = mapSize
    options.durability = .none
    options.timeout = .milliseconds(200)
    return options
  }

  /// Puts one block a transaction until the map is full; gives the number of blocks in the end.
  private func fill(_ engine: LMDBEngine, _ table: KeyValueTable) throws -> Int {
    while true {
      let count = try engine.read { try $0.keys(in: table).count }
      let failure = code {
        try engine.write { try $0.put("\(count)", block, in: table) }
      }
      if failure == nil { continue }
      #expect(failure == .storageFull)
      #expect(try engine.read { try $0.keys(in: table).count } == count)
      return count
    }
  }

  @Test func `a full map of 1 MiB goes on after growing ten times by reopening`() throws {
    var engine = try LMDBEngine(path: path, options: options(mapSize: 1 << 20))
    _ = try engine.write { try $0.createTable("c1") }
    var last = 0
    for step in 2...11 {
      let count = try fill(engine, try #require(try engine.openTable("c1")))
      #expect(count > last)
      last = count
      try engine.close()
      engine = try LMDBEngine(path: path, options: options(mapSize: step << 20))
    }
    let table = try #require(try engine.openTable("c1"))
    #expect(try fill(engine, table) > last)
    let size = try FileManager.default.attributesOfItem(atPath: path + "/data.mdb")[.size] as? Int
    #expect(try #require(size) <= 11 << 20)
  }

  @Test func `a full map goes on after growing ten times in place`() throws {
    let engine = try LMDBEngine(path: path, options: options(mapSize: 1 << 20))
    let table = try engine.write { try $0.createTable("c1") }
    var last = 0
    for step in 2...11 {
      let count = try fill(engine, table)
      #expect(count > last)
      last = count
      try engine.read { _ in
        #expect(code { try engine.grow(to: step << 20) } == .busy)
      }
      try engine.grow(to: step << 20)
    }
    #expect(try fill(engine, table) > last)
  }

  @Test func `a full map dooms the transaction and leaves the store as it was`() throws {
    let engine = try LMDBEngine(path: path, options: options(mapSize: 1 << 20))
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("before", "1", in: table)
      return table
    }
    let writer = try engine.beginWriting(timeout: .seconds(1))
    try writer.put("inside", "1", in: table)
    try writer.beginNested()
    let big = [UInt8](repeating: 1, count: 2 << 20)
    #expect(code { try writer.put("big", big, in: table) } == .storageFull)
    writer.end()
    #expect(try engine.read { try $0.keys(in: table) } == ["before"])
    try engine.write { try $0.put("after", "1", in: table) }
    #expect(try engine.read { try $0.keys(in: table) } == ["after", "before"])
  }

  @Test func `a small reservation grows between transactions, never beneath a reader`() throws {
    let engine = try LMDBEngine(path: path, options: options(mapSize: nil), reservation: 1 << 20)
    let table = try engine.write { try $0.createTable("c1") }
    let reader = try engine.beginReading(timeout: .seconds(1))
    #expect(try reader.keys(in: table) == [])
    let big = [UInt8](repeating: 1, count: 48 << 20)
    for number in 0..<3 {
      let failure = code { try engine.write { try $0.put("\(number)", big, in: table) } }
      #expect(failure == nil || failure == .storageFull || failure == .busy)
    }
    #expect(try reader.keys(in: table) == [])
    reader.end()
    for number in 0..<6 {
      // A transaction larger than the room that was kept fails once; the next finds room.
      let put = { try engine.write { try $0.put("\(number)", big, in: table) } }
      if code(put) != nil { try put() }
    }
    #expect(try engine.read { try $0.keys(in: table).count } == 6)
  }

  @Test func `a mapsize that makes no sense is refused`() throws {
    for size in [-1, 0, 1000, Int.max] {
      #expect(
        code { _ = try LMDBEngine(path: path, options: options(mapSize: size)) }
          == .invalidConfiguration
      )
    }
  }

  @Test func `a mapsize below the data lets the store be read`() throws {
    var engine = try LMDBEngine(path: path, options: options(mapSize: 4 << 20))
    let count = try fill(engine, try engine.write { try $0.createTable("c1") })
    try engine.close()
    engine = try LMDBEngine(path: path, options: options(mapSize: 1 << 20))
    let table = try #require(try engine.openTable("c1"))
    #expect(try engine.read { try $0.keys(in: table).count } == count)
    #expect(code { try engine.write { try $0.put("more", block, in: table) } } == .storageFull)
  }
}
