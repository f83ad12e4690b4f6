import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct BackupTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage

  init() throws {
    folder = try TemporaryFolder()
    storage = try SQLiteStorage.open(path: folder.path(), options: StorageOptions())
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      for index in 0..<100 { try writer.add([.null, .text("\(index)"), .null, 0], to: "user") }
      try writer.setMigrations(["first"])
    }
  }

  private func open(_ name: String, readOnly: Bool = false) throws -> SQLiteStorage {
    var options = StorageOptions()
    options.createsIfMissing = false
    options.isReadOnly = readOnly
    return try SQLiteStorage.open(path: folder.path(name), options: options)
  }

  @Test func `a copy is one file that opens by itself, with the original's permissions`() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640],
      ofItemAtPath: folder.path()
    )
    try storage.backup(to: folder.path("copy.db"), timeout: .seconds(5))
    #expect(
      try folder.contents().keys.sorted() == ["copy.db", "test.db", "test.db-shm", "test.db-wal"]
    )
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("copy.db"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    let before = try folder.contents()["copy.db"]
    let reader = try open("copy.db", readOnly: true)
    #expect(try reader.read { try $0.rows("user") } == storage.read { try $0.rows("user") })
    try reader.close()
    #expect(try folder.contents()["copy.db"] == before)
    let copy = try open("copy.db")
    #expect(try copy.read { $0.catalog.storeID } == storage.read { $0.catalog.storeID })
    #expect(try copy.read { $0.catalog.migrations } == ["first"])
    #expect(try copy.write { try $0.add([.null, "n", .null, .null], to: "user") } == 101)
    #expect(try copy.verify(timeout: .zero).filter(\.isFault) == [])
    try copy.close()
  }

  @Test func `copies made while others write hold one snapshot each`() async throws {
    let storage = storage
    let paths = (0..<10).map { folder.path("copy \($0).db") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 1...60 {
          try storage.write { writer in
            let user = try writer.named("user")
            _ = try writer.deleteAll(in: user)
            for index in 0..<100 {
              try writer.add([.null, .text("\(index)"), .null, .integer(Int64(round))], to: "user")
            }
          }
        }
      }
      group.addTask {
        for path in paths { try storage.backup(to: path, timeout: .seconds(5)) }
      }
      try await group.waitForAll()
    }
    for round in 0..<10 {
      let copy = try open("copy \(round).db")
      let rows = try copy.read { try $0.rows("user") }
      #expect(rows.count == 100)
      #expect(Set(rows.map { $0[3] }).count == 1)
      try copy.close()
    }
  }

  @Test func `neither waits for the other: a copy and an open write transaction`() throws {
    let writer = try storage.beginWriting(timeout: .zero)
    try writer.add([.null, "n", .null, .null], to: "user")
    try storage.backup(to: folder.path("copy.db"), timeout: .zero)
    try writer.commit()
    writer.end()
    let copy = try open("copy.db")
    #expect(try copy.read { try $0.rows("user") }.count == 100)
    try copy.close()
    let readOnly = try open("test.db", readOnly: true)
    try readOnly.backup(to: folder.path("second.db"), timeout: .zero)
    try readOnly.close()
    let second = try open("second.db")
    #expect(try second.read { try $0.rows("user") }.count == 101)
    try second.close()
  }

  @Test func `what is there already stays, and a failure leaves nothing`() throws {
    for name in ["file.db", "other.db-wal", "third.db-journal"] {
      try Data("mine".utf8).write(to: URL(filePath: folder.path(name)))
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.db"),
      withDestinationPath: folder.path("nowhere")
    )
    try FileManager.default.createDirectory(
      atPath: folder.path("folder"),
      withIntermediateDirectories: false
    )
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    for name in ["file.db", "other.db", "third.db", "link.db", "folder", "test.db"] {
      try expect(.alreadyExists) { try storage.backup(to: folder.path(name), timeout: .zero) }
    }
    try expect(.cannotOpen) { try storage.backup(to: folder.path("no/copy.db"), timeout: .zero) }
    try expect(.cannotOpen) { try storage.backup(to: "", timeout: .zero) }
    try expect(.cannotOpen) {
      try storage.backup(to: folder.path("file.db/copy.db"), timeout: .zero)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == before)
    #expect(try Data(contentsOf: URL(filePath: folder.path("file.db"))) == Data("mine".utf8))
  }

  @Test func `a damaged store gives no copy`() throws {
    try storage.write { writer in
      let text = String(repeating: "x", count: 1000)
      for index in 0..<500 {
        try writer.add([.null, .text("\(text)\(index)"), .null, 1], to: "user")
      }
    }
    try storage.close()
    var bytes = try Data(contentsOf: URL(filePath: folder.path()))
    for page in 30..<60 {
      for offset in 0..<4096 { bytes[page * 4096 + offset] = 0xA5 }
    }
    try bytes.write(to: URL(filePath: folder.path("damaged.db")))
    let damaged = try open("damaged.db")
    try expect(.corrupt) { try damaged.backup(to: folder.path("copy.db"), timeout: .zero) }
    try damaged.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix("copy") || $0.hasPrefix(".holdfast") })
  }

  @Test func `odd paths name ordinary files`() throws {
    for name in ["a 'b\" ?%#.db", "file:x?mode=memory", ":memory:", "é.db"] {
      try storage.backup(to: folder.path(name), timeout: .seconds(1))
      let copy = try open(name)
      #expect(try copy.read { try $0.rows("user") }.count == 100)
      try copy.close()
    }
  }
}
