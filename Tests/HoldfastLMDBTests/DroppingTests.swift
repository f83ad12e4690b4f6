import Foundation
import Holdfast
import HoldfastLMDB
import Testing

@Suite struct DroppingTests {
  let folder: TemporaryFolder
  let path: String
  private let options: StorageOptions

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
    var options = StorageOptions()
    options.durability = .none
    self.options = options
  }

  private func open() throws -> LMDBEngine { try LMDBEngine(path: path, options: options) }

  private var size: Int {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/data.mdb")
      return try #require(attributes[.size] as? Int)
    }
  }

  /// Creates a table with a few entries.
  private func create(_ name: String, in engine: LMDBEngine) throws -> KeyValueTable {
    try engine.write { writer in
      let table = try writer.createTable(name)
      for key in ["a", "b"] { try writer.put(key, name, in: table) }
      return table
    }
  }

  @Test func `a dropped table is gone, and stays gone over a reopening`() throws {
    var engine = try open()
    let table = try create("c1", in: engine)
    _ = try create("c2", in: engine)
    try engine.write { try $0.dropTable(table) }
    #expect(try engine.openTable("c1") == nil)
    for _ in 0..<2 {
      try engine.close()
      engine = try open()
      #expect(try engine.openTable("c1") == nil)
      let other = try #require(try engine.openTable("c2"))
      #expect(try engine.read { try $0.keys(in: other) } == ["a", "b"])
      try engine.write { try $0.put("c", "1", in: other) }
      try engine.write { _ = try $0.delete("c", in: other) }
    }
    #expect(try engine.verify(timeout: .seconds(5)) == [])
  }

  @Test func `snapshots go on reading a dropped table while others take its place`() throws {
    let engine = try open()
    let table = try create("c1", in: engine)
    let reader = try engine.beginReading(timeout: .seconds(1))
    try engine.write { try $0.dropTable(table) }
    let second = try engine.beginReading(timeout: .seconds(1))
    for number in 2..<40 {
      let next = try create("c\(number)", in: engine)
      #expect(try reader.value("a", in: table) == "c1")
      #expect(try reader.keys(in: table) == ["a", "b"])
      #expect(try second.count(in: table) == 0)
      try engine.write { try $0.dropTable(next) }
    }
    reader.end()
    second.end()
    let last = try create("c50", in: engine)
    #expect(try engine.read { try $0.value("b", in: last) } == "c50")
  }

  @Test func `a drop that is rolled back changes nothing`() throws {
    let engine = try open()
    let table = try create("c1", in: engine)
    let writer = try engine.beginWriting(timeout: .seconds(1))
    try writer.beginNested()
    try writer.dropTable(table)
    #expect(try writer.keys(in: table) == [])
    try writer.rollbackNested()
    #expect(try writer.keys(in: table) == ["a", "b"])
    try writer.beginNested()
    try writer.dropTable(table)
    try writer.commitNested()
    writer.end()
    #expect(try engine.openTable("c1") == table)
    for _ in 0..<3 { try engine.write { try $0.put("c", "1", in: table) } }
    #expect(try engine.read { try $0.keys(in: table) } == ["a", "b", "c"])
  }

  @Test func `a sweep that is rolled back is done again`() throws {
    let engine = try open()
    let kept = try create("c1", in: engine)
    let table = try create("c2", in: engine)
    try engine.write { try $0.dropTable(table) }
    for _ in 0..<3 {
      let writer = try engine.beginWriting(timeout: .seconds(1))
      try writer.put("c", "1", in: kept)
      let lost = try writer.createTable("c3")
      try writer.put("a", "lost", in: lost)
      writer.end()
    }
    let next = try create("c3", in: engine)
    #expect(try engine.openTable("c2") == nil)
    #expect(try engine.read { try $0.value("a", in: next) } == "c3")
    #expect(try engine.read { try $0.keys(in: kept) } == ["a", "b"])
    #expect(try engine.verify(timeout: .seconds(5)) == [])
  }

  @Test func `a table created and dropped in one transaction leaves nothing`() throws {
    let engine = try open()
    try engine.write { writer in
      for number in 0..<3000 {
        let table = try writer.createTable("c\(number)")
        try writer.put("a", "1", in: table)
        try writer.dropTable(table)
      }
      try writer.beginNested()
      let inner = try writer.createTable("i1")
      try writer.put("a", "1", in: inner)
      try writer.commitNested()
      // An outer transaction drops what an inner one created, an inner one what an outer one did.
      try writer.dropTable(inner)
      let outer = try writer.createTable("i2")
      try writer.put("a", "kept", in: outer)
      try writer.beginNested()
      try writer.dropTable(outer)
      try writer.rollbackNested()
      #expect(try writer.value("a", in: outer) == "kept")
    }
    let table = try #require(try engine.openTable("i2"))
    #expect(try engine.read { try $0.value("a", in: table) } == "kept")
    #expect(try engine.openTable("i1") == nil)
    #expect(try engine.openTable("c7") == nil)
  }

  @Test func `a dropped name cannot be taken again`() throws {
    let engine = try open()
    let table = try create("c1", in: engine)
    try engine.write { writer in
      try writer.dropTable(table)
      #expect(code { _ = try writer.createTable("c1") } == .unsupported)
    }
  }

  @Test(arguments: [(5000, false), (1500, true)])
  func `thousands of tables come and go in one process, with an old snapshot or without`(
    _ cycles: Int,
    _ hasReader: Bool
  ) throws {
    let engine = try open()
    let kept = try create("c0", in: engine)
    let reader = hasReader ? try engine.beginReading(timeout: .seconds(1)) : nil
    for number in 1...cycles {
      let table = try create("c\(number)", in: engine)
      try engine.write { try $0.dropTable(table) }
    }
    #expect(try reader?.keys(in: kept) ?? ["a", "b"] == ["a", "b"])
    reader?.end()
    if !hasReader { #expect(try size < 1 << 20) }
    let last = try create("c9999", in: engine)
    #expect(try engine.read { try $0.value("a", in: last) } == "c9999")
    #expect(try engine.verify(timeout: .seconds(5)) == [])
    try engine.close()
    let again = try open()
    #expect(try again.openTable("c\(cycles)") == nil)
    for number in 10_000..<11_000 { _ = try again.write { try $0.createTable("c\(number)") } }
  }

  @Test func `a reader that never writes follows tables that come and go`() throws {
    let engine = try open()
    let reading = try open()
    for number in 0..<1500 {
      let table = try create("c\(number)", in: engine)
      let found = try #require(try reading.openTable("c\(number)"))
      #expect(try reading.read { try $0.value("a", in: found) } == "c\(number)")
      try engine.write { try $0.dropTable(table) }
    }
  }
}
