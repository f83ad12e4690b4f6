import Foundation
import Holdfast
import HoldfastLMDB
import Testing

@Suite struct EngineTests {
  let folder: TemporaryFolder
  let engine: LMDBEngine

  init() throws {
    folder = try TemporaryFolder()
    engine = try LMDBEngine(path: folder.path("store"))
  }

  @Test func `what was put is there after reopening`() throws {
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("a", "1", in: table)
      try writer.put("empty", "", in: table)
      return table
    }
    #expect(try engine.openTable("c1") == table)
    #expect(try engine.openTable("c2") == nil)
    try engine.close()

    let again = try LMDBEngine(path: folder.path("store"))
    defer { #expect(throws: Never.self) { try again.close() } }
    let reopened = try #require(try again.openTable("c1"))
    try again.read { (reader) throws in
      #expect(try reader.value("a", in: reopened) == "1")
      #expect(try reader.value("empty", in: reopened) == "")
      #expect(try reader.value("b", in: reopened) == nil)
      #expect(try reader.value("", in: reopened) == nil)
    }
  }

  @Test func `the folder holds three files`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("store"))
    #expect(names.sorted() == ["data.mdb", "lock.mdb", "write.lock"])
    #expect(engine.maximumKeyLength == 511)
    #expect(engine.capabilities.backend == "lmdb")
    #expect(engine.capabilities.engine.hasPrefix("LMDB 0.9"))
  }

  @Test func `a cursor walks and seeks in both directions`() throws {
    try engine.write { writer in
      let table = try writer.createTable("c1")
      for key in ["b", "d", "f"] { try writer.put(key, key + key, in: table) }
      let cursor = try writer.openCursor(in: table)
      defer { cursor.close() }
      #expect(try cursor.first() && cursor.entry == "b=bb")
      #expect(try cursor.next() && cursor.entry == "d=dd")
      #expect(try cursor.previous() && cursor.entry == "b=bb")
      #expect(try !cursor.previous())
      #expect(try cursor.last() && cursor.entry == "f=ff")
      #expect(try !cursor.next())
      #expect(try cursor.seek("c") && cursor.entry == "d=dd")
      #expect(try cursor.seek("d") && cursor.entry == "d=dd")
      #expect(try cursor.seek("") && cursor.entry == "b=bb")
      #expect(try !cursor.seek("g"))
      #expect(try writer.delete("d", in: table))
      #expect(try !writer.delete("d", in: table))
      #expect(try writer.keys(in: table) == ["b", "f"])
      try writer.clear(table)
      #expect(try writer.keys(in: table) == [])
    }
  }

  @Test func `nested transactions undo only what is theirs`() throws {
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("outer", "1", in: table)
      try writer.beginNested()
      try writer.put("kept", "1", in: table)
      try writer.beginNested()
      try writer.put("undone", "1", in: table)
      _ = try writer.createTable("undone")
      try writer.rollbackNested()
      _ = try writer.createTable("kept")
      try writer.commitNested()
      return table
    }
    #expect(try engine.read { try $0.keys(in: table) } == ["kept", "outer"])
    #expect(try engine.openTable("kept") != nil)
    #expect(try engine.openTable("undone") == nil)
  }

  @Test func `a table created in a rolled-back transaction is gone and its name free`() throws {
    let writer = try engine.beginWriting(timeout: .seconds(1))
    let lost = try writer.createTable("lost")
    try writer.put("a", "1", in: lost)
    writer.end()
    writer.end()
    #expect(try engine.openTable("lost") == nil)
    let table = try engine.write { writer in
      let table = try writer.createTable("other")
      try writer.put("b", "2", in: table)
      return table
    }
    #expect(try engine.read { try $0.keys(in: table) } == ["b"])
    #expect(try engine.openTable("lost") == nil)
  }

  @Test func `a snapshot stays as it was when it began`() throws {
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("a", "1", in: table)
      return table
    }
    try engine.read { reader in
      try engine.write { try $0.put("b", "2", in: table) }
      #expect(try reader.keys(in: table) == ["a"])
    }
    #expect(try engine.read { try $0.keys(in: table) } == ["a", "b"])
  }

  @Test func `whatever is used after its scope throws`() throws {
    let writer = try engine.beginWriting(timeout: .seconds(1))
    let table = try writer.createTable("c1")
    try writer.put("a", "1", in: table)
    try writer.beginNested()
    let inner = try writer.openCursor(in: table)
    #expect(try inner.first())
    #expect(code { try writer.commit() } == .nestedTransaction)
    try writer.commitNested()
    #expect(code { _ = try inner.first() } == .transactionClosed)
    inner.close()
    let cursor = try writer.openCursor(in: table)
    try writer.commit()
    #expect(code { _ = try cursor.first() } == .transactionClosed)
    cursor.close()
    #expect(code { try writer.put("b", "1", in: table) } == .transactionClosed)
    #expect(code { try writer.commit() } == .transactionClosed)

    let reader = try engine.beginReading(timeout: .seconds(1))
    let open = try reader.openCursor(in: table)
    reader.end()
    reader.end()
    #expect(code { _ = try open.first() } == .transactionClosed)
    #expect(code { _ = try reader.value("a", in: table) } == .transactionClosed)
    open.close()
    try engine.close()
    try engine.close()
    #expect(code { _ = try engine.beginReading(timeout: .seconds(1)) } == .closed)
    #expect(code { _ = try engine.beginWriting(timeout: .seconds(1)) } == .closed)
  }

  @Test func `a key over the limit is refused and earlier writes go on`() throws {
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("a", "1", in: table)
      let tooLong = String(repeating: "x", count: 512)
      #expect(code { try writer.put(tooLong, "1", in: table) } == .keyTooLong)
      try writer.put(String(repeating: "x", count: 511), "1", in: table)
      return table
    }
    #expect(try engine.read { try $0.keys(in: table).count } == 2)
  }

  @Test func `a table too many is refused with the limit and the transaction goes on`() throws {
    try engine.write { writer in
      for number in 0..<1024 { _ = try writer.createTable("t\(number)") }
      #expect {
        _ = try writer.createTable("t1024")
      } throws: { error in
        (error as? StorageError)?.code == .unsupported
          && (error as? StorageError)?.message.contains("1024") == true
      }
    }
    #expect(try engine.openTable("t1023") != nil)
    #expect(try engine.openTable("t1024") == nil)
  }

  @Test func `five hundred readers are live at once, and one too many is busy`() throws {
    let readers = try (0..<510).map { _ in try engine.beginReading(timeout: .seconds(1)) }
    #expect(code { _ = try engine.beginReading(timeout: .milliseconds(60)) } == .busy)
    readers.forEach { $0.end() }
    try engine.read { _ in }
  }

  @Test func `readers on many threads see whole commits`() async throws {
    let table = try engine.write { writer in
      let table = try writer.createTable("c1")
      try writer.put("a", "0", in: table)
      try writer.put("b", "0", in: table)
      return table
    }
    let engine = engine
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            try engine.read { (reader) throws in
              #expect(try reader.value("a", in: table) == reader.value("b", in: table))
            }
          }
        }
      }
      group.addTask {
        for round in 1...50 {
          try engine.write { writer in
            try writer.put("a", "\(round)", in: table)
            try writer.put("b", "\(round)", in: table)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try engine.read { try $0.value("a", in: table) } == "50")
  }
}
