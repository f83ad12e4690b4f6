import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// Copies of a store that is in use.
@Suite struct BackupTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  @Test func `a copy is a whole store with the permissions of the original`() throws {
    #expect(chmod(data, 0o640) == 0)
    #expect(chmod(path, 0o750) == 0)
    try engine.backup(to: folder.path("copy") + "/", timeout: .seconds(5))
    let files = FileManager.default
    #expect(try files.contentsOfDirectory(atPath: folder.path("copy")) == ["data.mdb"])
    for (name, permissions) in [("copy", 0o750), ("copy/data.mdb", 0o640)] {
      let attributes = try files.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == permissions)
    }
    #expect(try files.contentsOfDirectory(atPath: folder.path).sorted() == ["copy", "store"])
    let copy = try LMDBEngine(path: folder.path("copy"))
    let found = try #require(try copy.openTable("c1"))
    #expect(try copy.read { try $0.keys(in: found).count } == 500)
    try copy.write { try $0.put("more", "1", in: found) }
    #expect(try copy.verify(timeout: .seconds(5)) == [])
    #expect(try engine.read { try $0.value("more", in: table) } == nil)
  }

  @Test func `a copy leaves out what was deleted`() throws {
    try store.removeMost()
    try engine.backup(to: folder.path("copy"), timeout: .seconds(5))
    #expect(try store.size(folder.path("copy/data.mdb")) < store.size(data) / 4)
  }

  @Test func `a copy onto something is refused and a failed one leaves nothing`() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder.path("taken"), withIntermediateDirectories: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("file")))
    for name in ["taken", "file", "store"] {
      #expect(
        code { try engine.backup(to: folder.path(name), timeout: .seconds(1)) } == .alreadyExists
      )
    }
    #expect(
      code { try engine.backup(to: folder.path("no/copy"), timeout: .seconds(1)) } == .cannotOpen
    )
    try engine.close()
    // A page of records is damaged behind the engine's back.
    let reading = try LMDBEngine(path: path)
    let handle = try #require(FileHandle(forUpdatingAtPath: data))
    try handle.seek(toOffset: 4096 * 20 + 10)
    try handle.write(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF])
    try handle.close()
    #expect(code { try reading.backup(to: folder.path("copy"), timeout: .seconds(1)) } == .corrupt)
    #expect(code { try reading.compact(timeout: .seconds(1)) } == .corrupt)
    #expect(
      try files.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "store", "taken"]
    )
    #expect(!files.fileExists(atPath: data + ".new"))
  }

  @Test func `copies made while others write hold whole transactions`() async throws {
    let engine = engine
    let table = table
    let folder = folder
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<300 {
          try engine.write { writer in
            for key in ["x", "y", "z"] { try writer.put(key, "\(round)", in: table) }
            _ = try writer.delete("\(round)", in: table)
          }
        }
      }
      group.addTask {
        for number in 0..<8 {
          let path = folder.path("copy\(number)")
          try engine.backup(to: path, timeout: .seconds(5))
          let copy = try LMDBEngine(path: path)
          let found = try #require(try copy.openTable("c1"))
          try copy.read { (reader) throws in
            let x = try reader.value("x", in: found)
            #expect(try reader.value("y", in: found) == x)
            #expect(try reader.value("z", in: found) == x)
            let rest = 500 - (x.flatMap { Int($0) }.map { $0 + 1 } ?? 0) + (x == nil ? 0 : 3)
            #expect(try reader.count(in: found) == rest)
          }
          #expect(try copy.verify(timeout: .seconds(5)) == [])
          try copy.close()
        }
      }
      try await group.waitForAll()
    }
  }
}
