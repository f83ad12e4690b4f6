import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// Giving unused pages back.
@Suite struct CompactionTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  @Test func `compacting gives space back and everything goes on`() throws {
    let second = try LMDBEngine(path: path)
    try store.removeMost()
    let before = try store.size(data)
    try engine.compact(timeout: .seconds(5))
    #expect(try store.size(data) < before / 4)
    for _ in 0..<3 {
      #expect(try engine.read { try $0.keys(in: table).count } == 10)
      try engine.write { try $0.put("more", "1", in: table) }
      try second.write { try $0.put("other", "1", in: table) }
      #expect(try second.read { try $0.value("more", in: table) } == "1")
      try engine.write { writer in
        _ = try writer.delete("more", in: table)
        _ = try writer.delete("other", in: table)
      }
      try engine.compact(timeout: .seconds(5))
    }
    #expect(try engine.verify(timeout: .seconds(5)) == [])
    _ = try engine.write { try $0.createTable("c2") }
    let other = try store.startOther()
    try store.ask(other, "write c3")
    try other.end()
    #expect(try second.openTable("c3") != nil)
    try engine.close()
    try second.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == ["data.mdb", "lock.mdb", "write.lock"]
    )
    let again = try LMDBEngine(path: path)
    #expect(try again.openTable("c2") != nil)
    #expect(try again.verify(timeout: .seconds(5)) == [])
  }

  @Test func `compacting waits for readers until the timeout`() throws {
    try store.removeMost()
    let before = try store.size(data)
    let reader = try engine.beginReading(timeout: .seconds(1))
    #expect(code { try engine.compact(timeout: .milliseconds(50)) } == .busy)
    #expect(try reader.keys(in: table).count == 10)
    #expect(try store.size(data) == before)
    #expect(!FileManager.default.fileExists(atPath: data + ".new"))
    reader.end()
    let writer = try engine.beginWriting(timeout: .seconds(1))
    #expect(code { try engine.compact(timeout: .milliseconds(50)) } == .busy)
    writer.end()
    try engine.compact(timeout: .seconds(5))
    #expect(try store.size(data) < before)
  }

  @Test func `a store that another process has open is not compacted`() throws {
    try store.removeMost()
    let before = try store.size(data)
    let other = try store.startOther()
    let error = try #require(throws: StorageError.self) {
      try engine.compact(timeout: .seconds(1))
    }
    #expect(error.code == .busy && error.message.contains("another process"))
    #expect(try store.size(data) == before)
    #expect(try engine.read { try $0.keys(in: table).count } == 10)
    try engine.write { try $0.put("more", "1", in: table) }
    try store.ask(other, "write c2")
    #expect(try engine.openTable("c2") != nil)
    try other.end()
    try engine.compact(timeout: .seconds(5))
    #expect(try store.size(data) < before)
    #expect(try engine.read { try $0.value("more", in: table) } == "1")
  }

  @Test func `compacting beside readers and writers of many threads loses nothing`() async throws {
    let engine = engine
    let table = table
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<2 {
        group.addTask {
          for round in 0..<150 {
            try engine.write { writer in
              try writer.put("w\(worker)", "\(round)", in: table)
              _ = try writer.delete("\(worker * 200 + round)", in: table)
            }
            let seen = try engine.read { try $0.value("w\(worker)", in: table) }
            #expect(seen == "\(round)")
          }
        }
      }
      group.addTask {
        for _ in 0..<10 { try engine.compact(timeout: .seconds(5)) }
      }
      try await group.waitForAll()
    }
    #expect(try engine.read { try $0.count(in: table) } == 202)
    #expect(try engine.verify(timeout: .seconds(5)) == [])
  }
}
